"""C6: times, orders and counts of what happens by itself tell nothing about roles; `dev.py bench role_timing` asks a classifier."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from tests.support.timed_games import (
    KINDS,
    SeatObservation,
    answer_when_decided,
    play_and_observe_seats,
)

GAME_COUNT = 200
LARGEST_DEVIATION = 4.5
"""The limit of a deviation in standard errors; about one seed in two thousand exceeds it."""


def test_times_orders_and_counts_are_those_of_both_roles() -> None:
    deviations = list(_deviations(play_and_observe_seats(GAME_COUNT, seed=1)))
    assert len(deviations) == len(KINDS) * 9
    assert max(map(abs, deviations)) < LARGEST_DEVIATION


def test_comparison_finds_bots_that_answer_when_they_have_decided() -> None:
    rows = play_and_observe_seats(GAME_COUNT, seed=1, bot_answer=answer_when_decided)
    assert max(map(abs, _deviations(rows))) > 2 * LARGEST_DEVIATION


def _deviations(rows: Sequence[SeatObservation]) -> Iterator[float]:
    """Yield for each kind of player and each feature by how many standard errors the ranks of saboteurs are off."""
    for kind in KINDS:
        rows_of_kind = [row for row in rows if row.kind == kind]
        for index in range(len(rows[0].features)):
            yield _rank_deviation(
                [row.features[index] for row in rows_of_kind if row.is_saboteur],
                [row.features[index] for row in rows_of_kind if not row.is_saboteur],
            )


def _rank_deviation(first_sample: Sequence[float], second_sample: Sequence[float]) -> float:
    """Return the deviation of Mann and Whitney's statistic from chance; equal values share their mean rank."""
    first_size, second_size = len(first_sample), len(second_sample)
    values = sorted(
        (value, is_first)
        for is_first, sample in enumerate((second_sample, first_sample))
        for value in sample
    )
    rank_sum, rank, tie_sum = 0.0, 0, 0
    for _, group in groupby(values, key=lambda entry: entry[0]):
        flags = [is_first for _, is_first in group]
        rank_sum += sum(flags) * (rank + (len(flags) + 1) / 2)
        rank += len(flags)
        tie_sum += len(flags) ** 3 - len(flags)
    size = first_size + second_size
    variance = first_size * second_size / 12 * (size + 1 - tie_sum / (size * (size - 1)))
    mean = first_size * (size + 1) / 2
    return (rank_sum - mean) / variance**0.5 if variance else 0.0
