"""Absences as intervals: until when someone is away, and what of it stops a clock that may only be stopped for so long."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from webapp.clock.pace.calendar import Calendar, Interval, PlayingTime

_NO_TIME = timedelta(0)


def away_until(absences: Iterable[Interval], now: datetime) -> datetime | None:
    """Return until when someone is away who has these absences; None if they are not away now."""
    away_end = None
    for absence in sorted(absences):
        if absence.start <= (away_end or now) < absence.end:
            away_end = absence.end
    return away_end


def capped_absences(
    absences: Iterable[Interval], playing: PlayingTime, start: datetime, max_away_time: timedelta
) -> tuple[Interval, ...]:
    """Return the absences from ``start`` on, cut off where they have taken ``max_away_time`` of playing time.

    What two absences have in common counts once.
    """
    capped_intervals: list[Interval] = []
    time_left, at = max_away_time, start
    for absence in sorted(absences):
        begins_at = max(absence.start, at)
        if absence.end <= begins_at or time_left <= _NO_TIME:
            continue
        interval, time_left = _cut_absence(Interval(begins_at, absence.end), playing, time_left)
        capped_intervals.append(interval)
        at = interval.end
    return tuple(capped_intervals)


def _cut_absence(
    absence: Interval, playing: PlayingTime, max_time: timedelta
) -> tuple[Interval, timedelta]:
    """Return an absence without what comes after it has taken ``max_time`` of playing time, and how much of that is left."""
    time_left = max_time
    for window in Calendar(playing).intervals(absence.start):
        if window.start >= absence.end:
            break
        used_time = min(window.end, absence.end) - window.start
        if used_time >= time_left:
            return Interval(absence.start, window.start + time_left), _NO_TIME
        time_left -= used_time
    return absence, time_left
