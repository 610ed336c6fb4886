"""Emails are taken out of an ordinary mailbox on a real Dovecot, and those of other people stay there."""

import smtplib
from collections.abc import Iterator
from dataclasses import replace
from email.utils import parseaddr

import pytest
from imapclient import IMAPClient
from sqlalchemy import func, select

from tasks import delivery, replies
from tasks.context import WorkerContext
from tests.support.cast import ALICE
from tests.support.delivery_reports import bounce
from tests.support.dovecot import PASSWORD, Dovecot, running_dovecot
from tests.support.factories import Guest, stored_game
from tests.support.fakes import Outbox, RecordingTransport
from tests.support.replies import ADDRESSES, answer_to, latest_email_to
from tests.support.transactions import transaction
from webapp.kernel.tx import Database
from webapp.mail.inbound.imap import ImapPoll, imap_mailbox_at
from webapp.mail.inbound.receiving import MAX_MESSAGE_SIZE
from webapp.mail.schema import InboundEmail

OTHER_EMAIL = (
    b"From: sales@example.test\r\nTo: reply@lodepost.test\r\nSubject: Sale\r\n\r\nBuy!\r\n"
)


@pytest.fixture(scope="module")
def dovecot_of_module() -> Iterator[Dovecot]:
    with running_dovecot() as server:
        yield server


@pytest.fixture
def dovecot(dovecot_of_module: Dovecot) -> Dovecot:
    with inbox(dovecot_of_module) as client:
        client.delete_messages(client.search())
        client.expunge()
    return dovecot_of_module


@pytest.fixture
def worker(worker: WorkerContext, dovecot: Dovecot) -> WorkerContext:
    poll = ImapPoll(imap_mailbox_at(dovecot.url("reply")))
    return replace(worker, own_addresses=ADDRESSES, authserv_id="mx.lodepost.test", imap_poll=poll)


@pytest.fixture(autouse=True)
def _deal(slug: str, worker: WorkerContext) -> None:
    delivery.deliver(worker)


def inbox(dovecot: Dovecot) -> IMAPClient:
    """Return a mail program that is signed in to the mailbox of the server."""
    client = IMAPClient("127.0.0.1", port=dovecot.imap_port, ssl=False)
    client.login("reply", PASSWORD)
    client.select_folder("INBOX")
    return client


def put_in(dovecot: Dovecot, recipient: str, raw: bytes, sender: str = ALICE.address) -> None:
    with smtplib.LMTP("127.0.0.1", dovecot.lmtp_port) as client:
        client.sendmail(sender, [recipient], raw)


def answer_of_alice(transport: RecordingTransport, typed: str) -> tuple[str, bytes]:
    message = latest_email_to(transport, ALICE.address)
    results = "mx.lodepost.test; dmarc=pass header.from=example.test"
    raw = answer_to(message, typed, **{"Authentication-Results": results})
    return parseaddr(str(message["Reply-To"]))[1], raw


def received_count(database: Database) -> int:
    with transaction(database) as tx:
        return tx.execute(select(func.count()).select_from(InboundEmail)).scalar_one()


def test_answer_in_the_mailbox_is_played_and_deleted_there(
    worker: WorkerContext,
    dovecot: Dovecot,
    guests: list[Guest],
    slug: str,
    recording_transport: RecordingTransport,
) -> None:
    before = stored_game(worker.database, slug, guests[0]).seq
    put_in(dovecot, *answer_of_alice(recording_transport, "discard 1"))
    replies.fetch_emails(worker)
    replies.read_replies(worker)
    assert stored_game(worker.database, slug, guests[0]).seq == before + 1
    with inbox(dovecot) as client:
        assert client.search() == []


def test_other_emails_stay_in_the_mailbox_unread(
    worker: WorkerContext, dovecot: Dovecot, recording_transport: RecordingTransport
) -> None:
    put_in(dovecot, "reply@lodepost.test", OTHER_EMAIL)
    put_in(dovecot, "reply+neverissued@lodepost.test", OTHER_EMAIL)
    address, raw = answer_of_alice(recording_transport, "status")
    put_in(dovecot, address, raw + b"x" * MAX_MESSAGE_SIZE)
    for _ in range(2):
        replies.fetch_emails(worker)
    put_in(dovecot, address, raw)
    replies.fetch_emails(worker)
    assert received_count(worker.database) == 1
    with inbox(dovecot) as client:
        assert len(client.search(["NOT", "SEEN"])) == 3


def test_email_that_was_stored_but_not_deleted_is_stored_once(
    worker: WorkerContext, dovecot: Dovecot, recording_transport: RecordingTransport
) -> None:
    _, raw = answer_of_alice(recording_transport, "status")
    for _ in range(2):
        with inbox(dovecot) as client:
            client.append("INBOX", raw)
        poll = ImapPoll(imap_mailbox_at(dovecot.url("reply")))
        replies.fetch_emails(replace(worker, imap_poll=poll))
    assert received_count(worker.database) == 1
    with inbox(dovecot) as client:
        assert client.search() == []


def test_report_to_another_address_finds_its_email_by_message_id(
    worker: WorkerContext,
    dovecot: Dovecot,
    recording_transport: RecordingTransport,
    outbox: Outbox,
) -> None:
    message_id = str(latest_email_to(recording_transport, ALICE.address)["Message-ID"])
    raw = bounce("5.1.1").replace(
        b"Subject: Your turn\r\n", f"Message-ID: {message_id}\r\n".encode()
    )
    put_in(dovecot, "reply@lodepost.test", raw, sender="")
    replies.fetch_emails(worker)
    replies.read_replies(worker)
    assert outbox.rows("your-turn")[0].reason == "bounced 5.1.1"


@pytest.mark.parametrize(
    "url", ["imap://reply:wrong@127.0.0.1:{}/INBOX", "imap://a:b@127.0.0.1:9/"]
)
def test_mailbox_that_cannot_be_read_is_a_line_in_the_log_without_the_password(
    worker: WorkerContext, dovecot: Dovecot, caplog: pytest.LogCaptureFixture, url: str
) -> None:
    poll = ImapPoll(imap_mailbox_at(url.format(dovecot.imap_port)))
    replies.fetch_emails(replace(worker, imap_poll=poll))
    [line] = [record.getMessage() for record in caplog.records if "IMAP_URL" in record.getMessage()]
    assert "wrong" not in line
