"""Shuffles that anyone can repeat, in any language, for ever.

How ``items`` are shuffled under a ``label`` with a 32-byte ``secret`` and a byte string ``record``:

1. The *opening* is ``u32(len(record)) record u32(len(label)) label``: lengths in bytes as big-endian unsigned 32-bit
   numbers, the label in UTF-8.
2. Block number ``k`` (0, 1, 2 ...) is HMAC-SHA-256 with the secret as key over the opening followed by ``k`` as a
   big-endian unsigned 64-bit number. Its 32 bytes are eight *draws*, big-endian unsigned 32-bit numbers from left to
   right. The draws of all blocks in a row are one endless sequence; every label begins at block 0.
3. A number below ``n`` is made from the next draw ``d``: if ``d`` is not below the largest multiple of ``n`` that is at
   most 2**32, it is thrown away and the next is taken; else the number is ``d mod n``.
4. For ``last`` from the last index down to 1: make a number below ``last + 1`` and swap the items at it and at ``last``.

``tests/rules/test_shuffle.py`` pins vectors and repeats them with a second implementation made from this text alone.
"""

import hmac
from collections.abc import Iterator, Sequence
from functools import lru_cache
from struct import Struct
from typing import Final, Protocol, TypeVar

from engine.fairness import Secrets, length_prefixed

T = TypeVar("T")

_DRAWS: Final = Struct(">8I")
_SPACE: Final = 1 << 32


class Chance(Protocol):
    """Where all chance comes from. The same label gives the same order every time, so every use has its own label."""

    def shuffled(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        """The items in a random order, every order being equally likely."""
        ...


class ProvableChance:
    """The chance of a real game: the secret that the label belongs to, mixed with what the table froze."""

    def __init__(self, secrets: Secrets, record: bytes) -> None:
        """Take a game's four secrets and its freeze record (see :mod:`engine.fairness`)."""
        self._secrets = secrets
        self._record = record

    def shuffled(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        """Shuffle with the secret of the label. Raises ValueError when no secret belongs to it."""
        return shuffle(items, draws(self._secrets.of(label), self._record, label))


class SeededChance:
    """Chance from a seed, for simulations, bots and tests: the same machinery, the seed being the key of every label."""

    def __init__(self, seed: bytes) -> None:
        """Take any byte string as the seed."""
        self._seed = seed

    def shuffled(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        """Shuffle with the seed."""
        return shuffle(items, draws(self._seed, b"", label))


def draws(key: bytes, record: bytes, label: str) -> Iterator[int]:
    """The endless sequence of numbers below 2**32 that belongs to a key, a record and a label (steps 1 and 2)."""
    opening = length_prefixed(record) + length_prefixed(label.encode())
    block = 0
    while True:
        message = opening + block.to_bytes(8, "big")
        yield from _DRAWS.unpack(hmac.digest(key, message, "sha256"))
        block += 1


def shuffle(items: Sequence[T], numbers: Iterator[int]) -> tuple[T, ...]:
    """Shuffle by Fisher and Yates with rejection, from numbers below 2**32 (steps 3 and 4)."""
    order = list(items)
    # The spans come first, so that no number is taken once they have run out.
    for (span, fair), number in zip(_spans(len(order)), numbers, strict=False):
        draw = number
        while draw >= fair:
            draw = next(numbers)
        pick, last = draw % span, span - 1
        order[last], order[pick] = order[pick], order[last]
    return tuple(order)


@lru_cache
def _spans(count: int) -> tuple[tuple[int, int], ...]:
    """How many items are still to choose from, step by step, and below what a draw is fair then."""
    return tuple((span, _SPACE - _SPACE % span) for span in range(count, 1, -1))
