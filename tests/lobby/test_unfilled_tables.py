"""Tables that never become full: a warning after two weeks, and a week later they close."""

import logging
from datetime import datetime, timedelta

import pytest
from sqlalchemy import text

from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import (
    DAY,
    Guest,
    open_table,
    seat_guest,
    sign_in_guests,
    stored_game,
    table_settings,
)
from tests.support.lobby_actions import lobby_of, queued_emails, send_invitation, take_lobby_action
from tests.support.outbox_steps import collect_emails, mark_all_sent
from tests.support.transactions import NOON, transaction
from webapp.kernel.game_status import GameStatus
from webapp.kernel.tx import Database
from webapp.lobby.emails.table_cancelled import TableCancelledContext
from webapp.lobby.queries import tables
from webapp.lobby.waiting_tables import handle_next_unfilled_table

WARNED_AT = NOON + 14 * DAY
CLOSED_AT = NOON + 21 * DAY
_MOMENT = timedelta(seconds=1)


def handle_tables(database: Database, now: datetime) -> int:
    """Do what housekeeping does; return how many tables it has warned or closed, or tried to."""
    table_ids: list[int] = []
    while True:
        with transaction(database, now) as tx:
            table_id = handle_next_unfilled_table(tx, skipped_ids=table_ids)
        if table_id is None:
            return len(table_ids)
        table_ids.append(table_id)


def table_of_two(database: Database) -> tuple[str, Guest, Guest]:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice, table_settings(public=True))
    seat_guest(database, slug, bob)
    return slug, alice, bob


def status_of(database: Database, slug: str, guest: Guest) -> GameStatus:
    return stored_game(database, slug, guest).status


def test_everyone_at_an_unfilled_table_is_warned_once(database: Database) -> None:
    slug, alice, bob = table_of_two(database)
    assert lobby_of(database, slug, alice).closes_at == CLOSED_AT
    assert handle_tables(database, WARNED_AT - _MOMENT) == 0
    assert handle_tables(database, WARNED_AT) == 1
    assert handle_tables(database, WARNED_AT + DAY) == 0
    recipients = [account_id for account_id, _ in queued_emails(database, "table-waiting")]
    assert recipients == [alice.person.id, bob.person.id]
    assert lobby_of(database, slug, alice).closes_at == CLOSED_AT


def test_warned_table_closes_with_an_email_and_an_entry_of_the_ledger(database: Database) -> None:
    slug, alice, bob = table_of_two(database)
    handle_tables(database, WARNED_AT)
    assert handle_tables(database, CLOSED_AT - _MOMENT) == 0
    assert status_of(database, slug, alice) == GameStatus.OPEN
    assert handle_tables(database, CLOSED_AT) == 1
    assert handle_tables(database, CLOSED_AT + DAY) == 0
    assert status_of(database, slug, alice) == GameStatus.CANCELLED
    recipients = {account_id for account_id, _ in queued_emails(database, "moderator-act")}
    assert recipients == {alice.person.id, bob.person.id}
    page = lobby_of(database, slug, bob)
    assert (page.is_closed_unfilled, page.closes_at) == (True, None)


def test_invited_people_who_have_not_answered_learn_that_the_table_is_closed(
    database: Database,
) -> None:
    slug, alice, _ = table_of_two(database)
    for address in (BOB.address, DAVE.address):
        send_invitation(database, slug, alice, address)
    for email in collect_emails(database, kind="invitation"):
        with transaction(database) as tx:
            mark_all_sent(tx, [email.claim])
    send_invitation(database, slug, alice, "never-written-to@example.test")
    handle_tables(database, WARNED_AT)
    handle_tables(database, CLOSED_AT)
    [email] = collect_emails(database, kind="table-cancelled", now=CLOSED_AT)
    assert email.address == DAVE.address
    assert isinstance(email.context, TableCancelledContext)
    assert (email.context.is_unfilled, email.context.is_seated) == (True, False)


def test_table_without_a_warning_gets_a_week_after_it(database: Database) -> None:
    slug, alice, _ = table_of_two(database)
    late = NOON + 40 * DAY
    assert handle_tables(database, late) == 1
    assert status_of(database, slug, alice) == GameStatus.OPEN
    assert lobby_of(database, slug, alice).closes_at == late + 7 * DAY
    assert handle_tables(database, late + 7 * DAY) == 1
    assert status_of(database, slug, alice) == GameStatus.CANCELLED


def test_change_of_seats_starts_the_time_again(database: Database) -> None:
    slug, alice, bob = table_of_two(database)
    handle_tables(database, WARNED_AT)
    left_at = WARNED_AT + DAY
    take_lobby_action(database, slug, bob, "leave_seat", now=left_at)
    assert lobby_of(database, slug, alice).closes_at == left_at + 21 * DAY
    assert handle_tables(database, CLOSED_AT) == 0
    take_lobby_action(database, slug, bob, "take_seat", now=CLOSED_AT)
    assert handle_tables(database, CLOSED_AT + 14 * DAY) == 1
    assert len(queued_emails(database, "table-waiting")) == 4


def test_full_and_cancelled_tables_are_left_alone(database: Database) -> None:
    full_slug, alice, _ = table_of_two(database)
    carol, *_ = sign_in_guests(database, CAROL)
    seat_guest(database, full_slug, carol)
    cancelled_slug = open_table(database, alice)
    take_lobby_action(database, cancelled_slug, alice, "cancel_table")
    assert handle_tables(database, NOON + 100 * DAY) == 0
    assert not lobby_of(database, cancelled_slug, alice).is_closed_unfilled


def test_rolled_back_warning_is_repeated_as_a_whole(database: Database) -> None:
    slug, alice, _ = table_of_two(database)
    with transaction(database, WARNED_AT) as tx:
        handle_next_unfilled_table(tx)
        tx.connection.rollback()
    assert queued_emails(database, "table-waiting") == []
    assert handle_tables(database, WARNED_AT) == 1
    assert len(queued_emails(database, "table-waiting")) == 2
    assert status_of(database, slug, alice) == GameStatus.OPEN


def test_table_that_is_locked_is_skipped_without_waiting(database: Database) -> None:
    slug, _, _ = table_of_two(database)
    with transaction(database) as tx:
        tx.execute(text("SELECT 1 FROM game WHERE slug = :slug FOR UPDATE"), {"slug": slug})
        assert handle_tables(database, WARNED_AT) == 0
    assert handle_tables(database, WARNED_AT) == 1


def test_table_that_fails_does_not_hold_up_others(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    broken_slug, alice, _ = table_of_two(database)
    other_slug = open_table(database, alice, table_settings(public=True))
    with transaction(database) as tx:
        tx.execute(
            text("DELETE FROM secret WHERE game_id = (SELECT id FROM game WHERE slug = :slug)"),
            {"slug": broken_slug},
        )
    with caplog.at_level(logging.ERROR):
        assert handle_tables(database, WARNED_AT) == 2
        assert handle_tables(database, CLOSED_AT) == 2
    assert "was not handled" in caplog.text
    assert status_of(database, other_slug, alice) == GameStatus.CANCELLED


def test_question_for_unfilled_tables_uses_their_index(database: Database) -> None:
    with transaction(database) as tx:
        tx.connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        query = tables.unfilled_query(warned_before=NOON, closed_before=NOON, skipped_ids=[7])
        compiled_query = query.compile(tx.connection, compile_kwargs={"literal_binds": True})
        rows = tx.connection.exec_driver_sql(f"EXPLAIN {compiled_query}").all()
    assert any("game_unfilled" in row[0] for row in rows), rows
