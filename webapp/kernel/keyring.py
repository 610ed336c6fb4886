"""Tokens, codes, slugs and Message-IDs, derived from the secret key of an installation, so that the database holds no live token.

A token is an HMAC over a random nonce that the row keeps; the row holds only the token's hash. So a reader of the database
cannot sign in as anyone, and an email that is rendered later can still contain its token. Each purpose has a key of its own.

A key can be replaced while the one before still counts: a nonce begins with the id of the key that its tokens are made
with, and a token without a nonce is compared with those of all keys.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from webapp.kernel.config import Settings
from webapp.kernel.keys import derived_key

RandomBytes: TypeAlias = Callable[[int], bytes]
"""Returns a given number of random bytes: ``secrets.token_bytes``, or a test's own function."""

TOKEN_SIZE: Final = 24
"""Bytes in a token: 192 bits."""
_NONCE_SIZE: Final = 16
_KEY_ID_SIZE: Final = 4
_MESSAGE_ID_SIZE: Final = 16
_MAX_MESSAGE_ID_DOMAIN_LENGTH: Final = 40
"""The longest domain: with 26 characters, brackets and an @ 69 in all; from 70 on, mail programs fold the header line."""
_CODE_COUNT: Final = 1_000_000
RANDOM_SLUG_BYTES: Final = 8
_ALPHABET: Final = "23456789abcdefghijkmnpqrstuvwxyz"
_SLUG_LENGTH: Final = 12
"""Characters of a slug: 60 bits, so that no one finds a game by guessing."""


class UnknownKey(Exception):
    """A token was made with a key that this process does not have."""

    def __init__(self) -> None:
        super().__init__(
            "It was made with another SECRET_KEY; name that one in OLD_SECRET_KEYS, or use it again."
        )


class Keyring:
    """The secret key of the installation, those that it has replaced, and the domain under which Message-IDs are made."""

    def __init__(self, secret: bytes, *, domain: str, old_secrets: Sequence[bytes] = ()) -> None:
        self._keys = tuple(map(_PurposeKeys, (secret, *old_secrets)))
        self.domain = domain
        self._id_domain = _shortened_domain(domain)

    def __repr__(self) -> str:
        return "<Keyring>"

    def token(self, purpose: str, *parts: bytes | str | int | None) -> str:
        """Return the token for this purpose as alphanumeric text; the same parts always give the same token."""
        return _token_of(self._keys[0].digest(purpose, parts))

    def tokens(self, purpose: str, *parts: bytes | str | int | None) -> tuple[str, ...]:
        """Return that token and those that the old keys gave, which still count."""
        return tuple(_token_of(keys.digest(purpose, parts)) for keys in self._keys)

    def is_token(self, given: str, purpose: str, *parts: bytes | str | int | None) -> bool:
        """Return whether the text is one of these tokens."""
        given_hash = hash_of(given)
        return any(
            hmac.compare_digest(given_hash, hash_of(token))
            for token in self.tokens(purpose, *parts)
        )

    def new_nonce(self, random_bytes: RandomBytes) -> bytes:
        """Return a nonce for tokens of the current key."""
        return self._keys[0].id + random_bytes(_NONCE_SIZE)

    def has_key_of(self, nonce: bytes) -> bool:
        """Return whether the key that this nonce was made for is known."""
        return any(nonce.startswith(keys.id) for keys in self._keys)

    def link_token(self, purpose: str, nonce: bytes) -> str:
        """Return the token of a link with the key that its nonce was made for. Raises UnknownKey."""
        return _token_of(self._keys_of(nonce).digest(purpose, (nonce,)))

    def random_bits(self, purpose: str, *parts: bytes | str | int | None) -> bytes:
        """Return 32 bytes that no one can guess without the key; the same parts always give the same bytes."""
        return self._keys[0].digest(purpose, parts)

    def code(self, nonce: bytes) -> str:
        """Return the six digits of a sign-in. Raises UnknownKey."""
        digest = self._keys_of(nonce).digest("sign-in code", (nonce,))
        return f"{int.from_bytes(digest, 'big') % _CODE_COUNT:06d}"

    def code_hash(self, nonce: bytes, code: str) -> bytes:
        """Return the stored hash of a code; keyed, because a million codes are quickly tried. Raises UnknownKey."""
        return self._keys_of(nonce).digest("sign-in code hash", (nonce, code))

    def is_code(self, given: str, nonce: bytes, code_hash: bytes) -> bool:
        """Return whether these digits have the stored hash; none have it if its key is unknown."""
        return self.has_key_of(nonce) and hmac.compare_digest(
            self.code_hash(nonce, given), code_hash
        )

    def message_id(self, *parts: bytes | str | int | None) -> str:
        """Return the Message-ID of an email: impossible to guess (RFC 5322), and the same until the key or the domain changes."""
        digest = self._keys[0].digest("message-id", parts)[:_MESSAGE_ID_SIZE]
        return f"<{_text_of(digest)}@{self._id_domain}>"

    def _keys_of(self, nonce: bytes) -> "_PurposeKeys":
        for keys in self._keys:
            if nonce.startswith(keys.id):
                return keys
        raise UnknownKey


class _PurposeKeys:
    """The keys that are derived from one secret key, each made when it is first needed."""

    def __init__(self, secret: bytes) -> None:
        self.id = derived_key(secret, "key id")[:_KEY_ID_SIZE]
        self._secret = secret
        self._key_by_purpose: dict[str, bytes] = {}

    def digest(self, purpose: str, parts: tuple[bytes | str | int | None, ...]) -> bytes:
        if purpose not in self._key_by_purpose:
            self._key_by_purpose[purpose] = derived_key(self._secret, purpose)
        fields = map(_as_bytes, parts)
        message = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
        return hmac.digest(self._key_by_purpose[purpose], message, "sha256")


def keyring_for(settings: Settings) -> Keyring:
    """Return the keys of these settings."""
    return Keyring(
        settings.secret_key.encode(),
        domain=settings.mail_domain,
        old_secrets=[key.encode() for key in settings.old_secret_keys],
    )


class NewLink(NamedTuple):
    """A link to be sent, as it is stored: a nonce, and the hash of the token that the keys derive from it."""

    nonce: bytes
    token_hash: bytes


class TokenSource(NamedTuple):
    """What new tokens are made from: the installation's keys and a source of random bytes."""

    keys: Keyring
    random_bytes: RandomBytes = secrets.token_bytes

    def new_link(self, purpose: str) -> NewLink:
        """Return a new link; ``keys.link_token(purpose, nonce)`` is its token, so that the stored row alone lets no one in."""
        nonce = self.keys.new_nonce(self.random_bytes)
        return NewLink(nonce, hash_of(self.keys.link_token(purpose, nonce)))


def hash_of(token: str) -> bytes:
    """Return the stored hash of a token, which has enough bits to need no key and no salt."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


def derived_token(token: str) -> str:
    """Return the token that belongs to another one. No one can compute that other one from it, or from a stored hash."""
    return _token_of(hash_of(f"derived from {token}"))


def random_token(random_bytes: RandomBytes, size: int = TOKEN_SIZE) -> str:
    """Return a random token as alphanumeric text."""
    return _text_of(random_bytes(size))


def local_part_of(message_id: str) -> str:
    """Return the part of a Message-ID before the @, which is enough to find its email."""
    return message_id.strip("<>").partition("@")[0]


def slug_of_bytes(random_bytes: bytes) -> str:
    """Return the slug that these random bytes stand for: short and unambiguous to read aloud."""
    number = int.from_bytes(random_bytes[:RANDOM_SLUG_BYTES], "big")
    base = len(_ALPHABET)
    return "".join(_ALPHABET[number // base**digit % base] for digit in range(_SLUG_LENGTH))


def slug_of_token(token: str) -> str:
    """Return the slug of a token that only the server can compute: the same form sent twice gives the same slug."""
    return slug_of_bytes(hash_of(token))


def _token_of(digest: bytes) -> str:
    return _text_of(digest[:TOKEN_SIZE])


def _text_of(token: bytes) -> str:
    """Return bytes as alphanumeric text in lower case (base32), which survives what mail programs do to links and Message-IDs.

    Many leave out punctuation that ends a link, and some change upper into lower case.
    """
    return base64.b32encode(token).decode().rstrip("=").lower()


def _shortened_domain(domain: str) -> str:
    """Return the domain without its first labels, as far as its length requires; the part before the @ is unique anyway."""
    while len(domain) > _MAX_MESSAGE_ID_DOMAIN_LENGTH and domain.count(".") > 1:
        domain = domain.partition(".")[2]
    return domain


def _as_bytes(part: bytes | str | int | None) -> bytes:
    if part is None:
        return b""
    return part if isinstance(part, bytes) else str(part).encode()
