"""Keys for one purpose each, derived from the secret key of an installation (HKDF, RFC 5869).

What was signed for one purpose is worthless for any other, and no derived key tells anything about the secret one.
"""

from typing import Final
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from webapp.config import Settings
from webapp.host_names import is_loopback

_KEY_SIZE: Final = 32
_SALT: Final = b"lodepost 1"
_FINGERPRINT_SIZE: Final = 16


def derived_key(secret_key: bytes, purpose: str) -> bytes:
    """Return the 32 bytes of the key for this purpose."""
    return HKDF(SHA256(), length=_KEY_SIZE, salt=_SALT, info=purpose.encode()).derive(secret_key)


def derived_keys(purpose: str, settings: Settings) -> list[bytes]:
    """Return the key that signs for this purpose, and then those that were replaced."""
    secret_keys = (settings.secret_key, *settings.old_secret_keys)
    return [derived_key(key.encode(), purpose) for key in secret_keys]


def fingerprint_of(secret_key: str) -> str:
    """Return a text that distinguishes one secret key from another without revealing it."""
    return derived_key(secret_key.encode(), "fingerprint")[:_FINGERPRINT_SIZE].hex()


def mailbox_key_for(settings: Settings) -> str | None:
    """Return the key that opens /mailbox, or None if there must be no mailbox page.

    The page shows every email, including sign-in links, so it exists only while emails stay on this machine and no
    other machine can reach it.
    """
    host = urlsplit(settings.base_url).hostname or ""
    if settings.smtp_url or not (is_loopback(host) and is_loopback(settings.listen_host)):
        return None
    return derived_key(settings.secret_key.encode(), "mailbox")[:16].hex()
