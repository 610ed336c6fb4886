"""Tokens, codes and Message-IDs, derived from the one key of an installation, so that the database holds no live token.

A token is an HMAC over its purpose and a random nonce that the row keeps; the row holds only the token's hash. So a reader of
the database cannot sign in as anyone, and an email that is rendered later can still contain its token.
"""

import base64
import hashlib
import hmac
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

RandomBytes: TypeAlias = Callable[[int], bytes]
"""Returns a given number of random bytes: ``secrets.token_bytes``, or a test's own function."""

TOKEN_SIZE: Final = 24
"""Bytes in a token: 192 bits."""
_NONCE_SIZE: Final = 16
_MESSAGE_ID_SIZE: Final = 16
_MAX_MESSAGE_ID_DOMAIN_LENGTH: Final = 40
"""With 26 characters, brackets and an @ this makes 69; from 70 on mail programs fold the header line."""
_CODE_COUNT: Final = 1_000_000


class Keyring:
    """The installation's key, and the domain under which its Message-IDs are made."""

    def __init__(self, secret: bytes, *, domain: str) -> None:
        self._secret = secret
        self.domain = domain
        self._id_domain = _shortened_domain(domain)

    def __repr__(self) -> str:
        return "<Keyring>"

    def token(self, purpose: str, *parts: bytes | str | int | None) -> str:
        """Return the token for this purpose as URL-safe text; the same parts always give the same token."""
        return base64.urlsafe_b64encode(self._digest(purpose, parts)[:TOKEN_SIZE]).decode()

    def random_bits(self, purpose: str, *parts: bytes | str | int | None) -> bytes:
        """Return 32 bytes that no one can guess without the key; the same parts always give the same bytes."""
        return self._digest(purpose, parts)

    def code(self, nonce: bytes) -> str:
        """Return the six digits of a sign-in."""
        return f"{int.from_bytes(self._digest('sign-in code', (nonce,)), 'big') % _CODE_COUNT:06d}"

    def code_hash(self, nonce: bytes, code: str) -> bytes:
        """Return the stored hash of a code; keyed, because a million codes are quickly tried."""
        return self._digest("sign-in code hash", (nonce, code))

    def message_id(self, *parts: bytes | str | int | None) -> str:
        """Return the Message-ID of an email: the same on every retry, and impossible to guess (RFC 5322).

        In base32, which is short and survives programs that ignore upper and lower case.
        """
        digest = self._digest("message-id", parts)[:_MESSAGE_ID_SIZE]
        return f"<{base64.b32encode(digest).decode().rstrip('=').lower()}@{self._id_domain}>"

    def _digest(self, purpose: str, parts: tuple[bytes | str | int | None, ...]) -> bytes:
        fields = (purpose.encode(), *map(_as_bytes, parts))
        message = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
        return hmac.digest(self._secret, message, "sha256")


class NewLink(NamedTuple):
    """A link to be sent, as it is stored: a nonce, and the hash of the token that the keys derive from it."""

    nonce: bytes
    token_hash: bytes


class TokenSource(NamedTuple):
    """What new tokens are made from: the installation's keys and its source of random bytes."""

    keys: Keyring
    random_bytes: RandomBytes

    def new_link(self, purpose: str) -> NewLink:
        """Return a new link; ``keys.token(purpose, nonce)`` is its token, so that the stored row alone lets no one in."""
        nonce = self.random_bytes(_NONCE_SIZE)
        return NewLink(nonce, hash_of(self.keys.token(purpose, nonce)))


def hash_of(token: str) -> bytes:
    """Return the stored hash of a token, which has enough bits to need no key and no salt."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


def random_token(random_bytes: RandomBytes, size: int = TOKEN_SIZE) -> str:
    """Return a random token as URL-safe text."""
    return base64.urlsafe_b64encode(random_bytes(size)).decode().rstrip("=")


def _shortened_domain(domain: str) -> str:
    """Return the domain without its first labels, as far as its length requires; the part before the @ is unique anyway."""
    while len(domain) > _MAX_MESSAGE_ID_DOMAIN_LENGTH and domain.count(".") > 1:
        domain = domain.partition(".")[2]
    return domain


def _as_bytes(part: bytes | str | int | None) -> bytes:
    if part is None:
        return b""
    return part if isinstance(part, bytes) else str(part).encode()
