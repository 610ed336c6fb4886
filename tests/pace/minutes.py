"""Playing time counted minute by minute, by looking at a clock on the wall: an independent reading of the rules."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from webapp.pace.calendar import Calendar, PlayingTime

MINUTE = timedelta(minutes=1)


def minutes_that_count(calendar: Calendar, since: datetime, days: int) -> list[datetime]:
    """Return the minutes of these days in which the clock runs; every instant here is on a whole minute."""
    first_minute = since - timedelta(days=3)
    minutes = [first_minute + number * MINUTE for number in range((days + 6) * 24 * 60)]
    playing_minutes = _playing_minutes(calendar.playing, minutes)
    return [
        at
        for at in minutes
        if since <= at < since + timedelta(days=days)
        and at in playing_minutes
        and not any(absence.start <= at < absence.end for absence in calendar.away)
    ]


def _playing_minutes(playing: PlayingTime, minutes: list[datetime]) -> set[datetime]:
    if playing.is_always:
        return set(minutes)
    zone = ZoneInfo(playing.zone)
    wall_times = [at.astimezone(zone).replace(tzinfo=None, fold=0) for at in minutes]
    found_minutes: set[datetime] = set()
    for first, last in _windows_on_the_wall(
        playing, {wall_time.date() for wall_time in wall_times}
    ):
        opens = next(
            (number for number, wall_time in enumerate(wall_times) if wall_time >= first), None
        )
        if opens is None:
            continue
        shown = [number for number, wall_time in enumerate(wall_times) if wall_time == last]
        later = [number for number, wall_time in enumerate(wall_times) if wall_time > last]
        closes = shown[-1] if shown else min(later, default=len(minutes))
        found_minutes |= set(minutes[opens:closes])
    return found_minutes


def _windows_on_the_wall(
    playing: PlayingTime, dates: set[date]
) -> Iterator[tuple[datetime, datetime]]:
    opens, closes = playing.opens or time(), playing.closes or time()
    all_dates = {on + timedelta(days=gap) for on in dates for gap in (-1, 0, 1)}
    for on in sorted(all_dates):
        if on.weekday() in playing.weekdays:
            last = on if opens < closes else on + timedelta(days=1)
            yield datetime.combine(on, opens), datetime.combine(last, closes)


def at_utc(text: str) -> datetime:
    """Return an instant from text like ``2026-03-29 01:30``."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
