"""Logs that the clock of this worker is wrong: one error an hour for a clock that is ahead, and one for a clock that is behind."""

import logging
from datetime import datetime, timedelta
from threading import Lock
from typing import Final, Literal, TypeAlias

from webapp.logs.fields import event_fields

Direction: TypeAlias = Literal["ahead of", "behind"]
_MIN_LOG_INTERVAL: Final = timedelta(hours=1)
_log = logging.getLogger(__name__)


class ClockAlarm:
    """Remembers when it last logged each direction; shared by all threads of a process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._logged_at: dict[Direction, datetime] = {}

    def raise_alarm(self, difference: timedelta, *, now: datetime) -> None:
        """Log how far the clock is ahead of the database's (negative: behind) at ``now``, in the time of the database."""
        direction: Direction = "ahead of" if difference > timedelta(0) else "behind"
        with self._lock:
            logged_at = self._logged_at.get(direction)
            if logged_at is not None and now - logged_at < _MIN_LOG_INTERVAL:
                return
            self._logged_at[direction] = now
        _log.error(
            "The clock of this machine is %s %s the database's: this worker plays no turn, sends no email "
            "and deletes nothing. Synchronise both machines with NTP.",
            abs(difference),
            direction,
            extra=event_fields(
                "alarm", alarm="wrong-clock", seconds_ahead=int(difference.total_seconds())
            ),
        )
