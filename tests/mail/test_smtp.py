import smtplib
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from tests.support.smtp_sink import DROP, Sink
from webapp.mail.relay import Relay, relay_at
from webapp.mail.smtp import SmtpTransport
from webapp.mail.transport import (
    AmbiguousFailure,
    DeliveryFailure,
    PermanentFailure,
    RenderedEmail,
    SystemRefusal,
    TransientFailure,
    Unreachable,
)

VERP_SENDER = "bounce+0123@lodepost.example.org"
PLAIN_SENDER = "lodepost@lodepost.example.org"
MESSAGE = b"Subject: hello\r\n\r\n.a line with a dot\r\n.\r\nthe end\r\n"


class FakeMonotonicClock:
    """A monotonic clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def email_from(*senders: str, recipient: str = "anna@example.org") -> RenderedEmail:
    return RenderedEmail(recipient, senders or (VERP_SENDER, PLAIN_SENDER), MESSAGE)


@pytest.fixture
def clock() -> FakeMonotonicClock:
    return FakeMonotonicClock()


@pytest.fixture
def transport(sink: Sink, clock: FakeMonotonicClock) -> Iterator[SmtpTransport]:
    with closing(
        SmtpTransport(relay_at(f"smtp://127.0.0.1:{sink.port}"), clock=clock)
    ) as opened_transport:
        yield opened_transport


def test_message_arrives_unchanged(transport: SmtpTransport, sink: Sink) -> None:
    transport.send(email_from())
    assert sink.only_message.message == MESSAGE
    assert sink.only_message.sender == VERP_SENDER
    assert sink.only_message.recipients == ("anna@example.org",)


def test_connection_is_reused_for_the_next_email(transport: SmtpTransport, sink: Sink) -> None:
    for _ in range(3):
        transport.send(email_from())
    assert len(sink.accepted_messages) == 3
    assert len(sink.peers) == 1


def test_connection_that_was_idle_too_long_is_replaced(
    transport: SmtpTransport, sink: Sink, clock: FakeMonotonicClock
) -> None:
    transport.send(email_from())
    clock.now += 61
    transport.send(email_from())
    assert len(sink.peers) == 2


def test_idle_connection_that_broke_is_replaced_without_an_error(
    transport: SmtpTransport, sink: Sink
) -> None:
    transport.send(email_from())
    sink.answers["MAIL"] = [DROP]
    transport.send(email_from())
    assert len(sink.accepted_messages) == 2


def test_connection_is_replaced_after_421(transport: SmtpTransport, sink: Sink) -> None:
    transport.send(email_from())
    sink.answers["MAIL"] = ["421 4.3.2 enough for this connection"]
    transport.send(email_from())
    assert len(sink.peers) == 2


@pytest.mark.parametrize("step", ["RCPT", "DATA"])
@pytest.mark.parametrize(
    "response, failure_class",
    [
        ("450 4.2.1 greylisted", TransientFailure),
        ("452 4.2.2 mailbox full", TransientFailure),
        ("550 5.1.1 no such user", PermanentFailure),
        ("552 5.3.4 too big", PermanentFailure),
        ("450 4.7.1 greylisted", TransientFailure),
        ("554 5.7.1 Relay access denied", SystemRefusal),
        ("550 5.4.5 quota exceeded", SystemRefusal),
        ("554 5.3.2 system not accepting messages", SystemRefusal),
        ("451 4.3.5 server configuration error", SystemRefusal),
        ("550 5.4.50 unknown", PermanentFailure),
        ("421 4.3.2 going down", Unreachable),
    ],
)
def test_refusal_is_classified_by_its_code(
    transport: SmtpTransport,
    sink: Sink,
    step: str,
    response: str,
    failure_class: type[DeliveryFailure],
) -> None:
    sink.answers[step] = response
    with pytest.raises(DeliveryFailure) as error_info:
        transport.send(email_from())
    assert type(error_info.value) is failure_class
    assert error_info.value.code == response


def test_connection_is_reused_after_a_refusal(transport: SmtpTransport, sink: Sink) -> None:
    sink.answers["RCPT"] = ["550 5.1.1 no such user"]
    with pytest.raises(PermanentFailure):
        transport.send(email_from(recipient="unknown@example.org"))
    transport.send(email_from())
    assert sink.only_message.recipients == ("anna@example.org",)
    assert len(sink.peers) == 1


@pytest.mark.parametrize("response", [DROP, "502 5.5.1 what"])
def test_connection_that_cannot_be_reset_is_replaced(
    transport: SmtpTransport, sink: Sink, response: str
) -> None:
    sink.answers["RCPT"] = ["550 5.1.1 no such user"]
    sink.answers["RSET"] = [response]
    with pytest.raises(PermanentFailure):
        transport.send(email_from())
    transport.send(email_from())
    assert len(sink.peers) == 2


@pytest.mark.parametrize(
    "response",
    ["553 5.1.8 who are you", "451 4.7.1 too much of you today", "552 5.2.2 over your quota"],
)
def test_refused_sender_counts_as_unreachable(
    transport: SmtpTransport, sink: Sink, response: str
) -> None:
    sink.answers["MAIL"] = response
    with pytest.raises(Unreachable):
        transport.send(email_from())


def test_email_refused_for_its_size_fails_alone(transport: SmtpTransport, sink: Sink) -> None:
    sink.answers["MAIL"] = ["552 5.3.4 message size exceeds fixed limit"]
    with pytest.raises(PermanentFailure):
        transport.send(email_from())


@pytest.mark.parametrize("step", ["MAIL", "RCPT", "DATA"])
def test_broken_connection_counts_as_unreachable(
    transport: SmtpTransport, sink: Sink, step: str
) -> None:
    sink.answers[step] = DROP
    with pytest.raises(Unreachable):
        transport.send(email_from())
    sink.answers.clear()
    transport.send(email_from())


def test_connection_broken_after_the_data_is_ambiguous(
    transport: SmtpTransport, sink: Sink
) -> None:
    # A duplicate is better than a loss: the email is sent again.
    sink.answers["AFTER"] = DROP
    with pytest.raises(AmbiguousFailure):
        transport.send(email_from())
    assert len(sink.accepted_messages) == 1


def test_refused_connection_counts_as_unreachable() -> None:
    with socket.socket() as unused_socket:
        unused_socket.bind(("127.0.0.1", 0))
        port = unused_socket.getsockname()[1]
    with pytest.raises(Unreachable) as error_info:
        SmtpTransport(Relay("127.0.0.1", port, "if-offered")).send(email_from())
    assert "refused" in error_info.value.code.lower()


def test_failed_connection_attempt_is_not_repeated_for_ten_seconds(
    clock: FakeMonotonicClock,
) -> None:
    attempts: list[str] = []

    def fail_to_connect(relay: Relay) -> smtplib.SMTP:
        attempts.append(relay.host)
        raise TimeoutError("timed out")

    transport = SmtpTransport(
        Relay("relay.test", 25, "if-offered"), clock=clock, connect=fail_to_connect
    )
    for _ in range(3):
        with pytest.raises(Unreachable):
            transport.send(email_from())
    assert len(attempts) == 1
    clock.now += 11
    with pytest.raises(Unreachable):
        transport.send(email_from())
    assert len(attempts) == 2


def test_relay_that_accepts_one_sender_only_gets_that_sender(
    transport: SmtpTransport, sink: Sink
) -> None:
    sink.answers[f"MAIL {VERP_SENDER}"] = "550 5.7.60 you may not send as this sender"
    transport.send(email_from())
    transport.send(email_from())
    assert [accepted_messages.sender for accepted_messages in sink.accepted_messages] == [
        PLAIN_SENDER,
        PLAIN_SENDER,
    ]


def test_sender_refused_at_rcpt_is_replaced_by_the_last_sender(
    transport: SmtpTransport, sink: Sink
) -> None:
    sink.answers["RCPT"] = ["553 5.7.1 sender address rejected: not owned by you"]
    transport.send(email_from())
    assert sink.only_message.sender == PLAIN_SENDER


def test_refusal_of_both_senders_is_about_the_system(transport: SmtpTransport, sink: Sink) -> None:
    sink.answers["RCPT"] = ["550 5.7.1 not wanted", "550 5.7.1 not wanted"]
    with pytest.raises(SystemRefusal):
        transport.send(email_from())
    transport.send(email_from())
    assert sink.only_message.sender == VERP_SENDER


def test_refusal_of_a_single_sender_is_about_the_system(
    transport: SmtpTransport, sink: Sink
) -> None:
    sink.answers["RCPT"] = ["550 5.7.1 not wanted"]
    with pytest.raises(SystemRefusal):
        transport.send(email_from(PLAIN_SENDER))


def test_reason_contains_no_address(transport: SmtpTransport, sink: Sink) -> None:
    sink.answers["RCPT"] = ["550 5.1.1 <anna@example.org>: no such user"]
    with pytest.raises(PermanentFailure) as error_info:
        transport.send(email_from())
    assert error_info.value.code == "550 5.1.1 <(address)>: no such user"


def test_threads_use_separate_connections(transport: SmtpTransport, sink: Sink) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: transport.send(email_from()), range(40)))
    assert len(sink.accepted_messages) == 40
    assert len(sink.peers) <= 4


def test_late_email_is_not_sent_but_its_connection_is_kept(
    transport: SmtpTransport, sink: Sink
) -> None:
    with pytest.raises(Unreachable, match="took too long"):
        transport.send(email_from()._replace(is_within_lease=lambda: False))
    assert sink.accepted_messages == []
    transport.send(email_from())
    assert len(sink.accepted_messages) == 1
    assert len(sink.peers) == 1
