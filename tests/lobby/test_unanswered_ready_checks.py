"""Ready-checks that not everyone answers: they are asked again after two days, and lose their seats after four."""

import logging
from datetime import datetime, timedelta

import pytest
from sqlalchemy import text

from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import (
    DAY,
    Guest,
    confirm_ready,
    fill_with_bots,
    open_table,
    seat_guest,
    sign_in_guest,
    sign_in_guests,
    table_settings,
)
from tests.support.lobby_actions import lobby_of, queued_emails, take_lobby_action
from tests.support.outbox_steps import collect_emails, dropped_reasons
from tests.support.transactions import NOON, transaction
from webapp.kernel.tx import Database
from webapp.lobby.emails.ready_check import ReadyCheckContext
from webapp.lobby.emails.seat_freed_email import SeatFreedContext
from webapp.lobby.emails.table_waiting import TableWaitingContext
from webapp.lobby.queries import tables
from webapp.lobby.waiting_tables import handle_next_unanswered_check
from webapp.operations import maintenance

ASKED_AGAIN_AT = NOON + 2 * DAY
ENDS_AT = NOON + 4 * DAY
_MOMENT = timedelta(seconds=1)


def handle_checks(database: Database, now: datetime) -> int:
    """Do what housekeeping does; return how many tables it has handled."""
    count, table_id = 0, 0
    while True:
        with transaction(database, now) as tx:
            next_id = handle_next_unanswered_check(tx, after_id=table_id)
        if next_id is None:
            return count
        count, table_id = count + 1, next_id


@pytest.fixture
def full_slug(database: Database, guests: list[Guest]) -> str:
    """A public table of Alice, Bob and Carol, who are all asked whether they are ready; Carol is."""
    return full_table(database, guests)


def full_table(database: Database, guests: list[Guest]) -> str:
    slug = open_table(database, guests[0], table_settings(public=True))
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    confirm_ready(database, slug, guests[2])
    return slug


def recipients(database: Database, kind: str) -> list[int | None]:
    return [account_id for account_id, _ in queued_emails(database, kind)]


def test_those_who_have_not_answered_are_asked_again_once(
    database: Database, guests: list[Guest], full_slug: str
) -> None:
    assert lobby_of(database, full_slug, guests[0]).answer_by == ENDS_AT
    assert handle_checks(database, ASKED_AGAIN_AT - _MOMENT) == 0
    assert handle_checks(database, ASKED_AGAIN_AT) == 1
    assert handle_checks(database, ENDS_AT - _MOMENT) == 0
    alice, bob, _ = (guest.person.id for guest in guests)
    assert queued_emails(database, "ready-check")[3:] == [(alice, 2), (bob, 2)]
    emails = collect_emails(database, kind="ready-check", now=ASKED_AGAIN_AT)
    contexts = [email.context for email in emails]
    assert [
        context.answer_by for context in contexts if isinstance(context, ReadyCheckContext)
    ] == [ENDS_AT] * 2


def test_those_who_do_not_answer_lose_their_seats_and_everyone_is_informed(
    database: Database, guests: list[Guest], full_slug: str
) -> None:
    confirm_ready(database, full_slug, guests[0])
    handle_checks(database, ASKED_AGAIN_AT)
    assert handle_checks(database, ENDS_AT) == 1
    assert handle_checks(database, ENDS_AT + DAY) == 0
    page = lobby_of(database, full_slug, guests[0])
    assert page.table.status == "open"
    assert [seat.is_free for seat in page.seats] == [False, True, False]
    assert not any(seat.is_ready for seat in page.seats)
    assert (page.answer_by, page.closes_at) == (None, ENDS_AT + 21 * DAY)
    alice, bob, carol = (guest.person.id for guest in guests)
    assert recipients(database, "ready-check-missed") == [bob]
    assert recipients(database, "ready-check-over") == [alice, carol]
    [missed] = collect_emails(database, kind="ready-check-missed", now=ENDS_AT)
    assert isinstance(missed.context, SeatFreedContext)
    assert missed.context.may_see_table
    overs = collect_emails(database, kind="ready-check-over", now=ENDS_AT)
    assert all(isinstance(email.context, TableWaitingContext) for email in overs)


def test_new_ready_check_gives_everyone_the_whole_time_again(
    database: Database, guests: list[Guest], full_slug: str
) -> None:
    handle_checks(database, ASKED_AGAIN_AT)
    handle_checks(database, ENDS_AT)
    for guest in (guests[0], guests[1]):
        take_lobby_action(database, full_slug, guest, "take_seat", now=ENDS_AT + DAY)
    assert lobby_of(database, full_slug, guests[0]).answer_by == ENDS_AT + 5 * DAY
    assert handle_checks(database, ENDS_AT + 3 * DAY - _MOMENT) == 0
    assert dropped_reasons(database, "ready-check-missed") == []
    assert collect_emails(database, kind="ready-check-missed", now=ENDS_AT + DAY) == []
    assert dropped_reasons(database, "ready-check-missed") == ["seated"] * 2


def test_host_without_a_seat_learns_that_the_check_is_over(
    database: Database, guests: list[Guest], full_slug: str
) -> None:
    take_lobby_action(database, full_slug, guests[0], "leave_seat")
    seat_guest(database, full_slug, sign_in_guest(database, DAVE))
    handle_checks(database, ASKED_AGAIN_AT)
    handle_checks(database, ENDS_AT)
    assert recipients(database, "ready-check-over") == [guests[0].person.id]
    assert len(recipients(database, "ready-check-missed")) == 3


def test_no_one_loses_a_seat_sooner_after_the_second_question_than_usually(
    database: Database, guests: list[Guest], full_slug: str
) -> None:
    late = NOON + 30 * DAY
    assert handle_checks(database, late) == 1
    assert lobby_of(database, full_slug, guests[0]).answer_by == late + 2 * DAY
    assert handle_checks(database, late + 2 * DAY - _MOMENT) == 0
    assert handle_checks(database, late + 2 * DAY) == 1


def test_time_for_which_the_site_is_closed_does_not_count(
    database: Database, guests: list[Guest], full_slug: str
) -> None:
    handle_checks(database, ASKED_AGAIN_AT)
    with transaction(database) as tx:
        maintenance.begin(tx.at(NOON + 3 * DAY))
        maintenance.end(tx.at(NOON + 6 * DAY))
        while maintenance.shift_next_games(tx.at(NOON + 6 * DAY)):
            pass
    for now in (NOON + 6 * DAY, NOON + 7 * DAY - _MOMENT):
        handle_checks(database, now)
        assert recipients(database, "ready-check-missed") == []
    assert lobby_of(database, full_slug, guests[0], now=NOON + 6 * DAY).answer_by is None
    handle_checks(database, NOON + 7 * DAY)
    assert len(recipients(database, "ready-check-missed")) == 2


def test_bots_keep_their_seats_and_open_tables_are_left_alone(database: Database) -> None:
    alice, bob, carol = sign_in_guests(database, ALICE, BOB, CAROL)
    slug = open_table(database, alice, table_settings(seats=4))
    seat_guest(database, slug, bob)
    fill_with_bots(database, slug, alice)
    open_table(database, carol)
    handle_checks(database, ASKED_AGAIN_AT)
    assert handle_checks(database, ENDS_AT) == 1
    seats = lobby_of(database, slug, alice).seats
    assert [(seat.is_free, seat.is_bot) for seat in seats] == [
        (False, False),
        (True, False),
        (False, True),
        (False, True),
    ]


def test_answer_at_the_last_moment_deals_the_cards(
    database: Database, guests: list[Guest], full_slug: str
) -> None:
    confirm_ready(database, full_slug, guests[0])
    handle_checks(database, ASKED_AGAIN_AT)
    with transaction(database) as tx:
        tx.execute(text("SELECT 1 FROM game WHERE slug = :slug FOR UPDATE"), {"slug": full_slug})
        # Someone answers at this moment: their table is skipped without waiting.
        assert handle_checks(database, ENDS_AT) == 0
    assert confirm_ready(database, full_slug, guests[1])
    assert handle_checks(database, ENDS_AT) == 0


def test_table_that_fails_does_not_hold_up_others(
    database: Database, guests: list[Guest], full_slug: str, caplog: pytest.LogCaptureFixture
) -> None:
    other_slug = full_table(database, guests)
    with transaction(database) as tx:
        tx.execute(text("UPDATE game SET pace = '[1]' WHERE slug = :slug"), {"slug": full_slug})
        tx.execute(
            text("DELETE FROM secret WHERE game_id = (SELECT id FROM game WHERE slug = :slug)"),
            {"slug": full_slug},
        )
    with caplog.at_level(logging.ERROR):
        assert handle_checks(database, ASKED_AGAIN_AT) == 2
    assert "was not handled" in caplog.text
    assert lobby_of(database, other_slug, guests[0]).answer_by == ENDS_AT
    assert handle_checks(database, ENDS_AT) == 2
    assert lobby_of(database, other_slug, guests[0]).table.status == "open"


def test_question_for_unanswered_checks_uses_their_index(database: Database) -> None:
    with transaction(database) as tx:
        tx.connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        query = tables.unanswered_query(asked_before=NOON, ended_before=NOON, after_id=0)
        compiled_query = query.compile(tx.connection, compile_kwargs={"literal_binds": True})
        rows = tx.connection.exec_driver_sql(f"EXPLAIN {compiled_query}").all()
    assert any("game_unanswered" in row[0] for row in rows), rows
