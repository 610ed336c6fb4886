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
    pace: Pace, start: datetime, end: datetime, stopped: Iterable[Interval]
) -> timedelta:
    """Return the playing time between two instants without the intervals in which the clock is stopped."""
    pieces = _playing_pieces(pace, start, end)
    for stop in stopped:
        pieces = [rest for piece in pieces for rest in _without(piece, stop)]
    return sum((piece.length for piece in pieces), timedelta())


def _playing_pieces(pace: Pace, start: datetime, end: datetime) -> list[Interval]:
    zone = ZoneInfo(pace.zone)
    day = start.astimezone(zone).date() - _DAY
    pieces: list[Interval] = []
    while datetime.combine(day, time(), zone).astimezone(UTC) < end:
        opens = datetime.combine(day, pace.opens or time(), zone)
        next_midnight = datetime.combine(day + _DAY, time(), zone)
        closes = datetime.combine(day, pace.closes, zone) if pace.closes else next_midnight
        piece = Interval(
            max(start, opens.astimezone(UTC)),
            min(end, closes.astimezone(UTC)),
        )
        if day.weekday() in pace.weekdays and piece.start < piece.end:
            pieces.append(piece)
        day += _DAY
    return pieces


def _without(piece: Interval, stop: Interval) -> list[Interval]:
    """Return what is left of a piece outside of a stop."""
    rests = (
        Interval(piece.start, min(piece.end, stop.start)),
        Interval(max(piece.start, stop.end), piece.end),
    )
    return [rest for rest in rests if rest.start < rest.end]
