"""What is derived from the one key of an installation, so that nothing live has to lie in the database.

A token is an HMAC over what it is for and a random nonce kept in the row; the row itself holds the token's hash alone. Whoever
reads the database can neither sign in nor answer for somebody, and a letter that is written later still knows its token.
"""

import base64
import hashlib
import hmac
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

Tokens: TypeAlias = Callable[[int], bytes]
"""Random bytes of a given number: ``secrets.token_bytes``, or a test's own."""

TOKEN_SIZE: Final = 24
"""Bytes in a token that travels: 192 bits."""
_MESSAGE_ID_SIZE: Final = 16
_LONGEST_ID_DOMAIN: Final = 40
"""With 26 signs, brackets and an @ it makes 69: under 70 nobody folds the line of an id."""
_CODES: Final = 1_000_000


class Keyring:
    """The installation's key, and the domain under which its Message-IDs are made."""

    def __init__(self, secret: bytes, *, domain: str) -> None:
        self._secret = secret
        self.domain = domain
        self._id_domain = _with_room(domain)

    def __repr__(self) -> str:
        return "<Keyring>"

    def token(self, purpose: str, *parts: bytes | str | int | None) -> str:
        """The token for this purpose, as URL-safe text; the same parts always give the same token."""
        return base64.urlsafe_b64encode(self._digest(purpose, parts)[:TOKEN_SIZE]).decode()

    def code(self, nonce: bytes) -> str:
        """The six digits that belong to a sign-in."""
        return f"{int.from_bytes(self._digest('sign-in code', (nonce,)), 'big') % _CODES:06d}"

    def code_hash(self, nonce: bytes, code: str) -> bytes:
        """What is kept of six digits: keyed, because a million guesses are quickly made."""
        return self._digest("sign-in code hash", (nonce, code))

    def message_id(self, *parts: bytes | str | int | None) -> str:
        """The Message-ID of a letter: the same on every retry, and nothing that can be guessed (RFC 5322).

        In base32, which is short and the same to programs that mind upper case and to those that do not.
        """
        digest = self._digest("message-id", parts)[:_MESSAGE_ID_SIZE]
        return f"<{base64.b32encode(digest).decode().rstrip('=').lower()}@{self._id_domain}>"

    def _digest(self, purpose: str, parts: tuple[bytes | str | int | None, ...]) -> bytes:
        fields = (purpose.encode(), *map(_as_bytes, parts))
        message = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
        return hmac.digest(self._secret, message, "sha256")


class TokenSource(NamedTuple):
    """What new tokens are made from: the installation's keys and its source of random bytes."""

    keys: Keyring
    random_bytes: Tokens


def hash_of(token: str) -> bytes:
    """What is kept of a token: it has enough bits to need no key and no salt."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


def random_text(tokens: Tokens, size: int = TOKEN_SIZE) -> str:
    """A random token as URL-safe text."""
    return base64.urlsafe_b64encode(tokens(size)).decode().rstrip("=")


def same(one: bytes, other: bytes) -> bool:
    """Compare two secrets without telling by the time taken where they differ."""
    return hmac.compare_digest(one, other)


def _with_room(domain: str) -> str:
    """The domain, or what is left of it without its foremost names: what stands before the @ is unique without it."""
    while len(domain) > _LONGEST_ID_DOMAIN and domain.count(".") > 1:
        domain = domain.partition(".")[2]
    return domain


def _as_bytes(part: bytes | str | int | None) -> bytes:
    if part is None:
        return b""
    return part if isinstance(part, bytes) else str(part).encode()
