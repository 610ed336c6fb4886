"""Paces as hosts and clubs choose them: what is wrong with one, and how long a round takes with it."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from webapp.clock.pace.calendar import Calendar, elapsed_time
from webapp.clock.pace.pace import (
    MAX_BANK,
    MAX_TIME_PER_TURN,
    MAX_TURN_LENGTH,
    MIN_TIME_PER_TURN,
    MIN_WINDOW,
    Pace,
    pace_errors,
)
from webapp.clock.queries import reliability
from webapp.kernel.refusals import FieldError
from webapp.kernel.system_time import known_zones
from webapp.kernel.tx import Tx

TIME_PER_TURN_FIELD: Final = "allowance"
TURNS_PER_ROUND: Final = 55
"""The turns of all seats together: 50 to 57 with three to ten players, in 60 simulated games each.

More players have fewer turns each.
"""
TYPICAL_ANSWER_SHARE: Final = 1 / 6
"""The share of the time per turn after which half of all turns are taken: four hours of a day, as other sites have measured."""
_ANY_MONDAY: Final = datetime(2001, 1, 1, tzinfo=UTC)
_WEEK: Final = timedelta(weeks=1)
_ANSWER_TIMES_PERIOD: Final = timedelta(days=180)
"""How far back answers of a player count for a forecast."""
_ERROR_PARAMS: Final[dict[tuple[str, str], dict[str, str | int]]] = {
    ("time_per_turn", "out-of-range"): {
        "low": MIN_TIME_PER_TURN // timedelta(minutes=1),
        "high": MAX_TIME_PER_TURN // timedelta(minutes=1),
    },
    ("bank", "out-of-range"): {"low": 0, "high": MAX_BANK // timedelta(hours=1)},
    ("closes", "too-short"): {"min": MIN_WINDOW // timedelta(minutes=1)},
    ("weekdays", "too-slow"): {"max": MAX_TURN_LENGTH.days},
}


def pace_field_errors(pace: Pace) -> list[FieldError]:
    """Return why no game can have this pace, if anything, by field of the form."""
    return [
        FieldError(
            TIME_PER_TURN_FIELD if error.field == "time_per_turn" else error.field,
            error.code,
            _ERROR_PARAMS.get((error.field, error.code), {}),
        )
        for error in pace_errors(pace, known_zones())
    ]


def median_answer_times(tx: Tx, account_ids: Sequence[int]) -> list[timedelta]:
    """Return the median answer times of those players who have taken some turns lately."""
    return reliability.median_answer_times(tx, account_ids, since=tx.now - _ANSWER_TIMES_PERIOD)


def expected_round_time(
    seats: int, pace: Pace, median_answer_times: Sequence[timedelta] = ()
) -> timedelta:
    """Return how long a round takes by the calendar.

    ``median_answer_times`` are those of the players of whom they are known, by the calendar too; the others are taken to
    answer after a typical share of their time.
    """
    known_times = [min(time, _max_answer_time(pace)) for time in median_answer_times[:seats]]
    typical_time = _calendar_time(pace.time_per_turn * TYPICAL_ANSWER_SHARE, pace)
    answer_times = sum(known_times, typical_time * (seats - len(known_times)))
    return answer_times / seats * TURNS_PER_ROUND


def _max_answer_time(pace: Pace) -> timedelta:
    """Return the longest that an answer takes in the long run: the bank only helps now and then."""
    return _calendar_time(pace.time_per_turn, pace)


def _calendar_time(playing_time: timedelta, pace: Pace) -> timedelta:
    """Return how long this much playing time takes by the calendar, on average."""
    playing_week = elapsed_time(_ANY_MONDAY, _ANY_MONDAY + _WEEK, Calendar(pace.playing))
    return playing_time * (_WEEK / playing_week)
