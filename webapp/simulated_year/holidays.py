"""The holidays of the people of a simulated year: declared ahead, declared as they begin, or not at all."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from webapp.pace.calendar import Interval
from webapp.simulated_year import visits
from webapp.simulated_year.people import Habits
from webapp.simulated_year.schedule import Schedule
from webapp.simulated_year.site import Site

_DECLARED_HOLIDAY_SHARE: Final = 0.8
"""The share of holidays that are declared."""


def add_holiday(
    site: Site, schedule: Schedule, habits: Habits, counts: Counter[str], *, start: datetime
) -> None:
    """Add a holiday of some days to what a person is going to do."""
    days, days_until_start = site.rng.randrange(2, 6), site.rng.choice((0, 3, 3))
    declared_at = start + timedelta(days=site.rng.uniform(4, 80))
    is_declared = site.rng.random() < _DECLARED_HOLIDAY_SHARE

    def begin_holiday(now: datetime) -> None:
        holiday = _holiday_of(habits, days, days_until_start, now)
        habits.holidays.append(holiday)
        if not is_declared or habits.has_left(now):
            return
        if visits.declare_absence(site, habits, days, days_until_start=days_until_start, now=now):
            habits.declared_absences.append(holiday)
            counts["absences"] += 1

    schedule.add(declared_at, begin_holiday)


def _holiday_of(habits: Habits, days: int, days_until_start: int, now: datetime) -> Interval:
    """Return the interval of a holiday, from midnight to midnight where the person lives."""
    zone = ZoneInfo(habits.person.zone)
    first_day = now.astimezone(zone).date() + timedelta(days=days_until_start)
    midnight = datetime.min.time()
    start = datetime.combine(first_day, midnight, zone).astimezone(UTC)
    end = datetime.combine(first_day + timedelta(days=days + 1), midnight, zone).astimezone(UTC)
    return Interval(max(start, now), end)
