"""Periods as people state them, in days and times of their own time zone, and when these begin and end."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from webapp.kernel.refusals import FieldError

_ONE_DAY: Final = timedelta(days=1)


class LocalPeriod(msgspec.Struct, frozen=True, kw_only=True):
    """A period from one day to another, both included, or between times of those days."""

    first_day: date
    first_time: time | None = None
    """None is the beginning of the first day."""
    last_day: date
    last_time: time | None = None
    """None is the end of the last day."""


def local_day(at: datetime, zone: ZoneInfo) -> date:
    """Return the day that an instant belongs to in a zone."""
    return at.astimezone(zone).date()


def beginning_of(period: LocalPeriod, zone: ZoneInfo) -> datetime:
    """Return when a period begins; of a time that comes twice, the first."""
    return _instant(period.first_day, period.first_time or time(), zone, fold=0)


def end_of(period: LocalPeriod, zone: ZoneInfo) -> datetime:
    """Return when a period ends; of a time that comes twice, the second."""
    if period.last_time is None:
        return _instant(period.last_day + _ONE_DAY, time(), zone, fold=0)
    return _instant(period.last_day, period.last_time, zone, fold=1)


def skipped_time_errors(period: LocalPeriod, zone: ZoneInfo) -> list[FieldError]:
    """Return which times do not exist, because the clocks go forward over them on that day."""
    local_times = {
        "first_time": (period.first_day, period.first_time),
        "last_time": (period.last_day, period.last_time),
    }
    return [
        FieldError(field, "skipped")
        for field, (day, time_of_day) in local_times.items()
        if time_of_day is not None and _is_skipped(day, time_of_day, zone)
    ]


def _is_skipped(day: date, time_of_day: time, zone: ZoneInfo) -> bool:
    local_time = datetime.combine(day, time_of_day, zone)
    return local_time.astimezone(UTC).astimezone(zone).time() != time_of_day


def _instant(day: date, time_of_day: time, zone: ZoneInfo, *, fold: int) -> datetime:
    return datetime.combine(day, time_of_day.replace(fold=fold), zone).astimezone(UTC)
