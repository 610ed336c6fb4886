"""Emails of whole games, from the outbox through a real relay to the parser of a mail program."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tasks import deadlines, delivery
from tasks.context import WorkerContext
from tests.support.cast import ALICE
from tests.support.caused_emails import cause_every_kind
from tests.support.email_contexts import EMAIL_KINDS
from tests.support.factories import (
    Guest,
    open_table,
    play_turn,
    request_sign_in_email,
    seat_guest,
    table_settings,
)
from tests.support.fakes import (
    FakeClock,
    Outbox,
    RecordingTransport,
    html_of,
    kind_of,
    parse_message,
    text_of,
)
from tests.support.smtp_sink import Sink
from tests.support.transactions import transaction
from webapp.kernel.tx import Database
from webapp.mail.outbox.unsubscribe import unsubscribe, unsubscribe_page
from webapp.mail.pages.filed_emails import EmailFolder
from webapp.mail.relay import relay_at
from webapp.mail.smtp import SmtpTransport
from webapp.mail.transport import MaildirTransport


@pytest.fixture
def relaying_worker(worker: WorkerContext, sink: Sink) -> Iterator[WorkerContext]:
    """A worker with a connection to a real relay, which is never too old to be used again."""
    relay = relay_at(f"smtp://127.0.0.1:{sink.port}")
    with closing(SmtpTransport(relay, clock=lambda: 0.0)) as transport:
        yield replace(worker, transport=transport)


def send_reminders(worker: WorkerContext, clock: FakeClock) -> None:
    clock.now += timedelta(hours=20)
    deadlines.sweep_deadlines(worker)
    delivery.deliver(worker)


def test_every_kind_of_email_arrives_complete(
    relaying_worker: WorkerContext,
    guests: list[Guest],
    sink: Sink,
    clock: FakeClock,
    outbox: Outbox,
) -> None:
    slug = cause_every_kind(relaying_worker, guests, clock)
    kinds = {kind_of(accepted_message.message) for accepted_message in sink.accepted_messages}
    assert kinds == {*EMAIL_KINDS}
    assert len({accepted_message.peer for accepted_message in sink.accepted_messages}) == 1, (
        "one connection for the whole game"
    )
    for accepted_message in sink.accepted_messages:
        assert_complete(accepted_message.read(), accepted_message.recipients)
    threads = {
        message["References"]
        for message in (accepted_message.read() for accepted_message in sink.accepted_messages)
        if message["List-Id"] == f"<{slug}.lodepost.test>"
    }
    assert len(threads) == 1
    assert outbox.statuses() <= {"sent", "dropped"}


def assert_complete(message: EmailMessage, recipients: tuple[str, ...]) -> None:
    assert not any(part.defects for part in message.walk())
    assert len(text_of(message)) > 150
    assert len(html_of(message)) > 200
    assert [address.addr_spec for address in message["To"].addresses] == list(recipients)


def test_ready_check_email_goes_to_every_player(
    worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    recording_transport: RecordingTransport,
) -> None:
    slug = open_table(database, guests[0], table_settings())
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    delivery.deliver(worker)
    assert recording_transport.sent() == [("ready-check", guest.person.address) for guest in guests]


def test_one_click_in_the_mail_program_stops_the_emails_of_that_game(
    worker: WorkerContext,
    database: Database,
    slug: str,
    guests: list[Guest],
    recording_transport: RecordingTransport,
    outbox: Outbox,
    clock: FakeClock,
) -> None:
    delivery.deliver(worker)
    mine = next(
        message
        for message in recording_transport.messages
        if kind_of(bytes(message)) == "your-turn"
    )
    token = urlsplit(str(mine["List-Unsubscribe"]).strip("<>")).path.rpartition("/")[2]
    with transaction(database) as tx:
        assert unsubscribe_page(tx, token).scope == "game"
        unsubscribe(tx.at(clock()), token)
        unsubscribe(tx.at(clock()), token)
    recording_transport.emails.clear()
    for guest in guests:
        play_turn(database, slug, guest, now=clock())
    delivery.deliver(worker)
    assert ALICE.address not in {email.recipient for email in recording_transport.emails}
    alices_row = outbox.rows("your-turn")[-1]
    assert (alices_row.status, alices_row.reason) == ("dropped", "unsubscribed")

    # Opting out does not prevent signing in.
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE, now=clock())
    delivery.deliver(worker)
    assert ("sign-in", ALICE.address) in recording_transport.sent()


def test_one_click_on_a_reminder_stops_reminders_only(
    worker: WorkerContext,
    database: Database,
    slug: str,
    recording_transport: RecordingTransport,
    clock: FakeClock,
) -> None:
    delivery.deliver(worker)
    send_reminders(worker, clock)
    reminder = next(
        message for message in recording_transport.messages if kind_of(bytes(message)) == "reminder"
    )
    token = urlsplit(str(reminder["List-Unsubscribe"]).strip("<>")).path.rpartition("/")[2]
    with transaction(database) as tx:
        assert unsubscribe_page(tx, token).scope == "reminders"


def test_without_a_relay_the_emails_are_filed_in_a_folder(
    worker: WorkerContext, slug: str, tmp_path: Path, outbox: Outbox
) -> None:
    delivery.deliver(replace(worker, transport=MaildirTransport(tmp_path / "mail")))
    filing_transport = EmailFolder(tmp_path / "mail")
    filed_messages = [
        filing_transport.read(filed_message.key) for filed_message in filing_transport.all_files()
    ]
    assert len(filed_messages) == 4
    assert outbox.statuses() == {"sent"}
    assert all(
        filed_message and dict(filed_message.headers)["Return-Path"]
        for filed_message in filed_messages
    )


def test_envelope_sender_contains_the_message_id_if_the_domain_is_public(
    relaying_worker: WorkerContext, slug: str, sink: Sink
) -> None:
    delivery.deliver(replace(relaying_worker, mail_from="lodepost@lodepost.org"))
    for accepted_message in sink.accepted_messages:
        own_message_id = (
            str(parse_message(accepted_message.message)["Message-ID"]).strip("<>").partition("@")[0]
        )
        assert accepted_message.sender == f"bounce+{own_message_id}@lodepost.org"
