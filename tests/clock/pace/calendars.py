"""Random calendars: zones with odd offsets and changes of clocks, weekdays, hours, absences."""

from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import available_timezones

from hypothesis import strategies as st

from webapp.clock.pace.calendar import Calendar, Interval, PlayingTime

ODD_ZONES: Final = (
    "Australia/Lord_Howe",  # Half an hour of summer time.
    "Asia/Kathmandu",
    "Pacific/Apia",  # Skipped 30 December 2011.
    "Pacific/Chatham",
    "America/Havana",  # Repeats the hour after midnight.
    "America/Sao_Paulo",  # Skipped the hour after midnight, until 2018.
    "Africa/Casablanca",
    "Asia/Beirut",
    "Europe/Riga",
    "UTC",
)
_CLOCK_CHANGES: Final = (
    "2011-12-29 12:00",  # Apia.
    "2016-02-28 12:00",  # A leap day; 2016 has summer time in most zones.
    "2018-11-03 12:00",  # Sao Paulo, Havana.
    "2024-02-28 00:00",
    "2026-03-07 12:00",
    "2026-03-28 12:00",
    "2026-04-04 02:00",  # Lord Howe, Chatham.
    "2026-10-03 02:00",
    "2026-10-24 12:00",
    "2026-10-31 12:00",
)
zones = st.sampled_from(ODD_ZONES) | st.sampled_from(sorted(available_timezones()))
weekdays = st.sets(st.integers(0, 6), min_size=1).map(lambda days: tuple(sorted(days)))


@st.composite
def playing_times(draw: st.DrawFn) -> PlayingTime:
    zone, days = draw(zones), draw(weekdays)
    if draw(st.booleans()):
        return PlayingTime(zone=zone, weekdays=days)
    opens, length = draw(st.integers(0, 1439)), draw(st.integers(60, 1439))
    return PlayingTime(
        zone=zone,
        weekdays=days,
        opens=_time_of_day(opens),
        closes=_time_of_day((opens + length) % 1440),
    )


@st.composite
def start_times(draw: st.DrawFn) -> datetime:
    """An instant of the years 2011 to 2030 on a whole minute, often near a change of clocks."""
    if draw(st.booleans()):
        minutes = draw(st.integers(0, 20 * 365 * 1440))
        return datetime(2011, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    instant_near_clock_change = datetime.fromisoformat(
        draw(st.sampled_from(_CLOCK_CHANGES))
    ).replace(tzinfo=UTC)
    return instant_near_clock_change + timedelta(minutes=draw(st.integers(-1440, 1440)))


@st.composite
def calendars(draw: st.DrawFn, since: datetime) -> Calendar:
    absences = draw(
        st.lists(st.tuples(st.integers(-5000, 15000), st.integers(0, 8000)), max_size=3)
    )
    return Calendar(
        draw(playing_times()),
        tuple(
            Interval(
                since + timedelta(minutes=start_minute),
                since + timedelta(minutes=start_minute + length),
            )
            for start_minute, length in absences
        ),
    )


def _time_of_day(minute: int) -> time:
    return time(minute // 60, minute % 60)
