"""What all kinds of email have in common: the recipient, the place in the thread, and the links that stop them."""

from webapp.services.email_kinds import NotificationKind
from webapp.store.redacted import Redacted


class UnsubscribeTokens(Redacted, frozen=True, kw_only=True):
    """One-click tokens by what they stop; they do not expire and carry no address (RFC 8058)."""

    game: str | None = None
    club: str | None = None
    requests: str | None = None
    """The emails about requests to join a club."""
    seats: str | None = None
    """The emails about open seats."""
    reminders: str | None = None
    everything: str | None = None


class Envelope(Redacted, frozen=True, kw_only=True):
    """The recipient, their language and time zone, and the email's place in its thread."""

    kind: NotificationKind
    address: str
    name: str
    language: str
    zone: str
    message_id: str
    """With its angle brackets; the same on every retry."""
    root_id: str | None
    """The Message-ID that all emails of the game refer to; None outside games."""
    list_id: str | None
    unsubscribe: UnsubscribeTokens


class SentContext(Redacted, frozen=True, kw_only=True):
    """What an email is about, and its envelope."""

    envelope: Envelope
