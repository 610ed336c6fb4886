import smtplib
import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.support.smtp_sink import DROP, Sink, running_sink, trusting_context
from webapp.mail.relay import Relay, relay_at
from webapp.mail.smtp import SmtpTransport
from webapp.mail.transport import (
    AmbiguousFailure,
    DeliveryFailure,
    PermanentFailure,
    RenderedEmail,
    TransientFailure,
    Unreachable,
)

VERP = "bounce+0123@lodepost.example.org"
PLAIN = "lodepost@lodepost.example.org"
MESSAGE = b"Subject: hello\r\n\r\n.a line with a dot\r\n.\r\nthe end\r\n"


class Ticking:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def parcel(*senders: str, recipient: str = "anna@example.org") -> RenderedEmail:
    return RenderedEmail(recipient, senders or (VERP, PLAIN), MESSAGE)


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def transport(sink: Sink, clock: Ticking) -> Iterator[SmtpTransport]:
    with closing(SmtpTransport(relay_at(f"smtp://127.0.0.1:{sink.port}"), clock=clock)) as opened:
        yield opened


def test_a_message_arrives_as_it_was(transport: SmtpTransport, sink: Sink) -> None:
    transport.send(parcel())
    assert sink.only.message == MESSAGE
    assert sink.only.sender == VERP
    assert sink.only.recipients == ("anna@example.org",)


def test_the_connection_is_kept_for_the_next_message(transport: SmtpTransport, sink: Sink) -> None:
    for _ in range(3):
        transport.send(parcel())
    assert len(sink.taken) == 3
    assert len(sink.peers) == 1


def test_a_connection_that_waited_too_long_is_replaced(
    transport: SmtpTransport, sink: Sink, clock: Ticking
) -> None:
    transport.send(parcel())
    clock.now += 61
    transport.send(parcel())
    assert len(sink.peers) == 2


def test_a_kept_connection_that_died_is_replaced_unnoticed(
    transport: SmtpTransport, sink: Sink
) -> None:
    transport.send(parcel())
    sink.answers["MAIL"] = [DROP]
    transport.send(parcel())
    assert len(sink.taken) == 2


def test_a_relay_that_wants_a_new_connection_gets_one(transport: SmtpTransport, sink: Sink) -> None:
    transport.send(parcel())
    sink.answers["MAIL"] = ["421 4.3.2 enough for this connection"]
    transport.send(parcel())
    assert len(sink.peers) == 2


@pytest.mark.parametrize("step", ["RCPT", "DATA"])
@pytest.mark.parametrize(
    "answer, meaning",
    [
        ("450 4.2.1 greylisted", TransientFailure),
        ("452 4.2.2 mailbox full", TransientFailure),
        ("550 5.1.1 no such user", PermanentFailure),
        ("552 5.3.4 too big", PermanentFailure),
        ("421 4.3.2 going down", Unreachable),
    ],
)
def test_a_refusal_is_for_later_or_for_ever(
    transport: SmtpTransport, sink: Sink, step: str, answer: str, meaning: type[DeliveryFailure]
) -> None:
    sink.answers[step] = answer
    with pytest.raises(DeliveryFailure) as refused:
        transport.send(parcel())
    assert type(refused.value) is meaning
    assert refused.value.code == answer


def test_after_a_refusal_the_same_connection_takes_the_next_message(
    transport: SmtpTransport, sink: Sink
) -> None:
    sink.answers["RCPT"] = ["550 5.1.1 no such user"]
    with pytest.raises(PermanentFailure):
        transport.send(parcel(recipient="nobody@example.org"))
    transport.send(parcel())
    assert sink.only.recipients == ("anna@example.org",)
    assert len(sink.peers) == 1


@pytest.mark.parametrize("answer", [DROP, "502 5.5.1 what"])
def test_a_connection_that_cannot_begin_anew_is_replaced(
    transport: SmtpTransport, sink: Sink, answer: str
) -> None:
    sink.answers["RCPT"] = ["550 5.1.1 no such user"]
    sink.answers["RSET"] = [answer]
    with pytest.raises(PermanentFailure):
        transport.send(parcel())
    transport.send(parcel())
    assert len(sink.peers) == 2


@pytest.mark.parametrize(
    "answer",
    ["553 5.1.8 who are you", "451 4.7.1 too much of you today", "552 5.2.2 over your quota"],
)
def test_a_refused_sender_is_no_fault_of_the_letter(
    transport: SmtpTransport, sink: Sink, answer: str
) -> None:
    sink.answers["MAIL"] = answer
    with pytest.raises(Unreachable):
        transport.send(parcel())


def test_a_letter_that_the_relay_finds_too_big_is_no_trouble_of_the_others(
    transport: SmtpTransport, sink: Sink
) -> None:
    sink.answers["MAIL"] = ["552 5.3.4 message size exceeds fixed limit"]
    with pytest.raises(PermanentFailure):
        transport.send(parcel())


@pytest.mark.parametrize("step", ["MAIL", "RCPT", "DATA"])
def test_a_line_that_breaks_is_for_later(transport: SmtpTransport, sink: Sink, step: str) -> None:
    sink.answers[step] = DROP
    with pytest.raises(Unreachable):
        transport.send(parcel())
    sink.answers.clear()
    transport.send(parcel())


def test_a_line_that_breaks_after_the_data_may_have_delivered(
    transport: SmtpTransport, sink: Sink
) -> None:
    # Never lost beats never twice: the letter is tried again.
    sink.answers["AFTER"] = DROP
    with pytest.raises(AmbiguousFailure):
        transport.send(parcel())
    assert len(sink.taken) == 1


def test_nobody_there_is_for_later() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(Unreachable) as refused:
        SmtpTransport(Relay("127.0.0.1", port, "if-offered")).send(parcel())
    assert "refused" in refused.value.code.lower()


def test_after_a_failure_to_connect_others_do_not_wait_for_the_next_one(clock: Ticking) -> None:
    attempts: list[str] = []

    def failing(relay: Relay) -> smtplib.SMTP:
        attempts.append(relay.host)
        raise TimeoutError("timed out")

    transport = SmtpTransport(Relay("relay.test", 25, "if-offered"), clock=clock, connect=failing)
    for _ in range(3):
        with pytest.raises(Unreachable):
            transport.send(parcel())
    assert len(attempts) == 1
    clock.now += 11
    with pytest.raises(Unreachable):
        transport.send(parcel())
    assert len(attempts) == 2


@pytest.mark.parametrize(
    "answer",
    {
        "MAIL": f"MAIL {VERP}",
    }.values(),
)
def test_a_relay_that_knows_one_sender_only_gets_that(
    transport: SmtpTransport, sink: Sink, answer: str
) -> None:
    sink.answers[answer] = "550 5.7.60 you may not send as this sender"
    transport.send(parcel())
    transport.send(parcel())
    assert [taken.sender for taken in sink.taken] == [PLAIN, PLAIN]


def test_a_sender_refused_at_the_recipient_is_tried_once_more_as_ourselves(
    transport: SmtpTransport, sink: Sink
) -> None:
    sink.answers["RCPT"] = ["553 5.7.1 sender address rejected: not owned by you"]
    transport.send(parcel())
    assert sink.only.sender == PLAIN


def test_a_recipient_who_refuses_both_senders_refuses_the_letter(
    transport: SmtpTransport, sink: Sink
) -> None:
    sink.answers["RCPT"] = ["550 5.7.1 not wanted", "550 5.7.1 not wanted"]
    with pytest.raises(PermanentFailure):
        transport.send(parcel())
    transport.send(parcel())
    assert sink.only.sender == VERP


def test_one_sender_alone_is_refused_for_good(transport: SmtpTransport, sink: Sink) -> None:
    sink.answers["RCPT"] = ["550 5.7.1 not wanted"]
    with pytest.raises(PermanentFailure):
        transport.send(parcel(PLAIN))


@pytest.mark.parametrize("url", ["smtps://127.0.0.1:{}", "smtp+starttls://127.0.0.1:{}"])
def test_tls_is_spoken_and_the_certificate_looked_at(url: str) -> None:
    with running_sink(tls="first" if url.startswith("smtps") else "starttls") as sink:
        address = url.format(sink.port)
        trusting = relay_at(address, trusted=trusting_context())
        with closing(SmtpTransport(trusting)) as transport:
            transport.send(parcel())
        with pytest.raises(Unreachable, match="CERTIFICATE_VERIFY_FAILED"):
            SmtpTransport(relay_at(address)).send(parcel())
    assert sink.only.secure


def test_tls_is_taken_where_it_is_offered() -> None:
    with running_sink(tls="starttls") as sink:
        with closing(SmtpTransport(relay_at(f"smtp://127.0.0.1:{sink.port}"))) as transport:
            transport.send(parcel())
        assert sink.only.secure


def test_a_relay_that_must_speak_tls_and_does_not_gets_nothing(sink: Sink) -> None:
    relay = relay_at(f"smtp+starttls://127.0.0.1:{sink.port}")
    with pytest.raises(Unreachable, match="STARTTLS"):
        SmtpTransport(relay).send(parcel())
    assert sink.taken == []


def test_a_user_signs_in() -> None:
    with running_sink(auth=True) as sink:
        relay = relay_at(f"smtp://lodepost:p%40ss%3Aw%2Frd@127.0.0.1:{sink.port}")
        with closing(SmtpTransport(relay)) as transport:
            transport.send(parcel())
        assert sink.only.signed_in


def test_a_wrong_password_kills_no_letter() -> None:
    with running_sink(auth=True) as sink:
        relay = relay_at(f"smtp://lodepost:wrong@127.0.0.1:{sink.port}")
        with pytest.raises(Unreachable, match="535"):
            SmtpTransport(relay).send(parcel())


@pytest.mark.parametrize(
    "url, security, port",
    [
        ("smtp://relay.test", "if-offered", 25),
        ("smtp://user:word@localhost", "if-offered", 25),
        ("smtp://user:word@relay.test", "starttls", 587),
        ("smtp+starttls://relay.test:2525", "starttls", 2525),
        ("smtps://user:word@relay.test", "tls", 465),
    ],
)
def test_the_address_says_how_a_relay_is_spoken_to(url: str, security: str, port: int) -> None:
    relay = relay_at(url)
    assert (relay.security, relay.port) == (security, port)


def test_a_password_is_shown_by_no_repr() -> None:
    assert "word" not in repr(relay_at("smtp://user:word@relay.test"))


def test_several_threads_each_have_a_connection(transport: SmtpTransport, sink: Sink) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: transport.send(parcel()), range(40)))
    assert len(sink.taken) == 40
    assert len(sink.peers) <= 4


def test_a_letter_that_comes_too_late_to_the_message_is_not_handed_over_but_the_connection_is_kept(
    transport: SmtpTransport, sink: Sink
) -> None:
    with pytest.raises(Unreachable, match="took too long"):
        transport.send(parcel()._replace(is_in_time=lambda: False))
    assert sink.taken == []
    transport.send(parcel())
    assert len(sink.taken) == 1
    assert len(sink.peers) == 1
