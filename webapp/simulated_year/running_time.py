"""For how long a clock should have run, counted day by day and without the code of the clock itself.

Its own arithmetic, because a check that shares a fault with what it checks finds nothing.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from webapp.pace.calendar import Interval
from webapp.pace.pace import Pace

_DAY = timedelta(days=1)


def running_time(
    pace: Pace, start: datetime, end: datetime, clock_stops: Iterable[Interval]
) -> timedelta:
    """Return the playing time between two instants without the intervals in which the clock is stopped."""
    intervals = _playing_intervals(pace, start, end)
    for stop in clock_stops:
        intervals = [
            remaining_interval
            for interval in intervals
            for remaining_interval in _interval_without_stop(interval, stop)
        ]
    return sum((interval.length for interval in intervals), timedelta())


def _playing_intervals(pace: Pace, start: datetime, end: datetime) -> list[Interval]:
    zone = ZoneInfo(pace.zone)
    day = start.astimezone(zone).date() - _DAY
    intervals: list[Interval] = []
    while datetime.combine(day, time(), zone).astimezone(UTC) < end:
        opens = datetime.combine(day, pace.opens or time(), zone)
        next_midnight = datetime.combine(day + _DAY, time(), zone)
        closes = datetime.combine(day, pace.closes, zone) if pace.closes else next_midnight
        interval = Interval(
            max(start, opens.astimezone(UTC)),
            min(end, closes.astimezone(UTC)),
        )
        if day.weekday() in pace.weekdays and interval.start < interval.end:
            intervals.append(interval)
        day += _DAY
    return intervals


def _interval_without_stop(interval: Interval, stop: Interval) -> list[Interval]:
    """Return what is left of a piece outside of a stop."""
    remaining_intervals = (
        Interval(interval.start, min(interval.end, stop.start)),
        Interval(max(interval.start, stop.end), interval.end),
    )
    return [
        remaining_interval
        for remaining_interval in remaining_intervals
        if remaining_interval.start < remaining_interval.end
    ]
