"""The people of a simulated year: when they are awake, how long they take to answer, and when they stop playing."""

from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from tests.simulated_year.seeded_random import Random
from webapp.accounts.person import Person
from webapp.clock.pace.calendar import Interval

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
QUIET_HOURS_SHARE: Final = 0.3
CHOSEN_REMINDERS_SHARE: Final = 0.3
HELD_TURNS_SHARE: Final = 0.2
"""The share of people who have their turns held for some minutes."""
FULL_MAILBOX_SHARE: Final = 0.08
"""The share of people whose mailbox takes no email for some days."""
SELDOM_LOOKS_SHARE: Final = 0.5
"""The share of people who look for their turns only after days if no email reaches them."""
FREE_WEEKENDS_SHARE: Final = 0.25
"""The share of people who do not play at weekends."""
_SATURDAY: Final = 5


class Habits(msgspec.Struct, kw_only=True):
    """How one person plays; ``leaves_at`` is when they stop for good."""

    person: Person
    wakes_at: time
    sleeps_at: time
    median_answer_time: timedelta
    plays_at_weekends: bool
    has_bouncing_address: bool
    has_quiet_hours: bool
    reminder_hours: tuple[int, ...]
    hold_minutes: int = 0
    leaves_at: datetime | None
    seldom_looks: bool = False
    """Whether they look for their turns only after days if no email reaches them."""
    full_mailbox: Interval | None = None
    """When their mailbox takes no email."""
    holidays: list[Interval] = msgspec.field(default_factory=list)
    """When they do not play, whether or not they have said so."""
    declared_absences: list[Interval] = msgspec.field(default_factory=list)

    def has_left(self, at: datetime) -> bool:
        return self.leaves_at is not None and at >= self.leaves_at


def draw_habits(person: Person, rng: Random, *, start: datetime) -> Habits:
    """Return the habits of one person, by chance."""
    is_leaver = rng.random() < LEAVER_SHARE
    chosen_hours = ((24, 3), (12,), (6, 1))[rng.randrange(3)]
    full_from = start + timedelta(days=rng.uniform(3, 40))
    full_mailbox = Interval(full_from, full_from + timedelta(days=rng.uniform(2, 12)))
    return Habits(
        person=person,
        wakes_at=time(rng.randrange(6, 10)),
        sleeps_at=time(rng.randrange(21, 24)),
        median_answer_time=timedelta(hours=rng.choice((1, 2, 3, 4, 6))),
        plays_at_weekends=rng.random() >= FREE_WEEKENDS_SHARE,
        has_bouncing_address=rng.random() < BOUNCING_SHARE,
        has_quiet_hours=rng.random() < QUIET_HOURS_SHARE,
        reminder_hours=chosen_hours if rng.random() < CHOSEN_REMINDERS_SHARE else (),
        hold_minutes=rng.choice((2, 10)) if rng.random() < HELD_TURNS_SHARE else 0,
        leaves_at=start + timedelta(days=rng.uniform(5, 60)) if is_leaver else None,
        seldom_looks=rng.random() < SELDOM_LOOKS_SHARE,
        full_mailbox=full_mailbox if rng.random() < FULL_MAILBOX_SHARE else None,
    )


def looking_delay(habits: Habits, rng: Random) -> timedelta:
    """Return after how long a person looks for their turns whom an email about one did not reach."""
    return (
        timedelta(days=rng.uniform(4, 14))
        if habits.seldom_looks
        else timedelta(hours=rng.uniform(2, 30))
    )


def answer_delay(habits: Habits, rng: Random) -> timedelta:
    """Return how much waking time this answer takes: half of all less than the median, a few very much longer."""
    return habits.median_answer_time * rng.lognormvariate(0.0, 1.0)


def answer_time(habits: Habits, noticed_at: datetime, delay: timedelta) -> datetime:
    """Return when the person has been awake, and not on holiday, for ``delay`` since an instant."""
    zone = ZoneInfo(habits.person.zone)
    day = noticed_at.astimezone(zone).date()
    at, delay_left = noticed_at, delay
    while True:
        opens_at = datetime.combine(day, habits.wakes_at, zone).astimezone(UTC)
        closes_at = datetime.combine(day, habits.sleeps_at, zone).astimezone(UTC)
        at = max(at, opens_at)
        if (day.weekday() < _SATURDAY or habits.plays_at_weekends) and at < closes_at:
            holiday = next((h for h in habits.holidays if h.start <= at < h.end), None)
            if holiday is None and delay_left <= closes_at - at:
                return at + delay_left
            if holiday is None:
                delay_left -= closes_at - at
        day += timedelta(days=1)
