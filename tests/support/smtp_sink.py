"""A real SMTP server that keeps the messages it accepts, and refuses what a test tells it to refuse."""

import asyncio
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

CERTIFICATE: Final = Path(__file__).with_name("relay.pem")
"""Certificate and key for localhost, used by tests only; they protect nothing."""
CREDENTIALS: Final = ("lodepost", "p@ss:w/rd")


@dataclass(frozen=True)
class AcceptedMessage:
    """One message that was accepted."""

    sender: str
    recipients: tuple[str, ...]
    message: bytes
    is_encrypted: bool
    is_signed_in: bool
    peer: tuple[Any, ...]
    accepted_at: float
    """The time by the monotonic clock, in seconds."""

    def read(self) -> EmailMessage:
        """Parse it as a mail program does."""
        return cast("EmailMessage", message_from_bytes(self.message, policy=policy.default))


class Refusal(NamedTuple):
    """The answer with which a message to one recipient was refused."""

    recipient: str
    answer: str


@dataclass
class Sink:
    """The received messages, and the answers to steps that replace the usual ones: ``{"RCPT": "550 5.1.1 Unknown"}``.

    An answer may be a list, whose items are used once each. ``DROP`` closes the connection; ``HANG`` for DATA delays the
    answer until it is removed.
    """

    port: int = 0
    accepted_messages: list[AcceptedMessage] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    """The answers with which RCPT and DATA were refused."""
    answers: dict[str, str | list[str]] = field(default_factory=dict)
    peers: set[tuple[Any, ...]] = field(default_factory=set)
    listen: Callable[[int], Controller] | None = field(default=None, repr=False)
    """Starts the server at a port; 0 for a free one."""
    controller: Controller | None = field(default=None, repr=False)

    def answer(self, step: str) -> str | None:
        answer = self.answers.get(step)
        if isinstance(answer, list):
            return answer.pop(0) if answer else None
        return answer

    def start(self) -> None:
        """Accept connections, after ``stop`` at the same port."""
        assert self.listen is not None
        self.controller = self.listen(self.port)
        self.port = self.controller.port

    def stop(self) -> None:
        """End all connections, and refuse new ones until ``start`` is called."""
        if self.controller is not None:
            self.controller.stop(no_assert=True)
        self.controller = None

    @property
    def only_message(self) -> AcceptedMessage:
        (accepted_messages,) = self.accepted_messages
        return accepted_messages


DROP: Final = "DROP"
HANG: Final = "HANG"
_POLL_INTERVAL_SECONDS: Final = 0.05


class _Handler:
    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    async def handle_MAIL(  # noqa: N802 - the library looks for this name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self._sink.peers.add(session.peer)
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return (
            self._answer_to(server, "MAIL")
            or self._answer_to(server, f"MAIL {address}")
            or "250 OK"
        )

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        refusal = self._answer_to(server, "RCPT") or self._answer_to(server, f"RCPT {address}")
        if refusal is None:
            envelope.rcpt_tos.append(address)
        else:
            self._sink.refusals.append(Refusal(address, refusal))
        return refusal or "250 OK"

    async def handle_DATA(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        while self._sink.answers.get("DATA") == HANG:  # noqa: ASYNC110 - a test lets it go from another thread
            await asyncio.sleep(_POLL_INTERVAL_SECONDS)
        refusal = self._answer_to(server, "DATA")
        is_connection_lost = self._sink.answers.get("AFTER") == DROP
        if refusal is None:
            self._sink.accepted_messages.append(_accepted_message(server, session, envelope))
        else:
            self._sink.refusals.extend(Refusal(address, refusal) for address in envelope.rcpt_tos)
        if is_connection_lost:
            server.transport.close()
        return refusal or "250 OK"

    async def handle_RSET(  # noqa: N802
        self, server: SMTP, _session: Session, _envelope: Envelope
    ) -> str:
        return self._answer_to(server, "RSET") or "250 OK"

    def _answer_to(self, server: SMTP, step: str) -> str | None:
        answer = self._sink.answer(step)
        if answer == DROP:
            server.transport.close()
        return answer


class _FreePortController(Controller):
    def _trigger_server(self) -> None:
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


def _accepted_message(server: SMTP, session: Session, envelope: Envelope) -> AcceptedMessage:
    return AcceptedMessage(
        sender=envelope.mail_from or "",
        recipients=tuple(envelope.rcpt_tos),
        message=bytes(envelope.original_content or b""),
        is_encrypted=server.transport.get_extra_info("ssl_object") is not None,
        is_signed_in=bool(session.authenticated),
        peer=session.peer,
        accepted_at=time.monotonic(),
    )


def _authenticate(
    server: SMTP, session: Session, envelope: Envelope, mechanism: str, login: Any
) -> AuthResult:
    login_and_password = isinstance(login, LoginPassword) and (
        login.login.decode(),
        login.password.decode(),
    )
    return AuthResult(
        success=login_and_password == CREDENTIALS, handled=login_and_password == CREDENTIALS
    )


READY_SECONDS: Final = 240
"""After that long a server will not listen, however slow the machine is."""


@contextmanager
def running_sink(*, tls: str = "", auth: bool = False) -> Iterator[Sink]:
    """Run a server on a free port: plain, offering STARTTLS (``tls="starttls"``), or speaking TLS first (``tls="first"``)."""
    sink = Sink()
    context = _server_context() if tls else None
    options: dict[str, Any] = (
        {"authenticator": _authenticate, "auth_require_tls": False} if auth else {}
    )

    def listen(port: int) -> Controller:
        controller = _FreePortController(
            _Handler(sink),
            hostname="127.0.0.1",
            port=port,
            ssl_context=context if tls == "first" else None,
            tls_context=context if tls == "starttls" else None,
            require_starttls=False,
            decode_data=False,
            server_hostname="localhost",
            ready_timeout=READY_SECONDS,
            **options,
        )
        controller.start()
        return controller

    sink.listen = listen
    sink.start()
    try:
        yield sink
    finally:
        sink.stop()


@pytest.fixture
def sink() -> Iterator[Sink]:
    """A plain server for one test."""
    with running_sink() as started_sink:
        yield started_sink


def trusting_context() -> ssl.SSLContext:
    """Return a client's context that trusts the sink's certificate."""
    return ssl.create_default_context(cafile=str(CERTIFICATE))


def _server_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context
