"""Shuffles that anyone can reproduce, in any programming language. The algorithm never changes.

This is how ``items`` are shuffled under a ``label`` with a 32-byte ``secret`` and a byte string ``record``:

1. The *opening* is ``u32(len(record)) record u32(len(label)) label``: lengths in bytes as big-endian unsigned 32-bit
   numbers, the label in UTF-8.
2. Block number ``k`` (0, 1, 2 ...) is HMAC-SHA-256 with the secret as key over the opening followed by ``k`` as a
   big-endian unsigned 64-bit number. Its 32 bytes are eight *draws*, big-endian unsigned 32-bit numbers from left to
   right. The draws of all blocks form one endless sequence; every label begins at block 0.
3. A number below ``n`` is computed from the next draw ``d``: if ``d`` is not below the largest multiple of ``n`` that is at
   most 2**32, it is rejected and the next draw is used; otherwise the number is ``d mod n``.
4. For ``last`` from the last index down to 1: compute a number below ``last + 1``, and swap the item at it with that at ``last``.

``tests/rules/test_provable_shuffle.py`` pins test vectors and reproduces them with an independent implementation of this text.
"""

import hmac
from collections.abc import Iterator, Sequence
from functools import lru_cache
from struct import Struct
from typing import Final, Protocol, TypeVar

from engine.commitments import Secrets, length_prefixed

T = TypeVar("T")

_EIGHT_NUMBERS_STRUCT: Final = Struct(">8I")
_NUMBER_RANGE: Final = 1 << 32


class Chance(Protocol):
    """The source of all chance. The same label always gives the same order, so every use has its own label."""

    def shuffled(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        """Return the items in random order; every order is equally likely."""
        ...


class ProvableChance:
    """The chance of a real game, from the secret of the label and the freeze record."""

    def __init__(self, secrets: Secrets, record: bytes) -> None:
        """Use the four secrets of a game and its freeze record (see :mod:`engine.commitments`)."""
        self._secrets = secrets
        self._record = record

    def shuffled(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        """Shuffle with the secret of the label. Raises ValueError if no secret belongs to it."""
        return shuffle(items, drawn_numbers(self._secrets.secret_for(label), self._record, label))


class SeededChance:
    """Reproducible chance from a seed, which is the key of every label; for benchmarks and tests."""

    def __init__(self, seed: bytes) -> None:
        """Use any byte string as the seed."""
        self._seed = seed

    def shuffled(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        """Shuffle with the seed."""
        return shuffle(items, drawn_numbers(self._seed, b"", label))


def drawn_numbers(key: bytes, record: bytes, label: str) -> Iterator[int]:
    """Yield the endless sequence of draws below 2**32 for a key, a record and a label (steps 1 and 2)."""
    message_prefix = length_prefixed(record) + length_prefixed(label.encode())
    block_number = 0
    while True:
        message = message_prefix + block_number.to_bytes(8, "big")
        yield from _EIGHT_NUMBERS_STRUCT.unpack(hmac.digest(key, message, "sha256"))
        block_number += 1


def shuffle(items: Sequence[T], numbers: Iterator[int]) -> tuple[T, ...]:
    """Return the items in the order of a Fisher-Yates shuffle with rejection, from draws below 2**32 (steps 3 and 4)."""
    shuffled_items = list(items)
    # zip stops at the end of its first argument without taking another draw.
    for (number_span, limit), first_number in zip(
        _spans_and_limits(len(shuffled_items)), numbers, strict=False
    ):
        drawn_number = first_number
        while drawn_number >= limit:
            drawn_number = next(numbers)
        picked_position, last_position = drawn_number % number_span, number_span - 1
        shuffled_items[last_position], shuffled_items[picked_position] = (
            shuffled_items[picked_position],
            shuffled_items[last_position],
        )
    return tuple(shuffled_items)


@lru_cache
def _spans_and_limits(count: int) -> tuple[tuple[int, int], ...]:
    """Return for each step of a shuffle the number of items left and the lowest draw that is rejected."""
    return tuple(
        (number_span, _NUMBER_RANGE - _NUMBER_RANGE % number_span)
        for number_span in range(count, 1, -1)
    )
