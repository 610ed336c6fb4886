"""The initials of the players of one game: at most two characters each, and different ones, so that colour is never needed to tell them apart."""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count
from typing import Final

_LOOKALIKES: Final = str.maketrans(
    "авекмнорстухіїјѕєαβεζηικμνορτυχ", "abekmhopctyxiijseabezhikmnoptyx"
)
"""Cyrillic and Greek characters whose small or capital form looks like a Latin one."""


@lru_cache(maxsize=256)
def player_initials(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the initials of players, whose names are given in the order of their seats.

    One character if no one else has it, or else two: ``An`` and ``Al`` for Anna and Alice. Without a name it is the number of the seat.
    """
    characters_by_seat = [_characters_of(name) for name in names]
    first_counts = Counter(_looks(characters[0]) for characters in characters_by_seat if characters)
    looks_taken: set[str] = set()
    initials: list[str] = []
    for seat, characters in enumerate(characters_by_seat):
        is_unique = bool(characters) and first_counts[_looks(characters[0])] == 1
        candidates = _candidates(characters, seat, is_unique=is_unique)
        chosen = next(text for text in candidates if _looks(text) not in looks_taken)
        looks_taken.add(_looks(chosen))
        initials.append(chosen)
    return tuple(initials)


def _candidates(characters: Sequence[str], seat: int, *, is_unique: bool) -> Iterator[str]:
    """Yield what can stand for a player, the best first."""
    if characters:
        capital = _capital(characters[0])
        if is_unique:
            yield capital
        yield from (capital + character.lower() for character in characters[1:])
        yield f"{capital}{(seat + 1) % 10}"
    yield from map(str, count(seat + 1))


def _characters_of(name: str) -> list[str]:
    """Return the alphanumeric characters of a name, each with the marks that belong to it."""
    characters: list[str] = []
    for character in unicodedata.normalize("NFC", name):
        if character.isalnum():
            characters.append(character)
        elif characters and unicodedata.category(character).startswith("M"):
            characters[-1] += character
    return characters


def _capital(character: str) -> str:
    capital = character.upper()
    return capital if len(capital) == len(character) else character


def _looks(text: str) -> str:
    """Return the same text for initials that look the same."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_LOOKALIKES)
