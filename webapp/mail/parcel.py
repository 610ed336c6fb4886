"""A finished message with its envelope, and what every way of sending one promises."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

_RESERVED = ("localhost", "test", "example", "invalid", "local", "internal")


def at_any_time() -> bool:
    """Nobody else will send it."""
    return True


class RenderedEmail(NamedTuple):
    """One message to one recipient; ``message`` has CRLF line ends and ASCII bytes only. Blank in tracebacks."""

    recipient: str
    senders: tuple[str, ...]
    """Envelope senders, the one we would like first; a relay may insist on the last."""
    message: bytes
    is_in_time: Callable[[], bool] = at_any_time
    """Asked last before the message itself goes out: False when somebody else may soon send it too."""

    def __repr__(self) -> str:
        return "<Parcel>"


class Transport(Protocol):
    """Hands messages over. May be used by several threads at once."""

    def send(self, parcel: RenderedEmail) -> None:
        """Return once somebody else is responsible for the message; raise Later or Never if nobody is."""
        ...

    def close(self) -> None:
        """Let go of every connection."""
        ...


def with_envelope(
    message: bytes,
    *,
    recipient: str,
    mail_from: str,
    message_id: str,
    is_in_time: Callable[[], bool] = at_any_time,
) -> RenderedEmail:
    """Give a message its envelope.

    The sender names the very letter (VERP), so that a bounce tells which one bounced however the other side words it. Where
    MAIL_FROM is no name of the public net there is nobody to bounce to, and it stands alone.
    """
    local = message_id.strip("<>").partition("@")[0]
    domain = mail_from.rpartition("@")[2]
    if not local or not _is_public(domain):
        return RenderedEmail(recipient, (mail_from,), message, is_in_time)
    return RenderedEmail(recipient, (f"bounce+{local}@{domain}", mail_from), message, is_in_time)


def _is_public(domain: str) -> bool:
    last = domain.lower().rpartition(".")
    return bool(last[0]) and last[2] not in _RESERVED and not last[2].isdigit()
