from datetime import UTC, datetime, time, timedelta

import pytest

from webapp.pace.calendar import ALL_WEEKDAYS, PlayingTime
from webapp.pace.reminders import ReminderWishes, allowed_at, first_reminder, next_reminder

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


def hours(opens: int, closes: int, *weekdays: int, zone: str = "UTC") -> PlayingTime:
    return PlayingTime(
        zone=zone, weekdays=weekdays or ALL_WEEKDAYS, opens=time(opens), closes=time(closes)
    )


NIGHTS = ReminderWishes(quiet=(hours(22, 7),))
TEN_IN_THE_EVENING = NOON + 10 * HOUR
SEVEN_IN_THE_MORNING = NOON + 19 * HOUR


def test_player_without_wishes_is_reminded_at_the_usual_time() -> None:
    assert first_reminder(NOON + HOUR, NOON + DAY, ReminderWishes(), now=NOON) == NOON + HOUR
    assert next_reminder(NOON + DAY, ReminderWishes(), after=NOON) is None


def test_reminders_follow_each_other_at_the_chosen_hours() -> None:
    wishes, deadline_at, reminders = ReminderWishes(hours=(12, 2, 48)), NOON + DAY, []
    at = first_reminder(NOON + HOUR, deadline_at, wishes, now=NOON)
    while at is not None:
        reminders.append(at)
        at = next_reminder(deadline_at, wishes, after=at)
    assert reminders == [NOON + 12 * HOUR, NOON + 22 * HOUR]


def test_reminder_in_quiet_hours_comes_after_them() -> None:
    for at in (TEN_IN_THE_EVENING, NOON + 14 * HOUR, SEVEN_IN_THE_MORNING - MINUTE):
        assert allowed_at(at, NOON + DAY, NIGHTS) == SEVEN_IN_THE_MORNING
    for at in (NOON, TEN_IN_THE_EVENING - MINUTE, SEVEN_IN_THE_MORNING):
        assert allowed_at(at, NOON + DAY, NIGHTS) == at


@pytest.mark.parametrize("deadline_at", [NOON + 16 * HOUR, SEVEN_IN_THE_MORNING + 59 * MINUTE])
def test_reminder_of_a_deadline_in_quiet_hours_comes_before_them(deadline_at: datetime) -> None:
    at = deadline_at - 2 * HOUR
    assert allowed_at(at, deadline_at, NIGHTS) == TEN_IN_THE_EVENING - MINUTE


def test_two_reminders_that_fall_on_one_instant_are_one() -> None:
    wishes = ReminderWishes(hours=(10, 8, 6), quiet=NIGHTS.quiet)
    deadline_at = NOON + DAY
    assert next_reminder(deadline_at, wishes, after=NOON) == SEVEN_IN_THE_MORNING
    assert next_reminder(deadline_at, wishes, after=SEVEN_IN_THE_MORNING) is None


def test_turn_that_begins_in_quiet_hours_and_ends_in_them_has_no_reminder() -> None:
    now, deadline_at = NOON + 12 * HOUR, NOON + 17 * HOUR
    assert first_reminder(NOON + 15 * HOUR, deadline_at, NIGHTS, now=now) is None
    wishes = ReminderWishes(hours=(1,), quiet=NIGHTS.quiet)
    assert first_reminder(NOON + 15 * HOUR, deadline_at, wishes, now=now) is None


def test_adjoining_quiet_hours_are_one() -> None:
    wishes = ReminderWishes(quiet=(hours(22, 2), hours(2, 9)))
    assert allowed_at(NOON + 11 * HOUR, NOON + 2 * DAY, wishes) == NOON + 21 * HOUR
    deadline_at = NOON + 20 * HOUR
    assert allowed_at(NOON + 19 * HOUR, deadline_at, wishes) == TEN_IN_THE_EVENING - MINUTE


def test_quiet_hours_are_those_of_their_weekday_and_zone() -> None:
    wishes = ReminderWishes(quiet=(hours(22, 7, 1),))
    assert allowed_at(NOON + 14 * HOUR, NOON + DAY, wishes) == NOON + 14 * HOUR
    tokyo = ReminderWishes(quiet=(hours(22, 7, zone="Asia/Tokyo"),))
    assert allowed_at(NOON + 3 * HOUR, NOON + DAY, tokyo) == TEN_IN_THE_EVENING


def test_quiet_hours_follow_the_clock_change() -> None:
    night_of_change = datetime(2026, 3, 29, 0, tzinfo=UTC)
    wishes = ReminderWishes(quiet=(hours(22, 7, zone="Europe/Riga"),))
    until = allowed_at(night_of_change, night_of_change + DAY, wishes)
    assert until == datetime(2026, 3, 29, 4, tzinfo=UTC)
