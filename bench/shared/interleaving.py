"""Interleaved rounds: the anchor is measured just before and just after the subject."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

REPETITIONS = 3
S = TypeVar("S")
A = TypeVar("A")


class LoadResult(NamedTuple):
    """Results of a load: requests per second, and p50 and p99 of the seconds of one request."""

    per_second: float
    p50: float
    p99: float


def interleaved(
    subject: Callable[[], S], anchor: Callable[[], A], rounds: int = REPETITIONS
) -> list[tuple[S, A, A]]:
    """Return for each round the subject and the anchors just before and just after it."""
    measured = []
    before = anchor()
    for _ in range(rounds):
        measured_subject = subject()
        after = anchor()
        measured.append((measured_subject, before, after))
        before = after
    return measured


def pairs(
    rounds: Sequence[tuple[S, A, A]], subject: Callable[[S], float], anchor: Callable[[A], float]
) -> list[tuple[float, float]]:
    """Return for each round a figure of the subject and the mean of the anchors around it."""
    return [(subject(one), (anchor(before) + anchor(after)) / 2) for one, before, after in rounds]


def quantile(values: Sequence[float], fraction: float) -> float:
    """Return the value below which this fraction (0 to 1) of the sorted values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(fraction * len(ordered)))]
