"""A rendered email with its SMTP envelope, what a transport promises, and the ways in which sending can fail (RFC 3463). Without a relay, a folder takes the emails."""

import mailbox
import re
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import ClassVar, Final, NamedTuple, Protocol

from webapp.kernel.email_outcomes import DelayCause
from webapp.kernel.keyring import local_part_of
from webapp.kernel.resources import sync_folder
from webapp.mail.envelope import report_address_of, with_token

_RESERVED_DOMAINS: Final = ("localhost", "test", "example", "invalid", "local", "internal")
_MAX_CODE_LENGTH: Final = 200
_STATUS: Final = re.compile(r"([245])\.(\d{1,3})\.(\d{1,3})(?!\d)")
_ADDRESS: Final = re.compile(r"[^\s<>()\[\]\"',;:=]+@[^\s<>()\[\]\"',;:=]+")
_HIDDEN_ADDRESS: Final = "(address)"
_SECURITY_CLASS: Final = "7"
_SYSTEM_CLASS: Final = "3"
_SENDER_STATUSES: Final = (("1", "7"), ("1", "8"))
_CONGESTED_STATUS: Final = ("4", "5")
"""Congestion, which relays also answer when a quota of the sender is used up."""
_TOO_BIG_STATUS: Final = ("3", "4")


def is_always_within_lease() -> bool:
    """Return True: no other process sends the email."""
    return True


class RenderedEmail(NamedTuple):
    """One message to one recipient. Its repr hides the content, which may hold live tokens."""

    recipient: str
    senders: tuple[str, ...]
    """Envelope senders, the preferred one first; some relays accept only the last."""
    message: bytes
    """ASCII bytes with CRLF line ends."""
    is_within_lease: Callable[[], bool] = is_always_within_lease
    """Called right before the message itself is sent; False if another worker may send it soon as well."""

    def __repr__(self) -> str:
        return "<RenderedEmail>"


class Transport(Protocol):
    """Sends emails. Several threads may use it at once."""

    def send(self, email: RenderedEmail) -> None:
        """Return once another system is responsible for the email. Raises DeliveryFailure otherwise."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


class DeliveryFailure(Exception):
    """The email was not accepted; ``code`` is the reason, without addresses and short enough for the notification's row."""

    cause: ClassVar[DelayCause] = "recipient"
    """Who has to do something if the email waits."""

    def __init__(self, code: str) -> None:
        self.code = _one_line(_without_addresses(code))
        super().__init__(self.code)


class TransientFailure(DeliveryFailure):
    """This email may be accepted at another time (RFC 5321 4.2.1: 4yz)."""


class SystemRefusal(TransientFailure):
    """The relay refuses this server, or cannot work: the recipient is not the reason, and others may be refused too."""

    cause: ClassVar[DelayCause] = "refused"


class Unreachable(TransientFailure):
    """The relay takes no email at present: others need not be tried now."""

    cause: ClassVar[DelayCause] = "unreachable"


class RefusedSender(Unreachable):
    """The relay refused the envelope sender, and with it all emails, before it knew the recipient."""

    cause: ClassVar[DelayCause] = "refused"


class AmbiguousFailure(Unreachable):
    """The connection was lost after the data was sent: the email may have been accepted, and a retry may be a duplicate."""


class PermanentFailure(DeliveryFailure):
    """This email will never be accepted, however often it is tried (RFC 5321 4.2.1: 5yz)."""


def with_envelope(
    message: bytes,
    *,
    recipient: str,
    mail_from: str,
    message_id: str,
    is_within_lease: Callable[[], bool] = is_always_within_lease,
) -> RenderedEmail:
    """Return a message with its envelope.

    The envelope sender contains the Message-ID (VERP), so that a bounce identifies its email however it is worded. A
    MAIL_FROM whose domain is not public cannot receive bounces, and is the only sender.
    """
    local_part = local_part_of(message_id)
    domain = mail_from.rpartition("@")[2]
    if not local_part or not _is_public(domain):
        return RenderedEmail(recipient, (mail_from,), message, is_within_lease)
    senders = (with_token(report_address_of(mail_from), local_part), mail_from)
    return RenderedEmail(recipient, senders, message, is_within_lease)


def _is_public(domain: str) -> bool:
    name, _, top_level = domain.lower().rpartition(".")
    return bool(name) and top_level not in _RESERVED_DOMAINS and not top_level.isdigit()


def _one_line(code: str) -> str:
    printable_characters = (character if character.isprintable() else " " for character in code)
    return " ".join("".join(printable_characters).split())[:_MAX_CODE_LENGTH]


def _without_addresses(answer: str) -> str:
    """Return an answer without email addresses, so that logs may contain it and two recipients' answers can be compared."""
    return _ADDRESS.sub(_HIDDEN_ADDRESS, answer)


def is_about_sender(answer: str) -> bool:
    """Return whether another envelope sender may be accepted (5.1.7, 5.1.8, 5.7.x)."""
    subject, detail = _status_of(answer)
    return subject == _SECURITY_CLASS or (subject, detail) in _SENDER_STATUSES


def is_about_system(answer: str, *, is_permanent: bool) -> bool:
    """Return whether the relay refuses this server, or cannot work, so that the recipient is not the reason.

    A temporary 4.7.x is greylisting, which concerns one email. An email that is too big (x.3.4) is refused for itself.
    """
    subject, detail = _status_of(answer)
    if (subject, detail) == _TOO_BIG_STATUS:
        return False
    if subject == _SYSTEM_CLASS or (subject, detail) == _CONGESTED_STATUS:
        return True
    return is_permanent and is_about_sender(answer)


def _status_of(answer: str) -> tuple[str, str]:
    """Return subject and detail of the enhanced status at the beginning of an answer; empty if it has none."""
    found = _STATUS.match(answer)
    return (found[2], found[3]) if found else ("", "")


class MaildirTransport:
    """Files each email. A file is complete or absent, whenever the process dies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._filing_lock = Lock()

    def send(self, email: RenderedEmail) -> None:
        """File the email durably. Raises Unreachable if the folder cannot be written to."""
        try:
            with self._filing_lock:
                self._file_email(email)
        except OSError as error:
            raise Unreachable(f"Maildir: {error.strerror}") from error

    def close(self) -> None:
        """Delete incomplete files of killed processes once they are 36 hours old."""
        if (self._folder / "tmp").is_dir():
            mailbox.Maildir(self._folder).clean()

    def _file_email(self, email: RenderedEmail) -> None:
        # The library makes these only together with the folder, and a killed process may have made the folder alone.
        for name in ("", "tmp", "new", "cur"):
            (self._folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        # Written and synced in tmp/, then linked into new/.
        mailbox.Maildir(self._folder).add(_with_delivery_headers(email))
        sync_folder(self._folder / "new")


def _with_delivery_headers(email: RenderedEmail) -> bytes:
    """Return the message as final delivery leaves it: its envelope on top (RFC 5321 4.4), with the line ends of files."""
    envelope = f"Return-Path: <{email.senders[0]}>\nDelivered-To: {email.recipient}\n"
    return envelope.encode("ascii") + email.message.replace(b"\r\n", b"\n")
