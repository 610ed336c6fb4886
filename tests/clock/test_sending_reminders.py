"""Reminders follow the wishes of the player on turn."""

from datetime import datetime, time, timedelta

import pytest
from sqlalchemy import select

from tests.support.acts import perform_act
from tests.support.factories import DAY, Guest, deal_game, play_turn, stored_game
from tests.support.outbox_steps import mark_all_sent
from tests.support.transactions import NOON, transaction
from webapp.clock.email_times import TypedQuietHours, change_quiet_hours, change_reminders
from webapp.clock.sweep import sweep
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.mail.outbox import delivery
from webapp.mail.preparation import prepare_emails
from webapp.mail.schema import Notification

HOUR = timedelta(hours=1)


@pytest.fixture
def bob(guests: list[Guest]) -> Guest:
    """The player whose turn begins when Alice has played; in Kyiv, where it is two hours later than in UTC."""
    return guests[1]


def set_email_times(
    database: Database, guest: Guest, *hours: int, quiet: tuple[int, int] | None = None
) -> None:
    with transaction(database) as tx:
        change_reminders(tx, guest.person, hours)
        if quiet is not None:
            night_hours = TypedQuietHours(
                number=1,
                weekdays=tuple(range(7)),
                from_time=time(quiet[0]),
                until_time=time(quiet[1]),
            )
            change_quiet_hours(tx, guest.person, [night_hours])


def start_turn_of_bob(database: Database, guests: list[Guest]) -> str:
    slug = deal_game(database, guests)
    play_turn(database, slug, guests[0], now=NOON)
    return slug


def reminded_hours(database: Database, *, hours: int = 24) -> list[float]:
    """Sweep every quarter of an hour; return after how many hours reminders are enqueued."""
    reminders, count = [], 0
    for quarter_hour in range(4 * hours):
        now = NOON + quarter_hour * HOUR / 4
        with transaction(database, now) as tx:
            for _ in range(2):
                count += sweep(tx).reminded_count
        while len(reminders) < count:
            reminders.append(quarter_hour / 4)
    return reminders


def test_player_is_reminded_at_the_hours_they_chose(
    database: Database, guests: list[Guest], bob: Guest
) -> None:
    set_email_times(database, bob, 8, 1, 20)
    slug = start_turn_of_bob(database, guests)
    assert stored_game(database, slug, bob).row.wake_at == NOON + 4 * HOUR
    assert reminded_hours(database) == [4, 16, 23]
    with transaction(database) as tx:
        query = select(Notification.id).where(Notification.kind == "reminder")
        assert len(tx.execute(query).all()) == 3


def test_no_reminder_falls_into_quiet_hours(
    database: Database, guests: list[Guest], bob: Guest
) -> None:
    set_email_times(database, bob, 12, 8, 2, quiet=(22, 7))
    start_turn_of_bob(database, guests)
    assert reminded_hours(database) == [17, 22]


def test_quiet_hours_chosen_during_a_turn_postpone_its_usual_reminder(
    database: Database, guests: list[Guest], bob: Guest
) -> None:
    slug = start_turn_of_bob(database, guests)
    set_email_times(database, bob, quiet=(3, 10))
    assert stored_game(database, slug, bob).row.wake_at == NOON + 0.8 * DAY
    assert reminded_hours(database) == [20]


def test_reminder_comes_before_quiet_hours_in_which_the_deadline_lies(
    database: Database, guests: list[Guest], bob: Guest
) -> None:
    set_email_times(database, bob, 2, quiet=(9, 14))
    slug = start_turn_of_bob(database, guests)
    assert stored_game(database, slug, bob).row.remind_at == NOON + 19 * HOUR - timedelta(minutes=1)
    assert reminded_hours(database) == [19]


def test_reminder_planned_for_earlier_than_the_player_wants_any_is_not_sent(
    database: Database, guests: list[Guest], bob: Guest
) -> None:
    slug = start_turn_of_bob(database, guests)
    assert stored_game(database, slug, bob).row.wake_at == NOON + 0.8 * DAY
    set_email_times(database, bob, 2)
    assert reminded_hours(database) == [22]


def test_quiet_hours_bring_no_two_reminders_within_an_hour(
    database: Database, guests: list[Guest], bob: Guest
) -> None:
    # Two hours before the deadline lie in quiet hours, which begin less than an hour after the first reminder.
    set_email_times(database, bob, 6, 2, quiet=(9, 14))
    start_turn_of_bob(database, guests)
    assert reminded_hours(database) == [18]


def test_moved_deadline_reminds_again_and_a_turn_taken_does_not(
    database: Database, guests: list[Guest], bob: Guest
) -> None:
    set_email_times(database, bob, 8, 2)
    slug = start_turn_of_bob(database, guests)
    assert reminded_hours(database, hours=17) == [16]
    perform_act(database, slug, GameRight.EXTEND, now=NOON + 17 * HOUR, extra=timedelta(days=1))
    assert reminded_hours(database, hours=41) == [40]
    play_turn(database, slug, bob, now=NOON + 41 * HOUR)
    assert reminded_hours(database, hours=48) == []


def count_sent_reminders(database: Database, now: datetime) -> int:
    with transaction(database, now) as tx:
        claims = delivery.claim(tx)
        outgoing = prepare_emails(tx, claims)
        mark_all_sent(tx, claims)
    return sum(email.claim.kind == "reminder" and email.context is not None for email in outgoing)


def test_later_reminder_supersedes_one_that_was_never_sent(
    database: Database, guests: list[Guest], bob: Guest
) -> None:
    set_email_times(database, bob, 8, 2)
    start_turn_of_bob(database, guests)
    count_sent_reminders(database, NOON)
    assert reminded_hours(database, hours=23) == [16, 22]
    assert count_sent_reminders(database, NOON + 23 * HOUR) == 1
