"""Outages of email: found from attempts to reach the relay, given back once, and never to one player alone."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select, text, update

from tests.support.calls import mark_calls_sent
from tests.support.factories import DAY, Guest, stored_game
from tests.support.transactions import NOON, transaction
from webapp.clock.schema import DeadlineEvent, Maintenance
from webapp.clock.sweep import sweep
from webapp.kernel.tx import Database
from webapp.mail.outbox import delivery
from webapp.mail.schema import Notification
from webapp.operations import mail_outages, maintenance
from webapp.operations.queries import outages

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)


def fail_attempts(database: Database, *instants: datetime) -> None:
    for instant in instants:
        with transaction(database) as tx:
            outages.note_unreachable_relay(tx.at(instant))


def fail_every_half_hour(database: Database, start: datetime, end: datetime) -> None:
    fail_attempts(
        database, *(start + count * 30 * MINUTE for count in range((end - start) // (30 * MINUTE)))
    )


def accept_email(database: Database, at: datetime) -> None:
    with transaction(database) as tx:
        tx.execute(
            update(Notification)
            .where(Notification.kind == "dealt", Notification.status == "pending")
            .where(
                Notification.id
                == select(Notification.id)
                .where(Notification.status == "pending", Notification.kind == "dealt")
                .limit(1)
                .scalar_subquery()
            )
            .values(status="sent", settled_at=at)
        )


def is_email_down_after_settling(database: Database, now: datetime) -> bool:
    """Settle as the sweeps of workers do, and return whether deadlines wait for the end of an outage of email."""
    for _ in range(3):
        with transaction(database, now) as tx:
            mail_outages.settle_outage(tx)
        with transaction(database, now) as tx:
            maintenance.shift_next_games(tx)
    with transaction(database, now) as tx:
        return mail_outages.is_email_down(tx)


def given_back(database: Database) -> list[tuple[datetime, datetime | None]]:
    query = (
        select(Maintenance.began_at, Maintenance.ended_at)
        .where(Maintenance.cause == "email")
        .order_by(Maintenance.id)
    )
    with transaction(database) as tx:
        return [tuple(row) for row in tx.execute(query)]


def deadline_of(database: Database, slug: str, guests: list[Guest]) -> datetime | None:
    return stored_game(database, slug, guests[0]).row.deadline_at


def test_outage_of_email_moves_every_deadline_once_by_its_length(
    database: Database, guests: list[Guest], slug: str
) -> None:
    fail_every_half_hour(database, NOON + HOUR, NOON + 3 * HOUR)
    assert is_email_down_after_settling(database, NOON + 3 * HOUR)
    accept_email(database, NOON + 3 * HOUR)
    assert not is_email_down_after_settling(database, NOON + 4 * HOUR)
    assert given_back(database) == [(NOON + HOUR, NOON + 3 * HOUR)]
    assert deadline_of(database, slug, guests) == NOON + DAY + 2 * HOUR
    with transaction(database) as tx:
        query = select(DeadlineEvent.cause).where(DeadlineEvent.kind == "shifted")
        assert tx.connection.scalars(query).all() == ["email"]


def test_failures_within_five_minutes_are_no_outage(
    database: Database, guests: list[Guest], slug: str
) -> None:
    fail_attempts(database, NOON, NOON + MINUTE)
    accept_email(database, NOON + 4 * MINUTE)
    assert not is_email_down_after_settling(database, NOON + 10 * MINUTE)
    assert given_back(database) == []
    assert deadline_of(database, slug, guests) == NOON + DAY


def test_address_that_delays_its_emails_is_no_outage(
    database: Database, guests: list[Guest], slug: str
) -> None:
    for minutes in (0, 30, 60):
        now = NOON + minutes * MINUTE
        with transaction(database, now) as tx:
            for claim in delivery.claim(tx):
                delivery.postpone(tx, claim, code="451 4.7.1 try later")
    assert not is_email_down_after_settling(database, NOON + 2 * HOUR)
    assert given_back(database) == []


def test_attempts_that_do_not_reach_the_relay_are_an_outage(
    database: Database, guests: list[Guest], slug: str
) -> None:
    for minutes in (0, 10):
        now = NOON + minutes * MINUTE
        with transaction(database, now) as tx:
            for claim in delivery.claim(tx):
                delivery.postpone_unreachable(tx, claim, code="refused")
    assert is_email_down_after_settling(database, NOON + 11 * MINUTE)


def test_outage_ends_with_its_last_failure_if_no_email_is_due_any_more(
    database: Database, guests: list[Guest], slug: str
) -> None:
    fail_every_half_hour(database, NOON, NOON + 2 * HOUR)
    last_failure_at = NOON + 90 * MINUTE
    assert is_email_down_after_settling(database, last_failure_at + HOUR)
    assert not is_email_down_after_settling(database, last_failure_at + 2 * HOUR)
    assert given_back(database) == [(NOON, last_failure_at)]


def test_failure_after_a_success_begins_another_outage(
    database: Database, guests: list[Guest], slug: str
) -> None:
    fail_attempts(database, NOON, NOON + 20 * MINUTE)
    accept_email(database, NOON + 10 * MINUTE)
    assert not is_email_down_after_settling(database, NOON + 21 * MINUTE)
    assert given_back(database) == [(NOON, NOON + 10 * MINUTE)]
    fail_attempts(database, NOON + 30 * MINUTE)
    assert is_email_down_after_settling(database, NOON + 31 * MINUTE)


def test_deadlines_run_again_after_three_days_and_move_by_no_more(
    database: Database, guests: list[Guest], slug: str
) -> None:
    fail_every_half_hour(database, NOON, NOON + 4 * DAY)
    assert not is_email_down_after_settling(database, NOON + 4 * DAY)
    assert given_back(database) == [(NOON, NOON + 3 * DAY)]
    fail_attempts(database, NOON + 4 * DAY + HOUR)
    assert not is_email_down_after_settling(database, NOON + 4 * DAY + HOUR)
    accept_email(database, NOON + 5 * DAY)
    assert not is_email_down_after_settling(database, NOON + 5 * DAY)
    assert given_back(database) == [(NOON, NOON + 3 * DAY)]
    assert deadline_of(database, slug, guests) == NOON + 4 * DAY
    fail_attempts(database, NOON + 6 * DAY)
    assert is_email_down_after_settling(database, NOON + 6 * DAY + 10 * MINUTE)


def test_maintenance_within_an_outage_of_email_counts_once(
    database: Database, guests: list[Guest], slug: str
) -> None:
    fail_attempts(database, NOON + HOUR)
    with transaction(database, NOON + 3 * HOUR) as tx:
        maintenance.begin(tx)
    with transaction(database, NOON + 4 * HOUR) as tx:
        maintenance.end(tx)
    with transaction(database, NOON + 4 * HOUR) as tx:
        maintenance.shift_next_games(tx)
    fail_attempts(database, NOON + 6 * HOUR)
    accept_email(database, NOON + 6 * HOUR)
    assert not is_email_down_after_settling(database, NOON + 6 * HOUR)
    assert given_back(database) == [(NOON + HOUR, NOON + 6 * HOUR)]
    assert deadline_of(database, slug, guests) == NOON + DAY + 5 * HOUR


def test_time_that_an_uncalled_player_got_is_not_given_back_again(
    database: Database, guests: list[Guest], slug: str
) -> None:
    fail_attempts(database, NOON + DAY - MINUTE)
    with transaction(database, NOON + DAY) as tx:
        sweep(tx)
    assert deadline_of(database, slug, guests) == NOON + 2 * DAY
    accept_email(database, NOON + DAY + HOUR)
    is_email_down_after_settling(database, NOON + DAY + HOUR)
    assert deadline_of(database, slug, guests) == NOON + 2 * DAY + HOUR


@pytest.mark.parametrize("status,reminder_count", [("pending", 2), ("sent", 1)])
def test_reminder_that_was_not_sent_before_an_outage_is_written_again(
    database: Database, guests: list[Guest], slug: str, status: str, reminder_count: int
) -> None:
    mark_calls_sent(database)
    remind_at = NOON + DAY * 0.8
    with transaction(database, remind_at) as tx:
        assert sweep(tx).reminded_count == 1
        tx.execute(
            update(Notification).where(Notification.kind == "reminder").values(status=status)
        )
    fail_attempts(database, remind_at, remind_at + HOUR)
    accept_email(database, remind_at + HOUR)
    with transaction(database) as tx:
        tx.execute(
            text("UPDATE notification SET settled_at = :at WHERE kind = 'dealt'"),
            {"at": remind_at + HOUR},
        )
    is_email_down_after_settling(database, remind_at + HOUR)
    assert deadline_of(database, slug, guests) == NOON + DAY + HOUR
    with transaction(database, remind_at + HOUR) as tx:
        sweep(tx)
        count = tx.execute(
            text("SELECT count(*) FROM notification WHERE kind = 'reminder'")
        ).scalar()
    assert count == reminder_count
