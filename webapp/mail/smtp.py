"""Sends emails to a relay over connections that are kept open between emails, and classifies its answers."""

import smtplib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Final, NamedTuple

from webapp.mail.relay import Relay, connect
from webapp.mail.transport import (
    AmbiguousFailure,
    DeliveryFailure,
    PermanentFailure,
    RefusedSender,
    RenderedEmail,
    SystemRefusal,
    TransientFailure,
    Unreachable,
    is_about_sender,
    is_about_system,
)

ANSWER_COUNT_AFTER_MAIL_FROM: Final = 3
"""Answers that are awaited once the email may have been accepted: to RCPT, DATA and the end of the data."""
_KEEP_OPEN_SECONDS: Final = 60.0
"""Seconds for which an idle connection is kept."""
_COOL_DOWN_SECONDS: Final = 10.0
"""Seconds without attempts after a failed one, so that several threads do not all wait for a dead relay."""
_SERVICE_CLOSING_CODE: Final = 421
_SUCCESS_CODES: Final = range(200, 300)
_PERMANENT_CODES: Final = range(500, 600)
_TOO_BIG_STATUSES: Final = (b"5.2.3", b"5.3.4")


class _IdleConnection(NamedTuple):
    connection: smtplib.SMTP
    idle_since: float


class SmtpTransport:
    """Sends emails to one relay. Threads share it; an email in transit has a connection to itself.

    ``clock`` returns monotonic seconds.
    """

    def __init__(
        self,
        relay: Relay,
        *,
        clock: Callable[[], float] = time.monotonic,
        connect: Callable[[Relay], smtplib.SMTP] = connect,
    ) -> None:
        self._relay = relay
        self._clock = clock
        self._connect = connect
        self._no_attempt_until = float("-inf")
        self._lock = Lock()
        self._idle_connections: list[_IdleConnection] = []
        self._uses_fallback_sender_only = False

    def send(self, email: RenderedEmail) -> None:
        """Return once the relay has answered 250. Raises a DeliveryFailure that says whether and when to retry."""
        senders = email.senders[-1:] if self._uses_fallback_sender_only else email.senders
        try:
            self._send_as(senders[0], email)
        except _RefusedAnswer as refusal:
            if len(senders) == 1 or not refusal.may_be_about_sender:
                raise refusal.as_failure() from refusal
            self._send_as_fallback_sender(email, refusal)

    def close(self) -> None:
        with self._lock:
            idle_connection, self._idle_connections = self._idle_connections, []
        for connection, _ in idle_connection:
            _quit_connection(connection)

    def _send_as_fallback_sender(
        self, email: RenderedEmail, first_refusal: "_RefusedAnswer"
    ) -> None:
        """Retry as the last of the email's senders: some relays accept one address only, and then bounces cannot name their email."""
        try:
            self._send_as(email.senders[-1], email)
        except _RefusedAnswer as second_refusal:
            raise first_refusal.as_failure() from second_refusal
        self._uses_fallback_sender_only = True

    def _send_as(self, sender: str, email: RenderedEmail) -> None:
        connection = self._begin_email(sender, email)
        if not email.is_within_lease():
            # The connection that took so long serves the next attempt.
            if _reset_connection(connection):
                self._keep_connection(connection)
            raise Unreachable("it took too long to come to the message")
        with self._keep_connection_after_refusal(connection):
            _send_data(connection, email.recipient, email.message)
        self._keep_connection(connection)

    def _begin_email(self, sender: str, email: RenderedEmail) -> smtplib.SMTP:
        """Return a connection that has accepted the sender; an idle one may have been closed by the relay."""
        while (idle_connection := self._idle_connection()) is not None:
            with suppress(Unreachable):
                return self._mail_from(idle_connection, sender, email)
        return self._mail_from(self._new_connection(), sender, email)

    def _new_connection(self) -> smtplib.SMTP:
        if self._clock() < self._no_attempt_until:
            raise Unreachable("the relay could not be reached a moment ago")
        try:
            with _lost_connection_raises(Unreachable):
                return self._connect(self._relay)
        except Unreachable:
            self._no_attempt_until = self._clock() + _COOL_DOWN_SECONDS
            raise

    def _mail_from(
        self, connection: smtplib.SMTP, sender: str, email: RenderedEmail
    ) -> smtplib.SMTP:
        with self._keep_connection_after_refusal(connection):
            _send_mail_from(connection, sender, size=len(email.message))
        return connection

    @contextmanager
    def _keep_connection_after_refusal(self, connection: smtplib.SMTP) -> Iterator[None]:
        """Keep the connection for the next email after a refusal; close it after any other error."""
        try:
            yield
        except _RefusedAnswer:
            if _reset_connection(connection):
                self._keep_connection(connection)
            raise
        except BaseException:
            connection.close()
            raise

    def _idle_connection(self) -> smtplib.SMTP | None:
        min_idle_since = self._clock() - _KEEP_OPEN_SECONDS
        with self._lock:
            idle_connection = self._idle_connections.pop() if self._idle_connections else None
        if idle_connection is None or idle_connection.idle_since >= min_idle_since:
            return idle_connection and idle_connection.connection
        _quit_connection(idle_connection.connection)
        return self._idle_connection()

    def _keep_connection(self, connection: smtplib.SMTP) -> None:
        with self._lock:
            self._idle_connections.append(_IdleConnection(connection, self._clock()))


class _RefusedAnswer(Exception):
    """The relay refused one step; the connection remains usable."""

    def __init__(self, code: int, message: bytes, *, is_sender_answer: bool) -> None:
        self._code = code
        self._message = message.decode("utf-8", "replace")
        self._is_sender_answer = is_sender_answer
        super().__init__(f"{code} {self._message}")

    @property
    def may_be_about_sender(self) -> bool:
        """Whether another envelope sender may be accepted."""
        is_permanent = self._code in _PERMANENT_CODES
        return is_permanent and (self._is_sender_answer or is_about_sender(self._message))

    def as_failure(self) -> DeliveryFailure:
        """Return what the refusal means for this email: a refused sender is the operator's problem, not the recipient's."""
        is_permanent = self._code in _PERMANENT_CODES
        if self._is_sender_answer:
            return RefusedSender(str(self))
        if is_about_system(self._message, is_permanent=is_permanent):
            return SystemRefusal(str(self))
        return PermanentFailure(str(self)) if is_permanent else TransientFailure(str(self))


def _send_mail_from(connection: smtplib.SMTP, sender: str, *, size: int) -> None:
    """Send MAIL FROM; the email itself is not sent yet. Raises _Refusal or Unreachable."""
    options = [f"size={size}"] if connection.has_extn("size") else []
    with _lost_connection_raises(Unreachable):
        _check_answer(*connection.mail(sender, options), is_sender_answer=True)


def _send_data(connection: smtplib.SMTP, recipient: str, message: bytes) -> None:
    """Send RCPT TO and DATA. Raises _Refusal, Unreachable, or AmbiguousFailure if the relay may have the email."""
    with _lost_connection_raises(Unreachable):
        _check_answer(*connection.rcpt(recipient))
    with _lost_connection_raises(AmbiguousFailure):
        _check_answer(*_send_data_command(connection, message))


def _send_data_command(connection: smtplib.SMTP, message: bytes) -> tuple[int, bytes]:
    try:
        return connection.data(message)
    except smtplib.SMTPDataError as refusal:
        return refusal.smtp_code, _as_bytes(refusal.smtp_error)


def _reset_connection(connection: smtplib.SMTP) -> bool:
    """Send RSET after a refusal. If the relay does not confirm it, close the connection and return False."""
    try:
        if connection.rset()[0] in _SUCCESS_CODES:
            return True
    except OSError:
        pass
    connection.close()
    return False


def _quit_connection(connection: smtplib.SMTP) -> None:
    with suppress(OSError):
        connection.quit()
    connection.close()


@contextmanager
def _lost_connection_raises(failure: type[Unreachable]) -> Iterator[None]:
    """Turn every way in which a connection can break into one failure."""
    try:
        yield
    except OSError as error:  # SMTPException is one
        raise failure(_error_text(error)) from error


def _check_answer(code: int, message: bytes, *, is_sender_answer: bool = False) -> None:
    if code in _SUCCESS_CODES:
        return
    if code == _SERVICE_CLOSING_CODE or code < 0:
        raise Unreachable(f"{code} {message.decode('utf-8', 'replace')}")
    # MAIL FROM also states the size (RFC 1870 6.1). A bare 552 may be about a daily quota.
    raise _RefusedAnswer(
        code,
        message,
        is_sender_answer=is_sender_answer and not message.startswith(_TOO_BIG_STATUSES),
    )


def _error_text(error: OSError) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{error.smtp_code} {_as_bytes(error.smtp_error).decode('utf-8', 'replace')}"
    return f"{type(error).__name__}: {error}"


def _as_bytes(message: bytes | str) -> bytes:
    return message if isinstance(message, bytes) else message.encode()
