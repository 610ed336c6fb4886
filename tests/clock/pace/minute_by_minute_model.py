"""Playing time counted minute by minute, by looking at a clock on the wall: an independent reading of the rules."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from webapp.clock.pace.calendar import Calendar, PlayingTime

MINUTE = timedelta(minutes=1)


def minutes_of_running_clock(calendar: Calendar, since: datetime, days: int) -> list[datetime]:
    """Return the minutes of these days in which the clock runs; every instant here is on a whole minute."""
    first_minute = since - timedelta(days=3)
    minutes = [first_minute + number * MINUTE for number in range((days + 6) * 24 * 60)]
    playing_minutes = _playing_minutes(calendar.playing, minutes)
    return [
        minute
        for minute in minutes
        if since <= minute < since + timedelta(days=days)
        and minute in playing_minutes
        and not any(absence.start <= minute < absence.end for absence in calendar.away)
    ]


def _playing_minutes(playing: PlayingTime, minutes: list[datetime]) -> set[datetime]:
    if playing.is_unlimited:
        return set(minutes)
    zone = ZoneInfo(playing.zone)
    wall_times = [minute.astimezone(zone).replace(tzinfo=None, fold=0) for minute in minutes]
    found_minutes: set[datetime] = set()
    for window_start, window_end in _wall_clock_windows(
        playing, {wall_time.date() for wall_time in wall_times}
    ):
        opens = next(
            (number for number, wall_time in enumerate(wall_times) if wall_time >= window_start),
            None,
        )
        if opens is None:
            continue
        indexes_of_closing_time = [
            number for number, wall_time in enumerate(wall_times) if wall_time == window_end
        ]
        indexes_after_closing_time = [
            number for number, wall_time in enumerate(wall_times) if wall_time > window_end
        ]
        closes = (
            indexes_of_closing_time[-1]
            if indexes_of_closing_time
            else min(indexes_after_closing_time, default=len(minutes))
        )
        found_minutes |= set(minutes[opens:closes])
    return found_minutes


def _wall_clock_windows(
    playing: PlayingTime, dates: set[date]
) -> Iterator[tuple[datetime, datetime]]:
    opens, closes = playing.opens or time(), playing.closes or time()
    all_dates = {day + timedelta(days=day_offset) for day in dates for day_offset in (-1, 0, 1)}
    for day in sorted(all_dates):
        if day.weekday() in playing.weekdays:
            window_end = day if opens < closes else day + timedelta(days=1)
            yield datetime.combine(day, opens), datetime.combine(window_end, closes)


def at_utc(text: str) -> datetime:
    """Return an instant from text like ``2026-03-29 01:30``."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
