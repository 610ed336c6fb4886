"""Emails are received by SMTP and LMTP with real connections: stored and then accepted, refused, or put off."""

import smtplib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

import pytest
from sqlalchemy import func, select

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import deal_game, sign_in_guests, stored_game
from tests.support.ports import free_port
from tests.support.replies import ADDRESSES
from tests.support.transactions import KEYS, transaction
from webapp.kernel.keyring import hash_of
from webapp.kernel.tx import Database
from webapp.mail.envelope import reply_token_of, token_in, with_token
from webapp.mail.inbound.receiving import MAX_MESSAGE_SIZE
from webapp.mail.queries import replies
from webapp.mail.queries.replies import ReplyTokenRow
from webapp.mail.schema import InboundEmail
from webapp.serving.mail_in import MailReceiver, MailServer

NOON: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)
MESSAGE: Final = b"From: alice@example.test\r\nSubject: Re\r\n\r\ndiscard 1\r\n"


@pytest.fixture
def address(database: Database) -> str:
    """The address to which Alice answers the email about her turn."""
    guests = sign_in_guests(database, ALICE, BOB, CAROL)
    slug = deal_game(database, guests)
    row = stored_game(database, slug, guests[0]).row
    token = reply_token_of(row.id, guests[0].person.id, row.turn_seq, KEYS)
    with transaction(database) as tx:
        token_row = ReplyTokenRow(
            token_hash=hash_of(token),
            account_id=guests[0].person.id,
            game_id=row.id,
            seq=row.turn_seq,
        )
        replies.store_tokens(tx, [token_row])
    return with_token(ADDRESSES.replies, token)


def server_of(database: Database, *, is_lmtp: bool) -> Iterator[int]:
    receiver = MailReceiver(database, addresses=ADDRESSES, nudge=lambda _: None, now=lambda: NOON)
    port = free_port()
    server = MailServer(receiver, "127.0.0.1", port, is_lmtp=is_lmtp)
    server.start()
    yield port
    server.stop()


@pytest.fixture
def smtp_port(database: Database) -> Iterator[int]:
    yield from server_of(database, is_lmtp=False)


@pytest.fixture
def lmtp_port(database: Database) -> Iterator[int]:
    yield from server_of(database, is_lmtp=True)


def stored_count(database: Database) -> int:
    with transaction(database) as tx:
        return tx.execute(select(func.count()).select_from(InboundEmail)).scalar_one()


def test_email_is_stored_once_however_often_it_comes(
    database: Database, address: str, smtp_port: int
) -> None:
    for _ in range(2):
        with smtplib.SMTP("127.0.0.1", smtp_port) as client:
            assert client.sendmail("alice@example.test", [address], MESSAGE) == {}
    assert stored_count(database) == 1
    with transaction(database) as tx:
        row = replies.next_waiting(tx)
    assert row is not None
    assert row.message == b"Return-Path: <alice@example.test>\r\n" + MESSAGE
    assert not row.is_vouched


def test_lmtp_answers_for_each_recipient(database: Database, address: str, lmtp_port: int) -> None:
    with smtplib.LMTP("127.0.0.1", lmtp_port) as client:
        assert client.sendmail("alice@example.test", [address], MESSAGE) == {}
    assert stored_count(database) == 1


@pytest.mark.parametrize(
    "recipient",
    ["reply+never-issued@lodepost.test", "reply@lodepost.test", "someone@elsewhere.test"],
)
def test_token_that_was_never_issued_is_refused(
    database: Database, address: str, smtp_port: int, recipient: str
) -> None:
    with smtplib.SMTP("127.0.0.1", smtp_port) as client:
        client.helo()
        client.mail("alice@example.test")
        code, answer = client.rcpt(recipient)
    assert (code, answer[:5]) == (550, b"5.1.1")
    assert stored_count(database) == 0


def test_another_attempt_is_asked_for_while_the_database_is_away(address: str) -> None:
    away = Database("postgresql+psycopg://none@127.0.0.1:9/none")
    receiver = MailReceiver(away, addresses=ADDRESSES, nudge=lambda _: None, now=lambda: NOON)
    assert receiver.check_recipient(address).startswith("451 4.3.0")
    assert receiver.store("alice@example.test", address, MESSAGE).startswith("451 4.3.0")


def test_email_that_is_too_large_is_refused(
    database: Database, address: str, smtp_port: int
) -> None:
    with (
        smtplib.SMTP("127.0.0.1", smtp_port) as client,
        pytest.raises(smtplib.SMTPResponseException) as refusal,
    ):
        client.sendmail("alice@example.test", [address], MESSAGE + b"x" * MAX_MESSAGE_SIZE)
    assert refusal.value.smtp_code == 552
    assert stored_count(database) == 0


@pytest.mark.parametrize(
    "recipient, token",
    [
        ("reply+abc@lodepost.test", "abc"),
        ("REPLY+ABC@LODEPOST.TEST", "abc"),
        ("reply@lodepost.test", None),
        ("reply+@lodepost.test", None),
        ("other+abc@lodepost.test", None),
        ("reply+abc@other.test", None),
        ("", None),
        ("reply+\xe9@lodepost.test", None),
    ],
)
def test_token_is_read_from_addresses_for_answers_alone(recipient: str, token: str | None) -> None:
    assert token_in(recipient, ADDRESSES.replies) == token
