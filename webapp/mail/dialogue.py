"""One message over one connection, step by step, so that each refusal is understood by what it refuses."""

import smtplib
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from webapp.mail.errors import (
    AmbiguousFailure,
    DeliveryFailure,
    PermanentFailure,
    TransientFailure,
    Unreachable,
)

_GOING_AWAY = 421
_DONE = range(200, 300)
_PERMANENT = range(500, 600)
_ABOUT_SENDERS = ("5.1.7", "5.1.8", "5.7.")
_TOO_BIG = (b"5.2.3", b"5.3.4")


class Refusal(Exception):
    """The relay said no to one step; the connection is as good as before."""

    def __init__(self, code: int, words: bytes, *, to_sender: bool) -> None:
        self.code = code
        self.words = words.decode("utf-8", "replace")
        self._to_sender = to_sender
        super().__init__(f"{code} {self.words}")

    @property
    def may_be_about_sender(self) -> bool:
        """Another envelope sender may fare better (RFC 3463: 5.1.7, 5.1.8, 5.7.x)."""
        about_sender = self._to_sender or self.words.startswith(_ABOUT_SENDERS)
        return self.code in _PERMANENT and about_sender

    def for_the_letter(self) -> DeliveryFailure:
        """What it means for this letter: a refused sender is our trouble, not the recipient's fault."""
        if self._to_sender:
            return Unreachable(str(self))
        return (
            PermanentFailure(str(self)) if self.code in _PERMANENT else TransientFailure(str(self))
        )


def propose(connection: smtplib.SMTP, sender: str, *, size: int) -> None:
    """MAIL FROM: nothing is handed over yet. Raises Refusal or Unreachable."""
    options = [f"size={size}"] if connection.has_extn("size") else []
    with unreachable_when_lost():
        _expect_done(*connection.mail(sender, options), to_sender=True)


def hand_over(connection: smtplib.SMTP, recipient: str, message: bytes) -> None:
    """RCPT TO and DATA. Raises Refusal or Unreachable; or Unsure, and then the relay may have the message all the same."""
    with unreachable_when_lost():
        _expect_done(*connection.rcpt(recipient))
    with unreachable_when_lost(AmbiguousFailure):
        _expect_done(*_data(connection, message))


def forget(connection: smtplib.SMTP) -> bool:
    """RSET after a refusal; False, and closed, when the connection is not ready for another message."""
    try:
        if connection.rset()[0] in _DONE:
            return True
    except OSError:
        pass
    connection.close()
    return False


def hang_up(connection: smtplib.SMTP) -> None:
    with suppress(OSError):
        connection.quit()
    connection.close()


@contextmanager
def unreachable_when_lost(meaning: type[Unreachable] = Unreachable) -> Iterator[None]:
    """However a connection fails, it means the same to a letter."""
    try:
        yield
    except OSError as lost:  # SMTPException is one
        raise meaning(_words_of(lost)) from lost


def _data(connection: smtplib.SMTP, message: bytes) -> tuple[int, bytes]:
    try:
        return connection.data(message)
    except smtplib.SMTPDataError as refusal:
        return refusal.smtp_code, _as_bytes(refusal.smtp_error)


def _expect_done(code: int, words: bytes, *, to_sender: bool = False) -> None:
    if code in _DONE:
        return
    if code == _GOING_AWAY or code < 0:
        raise Unreachable(f"{code} {words.decode('utf-8', 'replace')}")
    # At MAIL FROM the size is told as well (RFC 1870 6.1). A bare 552 may be about all that we may send in a day.
    raise Refusal(code, words, to_sender=to_sender and not words.startswith(_TOO_BIG))


def _words_of(lost: OSError) -> str:
    if isinstance(lost, smtplib.SMTPResponseException):
        return f"{lost.smtp_code} {_as_bytes(lost.smtp_error).decode('utf-8', 'replace')}"
    return f"{type(lost).__name__}: {lost}"


def _as_bytes(words: bytes | str) -> bytes:
    return words if isinstance(words, bytes) else words.encode()
