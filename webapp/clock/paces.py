"""Paces as hosts and clubs choose them: what is wrong with one, and how long a round takes with it."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

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
