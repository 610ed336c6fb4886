"""The people of a simulated year: when they are awake, how long they take to answer, and when they stop playing."""

from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from webapp.pace.calendar import Interval
from webapp.services.accounts.person import Person
from webapp.simulated_year.chance import Random

ZONES: Final = (
    "Europe/Berlin",
    "Europe/London",
    "America/New_York",
    "America/Los_Angeles",
    "Asia/Tokyo",
    "Australia/Sydney",
)
LEAVER_SHARE: Final = 0.10
BOUNCING_SHARE: Final = 0.03
WITH_QUIET_HOURS_SHARE: Final = 0.3
WITH_CHOSEN_REMINDERS_SHARE: Final = 0.3
FREE_WEEKENDS_SHARE: Final = 0.25
"""The share of people who do not play at weekends."""
_SATURDAY: Final = 5


class Habits(msgspec.Struct, kw_only=True):
    """How one person plays; ``leaves_at`` is when they stop for good."""

    person: Person
    wakes: time
    sleeps: time
    median_answer: timedelta
    plays_at_weekends: bool
    bounces: bool
    has_quiet_hours: bool
    reminder_hours: tuple[int, ...]
    leaves_at: datetime | None
    holidays: list[Interval] = msgspec.field(default_factory=list)
    """When they do not play, whether or not they have said so."""
    declared_absences: list[Interval] = msgspec.field(default_factory=list)
    tables: list[str] = msgspec.field(default_factory=list)
    """The slugs of the games in which they have a seat."""

    def has_left(self, at: datetime) -> bool:
        return self.leaves_at is not None and at >= self.leaves_at


def draw_habits(person: Person, rng: Random, *, start: datetime) -> Habits:
    """Return the habits of one person, by chance."""
    leaves = rng.random() < LEAVER_SHARE
    chosen_hours = ((24, 3), (12,), (6, 1))[rng.randrange(3)]
    return Habits(
        person=person,
        wakes=time(rng.randrange(6, 10)),
        sleeps=time(rng.randrange(21, 24)),
        median_answer=timedelta(hours=rng.choice((1, 2, 3, 4, 6))),
        plays_at_weekends=rng.random() >= FREE_WEEKENDS_SHARE,
        bounces=rng.random() < BOUNCING_SHARE,
        has_quiet_hours=rng.random() < WITH_QUIET_HOURS_SHARE,
        reminder_hours=chosen_hours if rng.random() < WITH_CHOSEN_REMINDERS_SHARE else (),
        leaves_at=start + timedelta(days=rng.uniform(5, 60)) if leaves else None,
    )


def answer_delay(habits: Habits, rng: Random) -> timedelta:
    """Return how much waking time this answer takes: half of all less than the median, a few very much longer."""
    return habits.median_answer * rng.lognormvariate(0.0, 1.0)


def answer_time(habits: Habits, noticed_at: datetime, delay: timedelta) -> datetime:
    """Return when the person has been awake, and not on holiday, for ``delay`` since an instant."""
    zone = ZoneInfo(habits.person.zone)
    day = noticed_at.astimezone(zone).date()
    at, left = noticed_at, delay
    while True:
        opens_at = datetime.combine(day, habits.wakes, zone).astimezone(UTC)
        closes_at = datetime.combine(day, habits.sleeps, zone).astimezone(UTC)
        at = max(at, opens_at)
        if (day.weekday() < _SATURDAY or habits.plays_at_weekends) and at < closes_at:
            holiday = next((h for h in habits.holidays if h.start <= at < h.end), None)
            if holiday is None and left <= closes_at - at:
                return at + left
            if holiday is None:
                left -= closes_at - at
        day += timedelta(days=1)
