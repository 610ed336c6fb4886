"""A rendered email with its SMTP envelope, what a transport promises, and the ways in which sending can fail."""

from collections.abc import Callable
from typing import ClassVar, Final, NamedTuple, Protocol

from webapp.mail.refusals import without_addresses
from webapp.mail.subaddresses import report_address_of, with_token
from webapp.services.email_outcomes import DelayCause

_RESERVED_DOMAINS: Final = ("localhost", "test", "example", "invalid", "local", "internal")
_MAX_CODE_LENGTH: Final = 200


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
    """Asked right before the message itself is sent; False if another worker may send it soon as well."""

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
        self.code = _one_line(without_addresses(code))
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
    local_part = message_id.strip("<>").partition("@")[0]
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
