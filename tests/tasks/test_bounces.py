"""Emails that come back after the relay has taken them: they count as not delivered, and stop for a while if that happens again."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select, text

from tasks import delivery, replies
from tasks.context import WorkerContext
from tests.support.cast import ALICE
from tests.support.delivery_reports import bounce, complaint
from tests.support.factories import DAY, Guest, request_sign_in_email, stored_game
from tests.support.fakes import FakeClock, Outbox, RecordingTransport, kind_of, parse_message
from tests.support.replies import ADDRESSES
from tests.support.transactions import NOON, transaction
from webapp.clock.sweep import sweep
from webapp.mail.envelope import with_token
from webapp.mail.inbound.receiving import find_mailbox, receive
from webapp.mail.outbox import bounces
from webapp.mail.queries.outbox import NewNotification, enqueue
from webapp.mail.schema import InboundEmail
from webapp.mail.transport import PermanentFailure, RenderedEmail

Report = Callable[..., bool]


@pytest.fixture(autouse=True)
def _deal(slug: str, worker: WorkerContext) -> None:
    delivery.deliver(worker)


@pytest.fixture
def report(worker: WorkerContext, recording_transport: RecordingTransport) -> Report:
    """Return a function that hands a report about the newest email to someone to the receiver, and lets the worker read it."""

    def receive_report(raw: bytes, address: str = ALICE.address) -> bool:
        sent = [email for email in recording_transport.emails if email.recipient == address]
        message_id = str(parse_message(sent[-1].message)["Message-ID"])
        recipient = with_token(ADDRESSES.reports, message_id.strip("<>").partition("@")[0])
        with transaction(worker.database) as tx:
            mailbox = find_mailbox(tx, recipient, ADDRESSES)
            if mailbox is None:
                return False
            is_new = receive(tx.at(worker.now()), mailbox, raw)
        replies.read_replies(worker)
        return is_new

    return receive_report


def send_another(worker: WorkerContext, guest: Guest, number: int) -> str:
    """Owe a guest another email about their turn, deliver, and return what became of it."""
    with transaction(worker.database) as tx:
        game_id, seq = tx.execute(text("SELECT id, turn_seq FROM game")).one()
        notification = NewNotification(
            kind="your-turn",
            game_id=game_id,
            seq=seq,
            account_id=guest.person.id,
            dedup_key=10 + number,
            due_at=worker.now(),
        )
        enqueue(tx, [notification])
    delivery.deliver(worker)
    row = Outbox(worker.database).rows("your-turn")[-1]
    return f"{row.status} {row.reason or ''}".strip()


def test_email_that_comes_back_counts_as_not_delivered(
    worker: WorkerContext, guests: list[Guest], slug: str, report: Report, outbox: Outbox
) -> None:
    outbox.execute("DELETE FROM notification WHERE kind = 'dealt'")
    assert report(bounce("5.1.1"))
    row = outbox.only_row("your-turn")
    assert (row.status, row.reason) == ("failed", "bounced 5.1.1")
    with transaction(worker.database, NOON + DAY) as tx:
        result = sweep(tx)
    game_row = stored_game(worker.database, slug, guests[0]).row
    assert (result.expired_count, game_row.seats[0].strikes) == (0, 0)
    assert game_row.deadline_at == NOON + 2 * DAY


def test_report_counts_once(worker: WorkerContext, report: Report, guests: list[Guest]) -> None:
    assert report(bounce("5.1.1"))
    assert not report(bounce("5.1.1"))
    assert not report(bounce("5.1.1", action="failed").replace(b"sorry", b"very sorry"))
    assert send_another(worker, guests[0], 1) == "sent"


def test_emails_stop_after_two_to_an_address_that_does_not_exist(
    worker: WorkerContext,
    guests: list[Guest],
    report: Report,
    recording_transport: RecordingTransport,
) -> None:
    report(bounce("5.1.1"))
    assert send_another(worker, guests[0], 1) == "sent"
    report(bounce("5.1.1"))
    assert send_another(worker, guests[0], 2) == "failed suppressed"
    assert send_another(worker, guests[1], 3) != "failed suppressed"
    with transaction(worker.database) as tx:
        request_sign_in_email(tx, ALICE)
    delivery.deliver(worker)
    assert kind_of(recording_transport.emails[-1].message) == "sign-in"


def test_full_mailbox_is_tried_more_often(
    worker: WorkerContext, guests: list[Guest], report: Report
) -> None:
    outcomes = []
    for number in range(6):
        report(bounce("5.2.2"))
        outcomes.append(send_another(worker, guests[0], number + 1))
    assert outcomes == ["sent"] * 4 + ["failed suppressed"] * 2


def test_emails_are_sent_again_once_the_score_has_decayed(
    worker: WorkerContext, clock: FakeClock, guests: list[Guest], report: Report
) -> None:
    report(bounce("5.1.1"))
    send_another(worker, guests[0], 1)
    report(bounce("5.1.1"))
    clock.move(timedelta(days=4))
    assert send_another(worker, guests[0], 2) == "failed suppressed"
    clock.move(timedelta(days=1))
    assert send_another(worker, guests[0], 3) == "sent"
    assert report(bounce("5.1.1"))
    assert send_another(worker, guests[0], 4) == "failed suppressed"


def test_player_ends_the_suppression(
    worker: WorkerContext, guests: list[Guest], report: Report
) -> None:
    report(complaint())
    assert send_another(worker, guests[0], 1) == "failed suppressed"
    with transaction(worker.database) as tx:
        bounces.resume_emails(tx, guests[0].person)
    assert send_another(worker, guests[0], 2) == "sent"


def test_refusals_of_the_relay_count_too(worker: WorkerContext, guests: list[Guest]) -> None:
    class RefusingTransport(RecordingTransport):
        def send(self, _email: RenderedEmail) -> None:
            raise PermanentFailure("550 5.1.1 no such mailbox")

    refusing_worker = replace(worker, transport=RefusingTransport())
    for number in (1, 2):
        assert send_another(refusing_worker, guests[0], number).startswith("failed 550 5.1.1")
    assert send_another(worker, guests[0], 3) == "failed suppressed"


def test_out_of_office_changes_nothing(
    worker: WorkerContext, report: Report, outbox: Outbox
) -> None:
    raw = b"From: alice@example.test\r\nAuto-Submitted: auto-replied\r\n\r\nI am away.\r\n"
    assert report(raw)
    assert outbox.statuses() == {"sent"}
    with transaction(worker.database) as tx:
        assert tx.execute(select(InboundEmail.outcome)).scalar_one() == "no-report"


@pytest.mark.parametrize("token", ["", "x", "%", "_" * 26, "a" * 26])
def test_report_about_an_email_that_was_never_sent_is_not_accepted(
    worker: WorkerContext, token: str
) -> None:
    with transaction(worker.database) as tx:
        assert find_mailbox(tx, f"bounce+{token}@lodepost.test", ADDRESSES) is None
