"""Fast random numbers for rollouts: reproducible from one seed, and of no value for a shuffle that must be fair."""

from collections.abc import MutableSequence
from typing import TypeVar

T = TypeVar("T")

_MULTIPLIER, _INCREMENT, _MASK = 6364136223846793005, 1442695040888963407, (1 << 64) - 1


class Dice:
    """A linear congruential generator of 64 bits, of which the upper half is used."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        """Begin at a seed, any whole number."""
        self._state = seed * _MULTIPLIER + _INCREMENT & _MASK

    def fraction(self) -> float:
        """Return a random number in [0, 1)."""
        self._state = self._state * _MULTIPLIER + _INCREMENT & _MASK
        return (self._state >> 32) / 4294967296.0

    def number_below(self, bound: int) -> int:
        """Return a random number from 0 to below ``bound``."""
        self._state = self._state * _MULTIPLIER + _INCREMENT & _MASK
        return (self._state >> 32) * bound >> 32

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Put the items into a random order."""
        for last_index in range(len(items) - 1, 0, -1):
            picked_index = self.number_below(last_index + 1)
            items[last_index], items[picked_index] = items[picked_index], items[last_index]
