"""Sending the emails of the outbox: each once, in the right order, with the right outcome."""

import logging
import threading
from dataclasses import replace
from datetime import timedelta
from html import escape
from urllib.parse import quote_plus

import pytest

from engine.notation import write_action
from engine.view import legal_actions
from tasks import delivery
from tasks.context import WorkerContext
from tests.support.cast import ALICE, BOB, DAVE
from tests.support.factories import (
    DAY,
    Guest,
    deal_game,
    open_table,
    play_turn,
    request_sign_in_email,
    table_settings,
)
from tests.support.failing_delivery import (
    DEALT_EMAILS,
    EMAILS_OF_A_DEAL,
    FailingComposer,
    refuse_emails_with,
)
from tests.support.fakes import (
    FakeClock,
    Outbox,
    RecordingTransport,
    drawn,
    html_of,
    kind_of,
    parse_message,
    text_of,
)
from tests.support.game_pages import game_page
from tests.support.lobby_actions import send_invitation
from tests.support.transactions import NOON, transaction
from webapp.kernel.tx import Database
from webapp.lobby import invitations
from webapp.mail import stored_message
from webapp.mail.transport import PermanentFailure, RenderedEmail, TransientFailure


def test_every_email_of_a_deal_is_sent_once(
    worker: WorkerContext, slug: str, recording_transport: RecordingTransport, outbox: Outbox
) -> None:
    delivery.deliver(worker)
    delivery.deliver(worker)
    assert recording_transport.sent() == EMAILS_OF_A_DEAL
    assert outbox.statuses() == {"sent"}


def test_sent_messages_are_erased(worker: WorkerContext, slug: str, outbox: Outbox) -> None:
    delivery.deliver(worker)
    assert {row.message for row in outbox.rows()} == {None}


def test_message_is_stored_before_it_is_sent(
    worker: WorkerContext, slug: str, recording_transport: RecordingTransport, outbox: Outbox
) -> None:
    were_stored: list[bool] = []

    def compare_with_rows(email: RenderedEmail) -> None:
        stored_messages = [stored_message.decode(row.message) for row in outbox.rows()]
        were_stored.append(email.message in [drawn(parts) for parts in stored_messages if parts])

    recording_transport.before_sending = compare_with_rows
    delivery.deliver(worker)
    assert were_stored == [True] * 4


def test_no_row_is_locked_while_the_relay_works(
    worker: WorkerContext, slug: str, recording_transport: RecordingTransport, outbox: Outbox
) -> None:
    recording_transport.before_sending = lambda _: outbox.execute(
        "SELECT notification.id FROM notification, game FOR UPDATE NOWAIT"
    )
    delivery.deliver(worker)
    assert outbox.statuses() == {"sent"}


def test_postponed_email_is_sent_later_with_the_same_bytes(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    clock: FakeClock,
) -> None:
    first_attempt_messages: list[bytes] = []

    def refuse_once(email: RenderedEmail) -> None:
        if kind_of(email.message) == "your-turn" and not first_attempt_messages:
            first_attempt_messages.append(email.message)
            raise TransientFailure("450 4.2.1 greylisted")

    recording_transport.before_sending = refuse_once
    delivery.deliver(worker)
    row = outbox.only_row("your-turn")
    assert recording_transport.sent() == DEALT_EMAILS
    assert (row.status, row.attempts, row.reason) == ("pending", 1, "450 4.2.1 greylisted")
    assert row.due_at == NOON + timedelta(seconds=30)

    clock.now += timedelta(seconds=29)
    delivery.deliver(worker)
    assert len(recording_transport.emails) == 3
    clock.now += timedelta(seconds=1)
    delivery.deliver(worker)
    assert recording_transport.emails[-1].message == first_attempt_messages[0]
    assert outbox.statuses() == {"sent"}


def test_email_whose_message_was_lost_in_a_crash_keeps_its_message_id(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    clock: FakeClock,
) -> None:
    def lose_answers(email: RenderedEmail) -> None:
        raise TransientFailure("the answer is lost")

    recording_transport.after_sending = lose_answers
    delivery.deliver(worker)
    first_message_ids = {message["Message-ID"] for message in recording_transport.messages}
    recording_transport.after_sending = lambda _: None
    outbox.execute("TRUNCATE stored_message")  # what Postgres does to an unlogged table
    clock.now += timedelta(hours=1)
    delivery.deliver(worker)
    message_ids = {message["Message-ID"] for message in recording_transport.messages}
    assert recording_transport.sent() == sorted(2 * EMAILS_OF_A_DEAL)
    assert message_ids == first_message_ids
    assert outbox.statuses() == {"sent"}


def test_permanently_refused_email_fails_and_delays_no_other(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    clock: FakeClock,
) -> None:
    recording_transport.before_sending = refuse_emails_with(
        PermanentFailure("550 5.1.1 no such user"), kind="your-turn"
    )
    delivery.deliver(worker)
    row = outbox.only_row("your-turn")
    assert (row.status, row.reason, row.message) == ("failed", "550 5.1.1 no such user", None)
    assert recording_transport.sent() == DEALT_EMAILS
    clock.now += DAY
    delivery.deliver(worker)
    assert len(recording_transport.emails) == 3


def test_superseded_email_is_dropped_with_its_reason(
    worker: WorkerContext,
    database: Database,
    slug: str,
    guests: list[Guest],
    recording_transport: RecordingTransport,
    outbox: Outbox,
) -> None:
    play_turn(database, slug, guests[0])
    delivery.deliver(worker)
    assert recording_transport.sent() == [*DEALT_EMAILS, ("your-turn", BOB.address)]
    dropped_row = next(row for row in outbox.rows("your-turn") if row.status == "dropped")
    assert dropped_row.reason == "moved-on"


def test_postponed_and_then_superseded_email_is_not_sent_from_its_stored_message(
    worker: WorkerContext,
    database: Database,
    slug: str,
    guests: list[Guest],
    recording_transport: RecordingTransport,
    outbox: Outbox,
    clock: FakeClock,
) -> None:
    recording_transport.before_sending = refuse_emails_with(
        TransientFailure("450 later"), kind="your-turn"
    )
    delivery.deliver(worker)
    play_turn(database, slug, guests[0], now=clock())
    recording_transport.before_sending = lambda _: None
    clock.now += timedelta(minutes=1)
    delivery.deliver(worker)
    assert recording_transport.sent() == [*DEALT_EMAILS, ("your-turn", BOB.address)]
    assert {row.message for row in outbox.rows()} == {None}


def test_email_that_cannot_be_composed_delays_no_other(
    worker: WorkerContext, slug: str, recording_transport: RecordingTransport, outbox: Outbox
) -> None:
    delivery.deliver(replace(worker, composer=FailingComposer(worker.composer, "your-turn")))
    assert recording_transport.sent() == DEALT_EMAILS
    row = outbox.only_row("your-turn")
    assert (row.status, row.reason, row.message) == ("pending", "composing failed", None)
    assert row.due_at > NOON


def test_email_whose_picture_cannot_be_drawn_delays_no_other_and_is_drawn_later(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    clock: FakeClock,
) -> None:
    def fail(svg: str, width: int) -> bytes:
        raise ZeroDivisionError(f"{width} {svg[:4]}")

    delivery.deliver(replace(worker, png_of=fail))
    assert recording_transport.sent() == DEALT_EMAILS
    row = outbox.only_row("your-turn")
    assert (row.status, row.reason, row.lease_until) == ("pending", "composing failed", None)
    clock.now += timedelta(minutes=1)
    delivery.deliver(worker)
    assert recording_transport.sent() == EMAILS_OF_A_DEAL


def test_unreadable_game_delays_the_emails_of_no_other(
    worker: WorkerContext,
    database: Database,
    slug: str,
    guests: list[Guest],
    recording_transport: RecordingTransport,
    outbox: Outbox,
    caplog: pytest.LogCaptureFixture,
) -> None:
    unreadable_game = deal_game(database, guests)
    outbox.execute("UPDATE game SET state = 'rubble' WHERE slug = :slug", slug=unreadable_game)
    with caplog.at_level(logging.ERROR):
        delivery.deliver(worker)
    assert "cannot be prepared" in caplog.text
    assert ("your-turn", ALICE.address) in recording_transport.sent()
    assert {row.status for row in outbox.rows("your-turn")} == {"sent", "pending"}
    list_ids = {parse_message(email.message)["List-Id"] for email in recording_transport.emails}
    assert f"<{slug}.lodepost.test>" in list_ids


def test_logs_contain_no_address(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG):
        recording_transport.before_sending = refuse_emails_with(
            PermanentFailure(f"550 no {ALICE.address}"), kind="dealt"
        )
        delivery.deliver(replace(worker, composer=FailingComposer(worker.composer, "your-turn")))
    assert "cannot be composed" in caplog.text
    assert "example.test" not in caplog.text


def test_stopping_worker_releases_what_it_has_not_begun(
    worker: WorkerContext, slug: str, recording_transport: RecordingTransport, outbox: Outbox
) -> None:
    stopping_worker = replace(worker, is_stopping=lambda: len(recording_transport.emails) == 2)
    delivery.deliver(stopping_worker)
    assert len(recording_transport.emails) == 2
    pending_rows = [row for row in outbox.rows() if row.status == "pending"]
    assert [(row.attempts, row.lease_until) for row in pending_rows] == [(0, None)] * 2
    delivery.deliver(worker)
    assert recording_transport.sent() == EMAILS_OF_A_DEAL


def test_concurrent_senders_send_every_email_once(
    worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    recording_transport: RecordingTransport,
    outbox: Outbox,
) -> None:
    for _ in range(8):
        deal_game(database, guests)
    threads = [threading.Thread(target=delivery.deliver, args=(worker,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(recording_transport.emails) == 24
    assert len({message["Message-ID"] for message in recording_transport.messages}) == 24
    # The player who begins gets the deal with the email about their turn; a sender that comes later drops the other one.
    unsent_statuses = [row.status for row in outbox.rows("dealt") if row.status != "sent"]
    assert len(unsent_statuses) == 8
    assert set(unsent_statuses) <= {"pending", "dropped"}
    assert {row.status for row in outbox.rows("your-turn")} == {"sent"}


def test_every_email_has_its_own_message_id_and_the_root_of_its_game(
    worker: WorkerContext, slug: str, recording_transport: RecordingTransport
) -> None:
    delivery.deliver(worker)
    messages = recording_transport.messages
    assert len({message["Message-ID"] for message in messages}) == 4
    assert all(len(message["Message-ID"]) < 70 for message in messages)
    assert len({message["References"] for message in messages}) == 1


def test_sign_in_email_has_no_unsubscribe_header(
    worker: WorkerContext, database: Database, recording_transport: RecordingTransport
) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, DAVE)
    delivery.deliver(worker)
    (message,) = recording_transport.messages
    assert message["To"].addresses[0].addr_spec == DAVE.address
    assert message["List-Unsubscribe"] is None


@pytest.mark.parametrize("is_link_only", [False, True])
def test_first_turn_email_says_once_that_the_cards_are_dealt(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    *,
    is_link_only: bool,
) -> None:
    outbox.execute(f"UPDATE account SET wants_link_only = {is_link_only}")
    delivery.deliver(worker)
    [message] = [
        parse_message(email.message)
        for email in recording_transport.emails
        if kind_of(email.message) == "your-turn"
    ]
    text, _, _ = text_of(message).partition("Play now")
    assert text.count("dealt") == 1


def test_turn_email_offers_the_same_actions_as_the_page(
    worker: WorkerContext,
    database: Database,
    slug: str,
    guests: list[Guest],
    recording_transport: RecordingTransport,
) -> None:
    with transaction(database) as tx:
        page = game_page(tx, slug, guests[0].person, keys=worker.keys, now=NOON)
    delivery.deliver(worker)
    (html,) = (
        html_of(parse_message(email.message))
        for email in recording_transport.emails
        if kind_of(email.message) == "your-turn"
    )
    assert page.menu == legal_actions(page.view)  # type: ignore[union-attr]
    notations = [quote_plus(write_action(action)) for action in page.menu]  # type: ignore[union-attr]
    assert all(f'?do={escape(notation)}"' in html for notation in notations)


def test_invitation_email_links_to_its_table(
    worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    recording_transport: RecordingTransport,
) -> None:
    slug = open_table(database, guests[0], table_settings())
    send_invitation(database, slug, guests[0], DAVE.address)
    delivery.deliver(worker)
    assert recording_transport.sent() == [("invitation", DAVE.address)]
    link = text_of(recording_transport.emails[0].message).partition("/invitations/")[2].split()[0]
    with transaction(database) as tx:
        page = invitations.invitation_page(tx, link, None)
    assert isinstance(page, invitations.InvitationPage)
    assert page.table.slug == slug
