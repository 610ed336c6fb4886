from contextlib import closing

import pytest

from tests.support.smtp_sink import Sink, running_sink, trusting_context
from webapp.mail.relay import relay_at
from webapp.mail.smtp import SmtpTransport
from webapp.mail.transport import RenderedEmail, Unreachable

EMAIL = RenderedEmail(
    "anna@example.org", ("lodepost@lodepost.example.org",), b"Subject: hello\r\n\r\nhello\r\n"
)


@pytest.mark.parametrize("url", ["smtps://127.0.0.1:{}", "smtp+starttls://127.0.0.1:{}"])
def test_tls_connection_verifies_the_certificate(url: str) -> None:
    with running_sink(tls="first" if url.startswith("smtps") else "starttls") as sink:
        address = url.format(sink.port)
        trusting_relay = relay_at(address, trusted_context=trusting_context())
        with closing(SmtpTransport(trusting_relay)) as transport:
            transport.send(EMAIL)
        with pytest.raises(Unreachable, match="CERTIFICATE_VERIFY_FAILED"):
            SmtpTransport(relay_at(address)).send(EMAIL)
    assert sink.only_message.is_encrypted


def test_tls_is_used_if_it_is_offered() -> None:
    with running_sink(tls="starttls") as sink:
        with closing(SmtpTransport(relay_at(f"smtp://127.0.0.1:{sink.port}"))) as transport:
            transport.send(EMAIL)
        assert sink.only_message.is_encrypted


def test_relay_without_required_tls_gets_no_email(sink: Sink) -> None:
    relay = relay_at(f"smtp+starttls://127.0.0.1:{sink.port}")
    with pytest.raises(Unreachable, match="STARTTLS"):
        SmtpTransport(relay).send(EMAIL)
    assert sink.accepted_messages == []


def test_user_and_password_are_sent() -> None:
    with running_sink(auth=True) as sink:
        relay = relay_at(f"smtp://lodepost:p%40ss%3Aw%2Frd@127.0.0.1:{sink.port}")
        with closing(SmtpTransport(relay)) as transport:
            transport.send(EMAIL)
        assert sink.only_message.is_signed_in


def test_wrong_password_counts_as_unreachable() -> None:
    with running_sink(auth=True) as sink:
        relay = relay_at(f"smtp://lodepost:wrong@127.0.0.1:{sink.port}")
        with pytest.raises(Unreachable, match="535"):
            SmtpTransport(relay).send(EMAIL)


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
def test_url_determines_security_and_port(url: str, security: str, port: int) -> None:
    relay = relay_at(url)
    assert (relay.security, relay.port) == (security, port)


def test_repr_hides_the_password() -> None:
    assert "word" not in repr(relay_at("smtp://user:word@relay.test"))
