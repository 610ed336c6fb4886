"""Random words that the server suggests to a player, so that no one adds nothing by mistake."""

from collections.abc import Iterator
from typing import Final

from webapp.services.accounts.person import Person
from webapp.services.keys import Keyring
from webapp.services.play.access import LoadedGame

_SUGGESTION_SIZE: Final = 16
"""Bytes in a suggestion: 128 bits."""
_CONSONANTS: Final = "bdfghjklmnprstvz"
_VOWELS: Final = "aiou"


def suggested_words(keys: Keyring, game: LoadedGame, person: Person) -> str:
    """Return eight words of 16 bits each for a player of a game, the same whenever the page is loaded.

    The secrets of the deal are drawn and committed to before anyone sees these words, and their commitments go into them.
    """
    seed = keys.random_bits("random words", game.slug, game.row.commitments, person.id)
    return " ".join(_words(seed[:_SUGGESTION_SIZE]))


def salt_of_seat(keys: Keyring, game: LoadedGame, person: Person) -> str:
    """Return the words that a player has added to the shuffles, or else the suggested ones; empty without a seat."""
    seat = game.seat_of(person)
    if seat is None:
        return ""
    return bytes.fromhex(game.row.seats[seat].salt).decode() or suggested_words(keys, game, person)


def _words(seed: bytes) -> Iterator[str]:
    """Yield a word that can be read aloud for every two bytes: consonants of four bits, vowels of two."""
    for start in range(0, len(seed), 2):
        bits = int.from_bytes(seed[start : start + 2], "big")
        yield (
            _CONSONANTS[bits >> 12]
            + _VOWELS[bits >> 10 & 3]
            + _CONSONANTS[bits >> 6 & 15]
            + _VOWELS[bits >> 4 & 3]
            + _CONSONANTS[bits & 15]
        )
