"""The arithmetic of every deadline: from time to a deadline and back. No one adds wall time to a deadline.

``elapsed_time(start, deadline_for(start, t, calendar), calendar) == t``. A deadline lies inside playing time or at its very end:
time that is used up exactly as a window closes ends there, and not when the next one opens.
"""

from datetime import datetime, timedelta

from webapp.clock.pace.calendar import Calendar

_NO_TIME = timedelta(0)


def deadline_for(start: datetime, time: timedelta, calendar: Calendar) -> datetime:
    """Return the first instant at which the clock, started at ``start``, has run for ``time``; ``start`` itself for no time.

    Raises OverflowError if that is after the year 9999.
    """
    if time <= _NO_TIME:
        return start
    if calendar.never_stops:
        return start + time
    time_left = time
    for interval in calendar.intervals(start):
        if time_left <= interval.length:
            return interval.start + time_left
        time_left -= interval.length
    raise OverflowError(time)


def elapsed_time(start: datetime, end: datetime, calendar: Calendar) -> timedelta:
    """Return for how long the clock runs between two instants; no time if ``end`` is not after ``start``."""
    total = _NO_TIME
    if end <= start:
        return total
    if calendar.never_stops:
        return end - start
    for interval in calendar.intervals(start):
        if interval.start >= end:
            break
        total += min(interval.end, end) - interval.start
    return total


def moved_deadline(
    deadline_at: datetime, *, from_at: datetime, to_at: datetime, calendar: Calendar
) -> datetime:
    """Return the deadline that leaves at ``to_at`` as much time as this one leaves at ``from_at``."""
    return deadline_for(to_at, elapsed_time(from_at, deadline_at, calendar), calendar)


def has_passed(deadline: datetime, *, now: datetime) -> bool:
    """Return whether a deadline has passed; at its very instant it has."""
    return deadline <= now
