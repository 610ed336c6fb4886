"""Slugs of games and clubs: short, unambiguous to read aloud, and too many to guess."""

from typing import Final

from webapp.services.keys import hash_of

RANDOM_SLUG_BYTES: Final = 8
_ALPHABET: Final = "23456789abcdefghijkmnpqrstuvwxyz"
_SLUG_LENGTH: Final = 12
"""Characters of a slug: 60 bits, so that no one finds a game by guessing."""


def slug_of_bytes(random_bytes: bytes) -> str:
    """Return the slug that these random bytes stand for."""
    number = int.from_bytes(random_bytes[:RANDOM_SLUG_BYTES], "big")
    base = len(_ALPHABET)
    return "".join(_ALPHABET[number // base**digit % base] for digit in range(_SLUG_LENGTH))


def slug_of_token(token: str) -> str:
    """Return the slug of a token that only the server can compute: the same form sent twice gives the same slug."""
    return slug_of_bytes(hash_of(token))
