"""Interleaved rounds: the anchor is measured just before and just after the subject."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

REPETITION_COUNT = 3
SubjectResult = TypeVar("SubjectResult")
AnchorResult = TypeVar("AnchorResult")


class LoadResult(NamedTuple):
    """Results of a load: requests per second, and p50 and p99 of the seconds of one request."""

    per_second: float
    p50_seconds: float
    p99_seconds: float


def interleaved_rounds(
    subject: Callable[[], SubjectResult],
    anchor: Callable[[], AnchorResult],
    round_count: int = REPETITION_COUNT,
) -> list[tuple[SubjectResult, AnchorResult, AnchorResult]]:
    """Return for each round the subject and the anchors just before and just after it."""
    measured_rounds = []
    result_before = anchor()
    for _ in range(round_count):
        subject_result = subject()
        result_after = anchor()
        measured_rounds.append((subject_result, result_before, result_after))
        result_before = result_after
    return measured_rounds


def figure_and_anchor_pairs(
    rounds: Sequence[tuple[SubjectResult, AnchorResult, AnchorResult]],
    subject: Callable[[SubjectResult], float],
    anchor: Callable[[AnchorResult], float],
) -> list[tuple[float, float]]:
    """Return for each round a figure of the subject and the mean of the anchors around it."""
    return [
        (subject(subject_result), (anchor(result_before) + anchor(result_after)) / 2)
        for subject_result, result_before, result_after in rounds
    ]


def quantile(values: Sequence[float], fraction: float) -> float:
    """Return the value below which this fraction (0 to 1) of the sorted values lies."""
    sorted_values = sorted(values)
    return sorted_values[min(len(sorted_values) - 1, int(fraction * len(sorted_values)))]
