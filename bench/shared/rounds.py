"""How everything here is measured: the anchor just before and just after the subject, and again."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

ROUNDS = 3
S = TypeVar("S")
A = TypeVar("A")


class Load(NamedTuple):
    """What clients met with: requests a second, and seconds that one of them took."""

    per_second: float
    p50: float
    p99: float


def interleaved(
    subject: Callable[[], S], anchor: Callable[[], A], rounds: int = ROUNDS
) -> list[tuple[S, A, A]]:
    """The subject of each round, with the anchors just before and just after it."""
    measured = []
    before = anchor()
    for _ in range(rounds):
        ours = subject()
        after = anchor()
        measured.append((ours, before, after))
        before = after
    return measured


def pairs(
    rounds: Sequence[tuple[S, A, A]], ours: Callable[[S], float], theirs: Callable[[A], float]
) -> list[tuple[float, float]]:
    """Of each round one figure, beside the mean of the anchors around it."""
    return [(ours(one), (theirs(before) + theirs(after)) / 2) for one, before, after in rounds]


def quantile(values: Sequence[float], place: float) -> float:
    """The value at a place from 0 to 1 of all of them in order."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(place * len(ordered)))]
