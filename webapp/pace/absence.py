"""Absences as intervals: until when someone is away, and what of it stops a clock that may only be stopped for so long."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from webapp.pace.calendar import Calendar, Interval, PlayingTime

_NO_TIME = timedelta(0)


def away_until(away: Iterable[Interval], now: datetime) -> datetime | None:
    """Return until when someone is away who has these absences; None if they are not away now."""
    until = None
    for absence in sorted(away):
        if absence.start <= (until or now) < absence.end:
            until = absence.end
    return until


def capped_absences(
    away: Iterable[Interval], playing: PlayingTime, start: datetime, cap: timedelta
) -> tuple[Interval, ...]:
    """Return the absences from ``start`` on, cut off where they have taken ``cap`` of playing time.

    What two absences have in common counts once.
    """
    kept: list[Interval] = []
    left, at = cap, start
    for absence in sorted(away):
        begins_at = max(absence.start, at)
        if absence.end <= begins_at or left <= _NO_TIME:
            continue
        interval, left = _cut(Interval(begins_at, absence.end), playing, left)
        kept.append(interval)
        at = interval.end
    return tuple(kept)


def _cut(absence: Interval, playing: PlayingTime, most: timedelta) -> tuple[Interval, timedelta]:
    """Return an absence without what comes after it has taken ``most`` of playing time, and how much of that is left."""
    left = most
    for window in Calendar(playing).intervals(absence.start):
        if window.start >= absence.end:
            break
        taken = min(window.end, absence.end) - window.start
        if taken >= left:
            return Interval(absence.start, window.start + left), _NO_TIME
        left -= taken
    return absence, left
