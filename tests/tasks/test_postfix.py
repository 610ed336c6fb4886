"""Emails of a whole game through Postfix: every one arrives once, byte for byte."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest

from tasks import delivery
from tasks.context import WorkerContext
from tests.support.caused_emails import cause_every_kind
from tests.support.factories import Guest
from tests.support.fakes import FakeClock, Outbox, parse_message
from tests.support.redis import wait_until
from tests.support.smtp_sink import Sink
from tests.tasks.postfix import PostfixRelay, running_relay
from webapp.mail.relay import relay_at
from webapp.mail.smtp import SmtpTransport
from webapp.mail.transport import RenderedEmail


@pytest.fixture
def relay(sink: Sink) -> Iterator[PostfixRelay]:
    with running_relay(sink.port) as started_relay:
        yield started_relay


class RecordingSmtpTransport:
    """An SMTP transport that keeps what the relay accepted."""

    def __init__(self, transport: SmtpTransport) -> None:
        self._transport = transport
        self.emails: list[RenderedEmail] = []

    def send(self, email: RenderedEmail) -> None:
        self._transport.send(email)
        self.emails.append(email)

    def close(self) -> None:
        self._transport.close()


@pytest.fixture
def recording_transport(relay: PostfixRelay, clock: FakeClock) -> Iterator[RecordingSmtpTransport]:
    place = relay_at(f"smtp://127.0.0.1:{relay.port}")
    with closing(SmtpTransport(place, clock=lambda: clock().timestamp())) as transport:
        yield RecordingSmtpTransport(transport)


@pytest.fixture
def relaying_worker(
    worker: WorkerContext, recording_transport: RecordingSmtpTransport
) -> WorkerContext:
    """A worker with a connection to the relay."""
    return replace(worker, transport=recording_transport)


def with_unix_line_ends(message: bytes) -> bytes:
    return b"\n".join(message.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n"))


@pytest.mark.no_cover
def test_every_email_of_a_game_arrives_once_and_unchanged(
    relaying_worker: WorkerContext,
    guests: list[Guest],
    clock: FakeClock,
    recording_transport: RecordingSmtpTransport,
    sink: Sink,
) -> None:
    # The destination refuses some emails at first; the relay keeps them and tries again.
    sink.answers["DATA"] = ["451 4.3.0 not now"] * 5
    cause_every_kind(relaying_worker, guests, clock)
    assert len(recording_transport.emails) > 20
    wait_until(lambda: len(sink.accepted_messages) >= len(recording_transport.emails), timeout=600)
    arrived_message_ids = {
        str(parse_message(accepted_message.message)["Message-ID"]): accepted_message
        for accepted_message in sink.accepted_messages
    }
    assert (
        len(arrived_message_ids) == len(sink.accepted_messages) == len(recording_transport.emails)
    )
    for email in recording_transport.emails:
        accepted_message = arrived_message_ids[str(parse_message(email.message)["Message-ID"])]
        assert accepted_message.recipients == (email.recipient,)
        # A relay puts its own header lines on top and changes nothing else.
        assert with_unix_line_ends(accepted_message.message).endswith(
            with_unix_line_ends(email.message)
        )


def test_emails_are_sent_once_an_absent_relay_returns(
    relaying_worker: WorkerContext,
    slug: str,
    clock: FakeClock,
    outbox: Outbox,
    relay: PostfixRelay,
    sink: Sink,
) -> None:
    relay.stop()
    for _ in range(2):
        delivery.deliver(relaying_worker)
    assert outbox.statuses() == {"pending"}
    relay.start()
    clock.now += timedelta(hours=1)
    delivery.deliver(relaying_worker)
    assert outbox.statuses() == {"sent"}
    wait_until(lambda: len(sink.accepted_messages) == len(outbox.rows()), timeout=600)
