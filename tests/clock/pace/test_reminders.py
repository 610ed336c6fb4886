from datetime import UTC, datetime, time, timedelta

import pytest

from webapp.clock.pace.calendar import ALL_WEEKDAYS, PlayingTime
from webapp.clock.pace.reminders import (
    ReminderPreferences,
    allowed_reminder_time,
    first_reminder,
    next_reminder,
)

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


def hours(opens: int, closes: int, *weekdays: int, zone: str = "UTC") -> PlayingTime:
    return PlayingTime(
        zone=zone, weekdays=weekdays or ALL_WEEKDAYS, opens=time(opens), closes=time(closes)
    )


QUIET_NIGHTS = ReminderPreferences(quiet=(hours(22, 7),))
TEN_IN_THE_EVENING = NOON + 10 * HOUR
SEVEN_IN_THE_MORNING = NOON + 19 * HOUR


def test_player_without_wishes_is_reminded_at_the_usual_time() -> None:
    assert first_reminder(NOON + HOUR, NOON + DAY, ReminderPreferences(), now=NOON) == NOON + HOUR
    assert next_reminder(NOON + DAY, ReminderPreferences(), after=NOON) is None


def test_reminders_follow_each_other_at_the_chosen_hours() -> None:
    wishes, deadline_at, reminders = ReminderPreferences(hours=(12, 2, 48)), NOON + DAY, []
    reminder_time = first_reminder(NOON + HOUR, deadline_at, wishes, now=NOON)
    while reminder_time is not None:
        reminders.append(reminder_time)
        reminder_time = next_reminder(deadline_at, wishes, after=reminder_time)
    assert reminders == [NOON + 12 * HOUR, NOON + 22 * HOUR]


def test_reminder_in_quiet_hours_comes_after_them() -> None:
    for reminder_time in (TEN_IN_THE_EVENING, NOON + 14 * HOUR, SEVEN_IN_THE_MORNING - MINUTE):
        assert (
            allowed_reminder_time(reminder_time, NOON + DAY, QUIET_NIGHTS) == SEVEN_IN_THE_MORNING
        )
    for reminder_time in (NOON, TEN_IN_THE_EVENING - MINUTE, SEVEN_IN_THE_MORNING):
        assert allowed_reminder_time(reminder_time, NOON + DAY, QUIET_NIGHTS) == reminder_time


@pytest.mark.parametrize("deadline_at", [NOON + 16 * HOUR, SEVEN_IN_THE_MORNING + 59 * MINUTE])
def test_reminder_of_a_deadline_in_quiet_hours_comes_before_them(deadline_at: datetime) -> None:
    reminder_time = deadline_at - 2 * HOUR
    assert (
        allowed_reminder_time(reminder_time, deadline_at, QUIET_NIGHTS)
        == TEN_IN_THE_EVENING - MINUTE
    )


def test_two_reminders_at_the_same_instant_are_sent_once() -> None:
    wishes = ReminderPreferences(hours=(10, 8, 6), quiet=QUIET_NIGHTS.quiet)
    deadline_at = NOON + DAY
    assert next_reminder(deadline_at, wishes, after=NOON) == SEVEN_IN_THE_MORNING
    assert next_reminder(deadline_at, wishes, after=SEVEN_IN_THE_MORNING) is None


def test_reminder_less_than_an_hour_after_another_is_not_sent() -> None:
    wishes = ReminderPreferences(hours=(6, 1), quiet=QUIET_NIGHTS.quiet)
    deadline_at, reminded_at = NOON + 15.5 * HOUR, NOON + 9.5 * HOUR
    assert next_reminder(deadline_at, wishes, after=reminded_at) == TEN_IN_THE_EVENING - MINUTE
    assert next_reminder(deadline_at, wishes, after=reminded_at, reminded_at=reminded_at) is None
    hourly = ReminderPreferences(hours=(3, 2))
    next_at = next_reminder(NOON, hourly, after=NOON - 3 * HOUR, reminded_at=NOON - 3 * HOUR)
    assert next_at == NOON - 2 * HOUR


def test_turn_that_begins_in_quiet_hours_and_ends_in_them_has_no_reminder() -> None:
    now, deadline_at = NOON + 12 * HOUR, NOON + 17 * HOUR
    assert first_reminder(NOON + 15 * HOUR, deadline_at, QUIET_NIGHTS, now=now) is None
    wishes = ReminderPreferences(hours=(1,), quiet=QUIET_NIGHTS.quiet)
    assert first_reminder(NOON + 15 * HOUR, deadline_at, wishes, now=now) is None


def test_adjoining_quiet_hours_count_as_one_period() -> None:
    wishes = ReminderPreferences(quiet=(hours(22, 2), hours(2, 9)))
    assert allowed_reminder_time(NOON + 11 * HOUR, NOON + 2 * DAY, wishes) == NOON + 21 * HOUR
    deadline_at = NOON + 20 * HOUR
    assert (
        allowed_reminder_time(NOON + 19 * HOUR, deadline_at, wishes) == TEN_IN_THE_EVENING - MINUTE
    )


def test_quiet_hours_are_those_of_their_weekday_and_zone() -> None:
    wishes = ReminderPreferences(quiet=(hours(22, 7, 1),))
    assert allowed_reminder_time(NOON + 14 * HOUR, NOON + DAY, wishes) == NOON + 14 * HOUR
    tokyo_wishes = ReminderPreferences(quiet=(hours(22, 7, zone="Asia/Tokyo"),))
    assert allowed_reminder_time(NOON + 3 * HOUR, NOON + DAY, tokyo_wishes) == TEN_IN_THE_EVENING


def test_quiet_hours_follow_the_clock_change() -> None:
    night_of_change = datetime(2026, 3, 29, 0, tzinfo=UTC)
    wishes = ReminderPreferences(quiet=(hours(22, 7, zone="Europe/Riga"),))
    reminder_at = allowed_reminder_time(night_of_change, night_of_change + DAY, wishes)
    assert reminder_at == datetime(2026, 3, 29, 4, tzinfo=UTC)
