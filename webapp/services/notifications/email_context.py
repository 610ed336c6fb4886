"""What an email is about, as data: webapp.mail turns a context into a message without asking the database."""

from datetime import datetime
from typing import TypeAlias

from engine.actions import Action
from engine.state import RoundResult
from engine.view import View
from webapp.services.email_kinds import NotificationKind
from webapp.services.play.history import HistoryEntry
from webapp.services.play.summaries import Commitment, SeatSummary, TableSummary
from webapp.store.redacted import Redacted


class UnsubscribeTokens(Redacted, frozen=True, kw_only=True):
    """One-click tokens by what they stop; they do not expire and carry no address (RFC 8058)."""

    game: str | None = None
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


class _Context(Redacted, frozen=True, kw_only=True):
    envelope: Envelope


class SignInContext(_Context, frozen=True, kw_only=True):
    code: str
    link_token: str
    expires_at: datetime


class InvitationContext(_Context, frozen=True, kw_only=True):
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    host: str
    """The name of the player who sent the invitation."""
    token: str
    commitments: tuple[Commitment, ...]


class ReadyCheckContext(_Context, frozen=True, kw_only=True):
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    commitments: tuple[Commitment, ...]


class DealtContext(_Context, frozen=True, kw_only=True):
    """The frozen record, which every player gets so that no one can change it afterwards."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    commitments: tuple[Commitment, ...]
    record: bytes
    record_digest: str


class TurnContext(_Context, frozen=True, kw_only=True):
    """``your-turn`` and ``reminder``: enough to play from the email alone."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    view: View
    menu: tuple[Action, ...]
    since: tuple[HistoryEntry, ...]
    """What happened after the recipient's last turn, oldest first."""
    deadline_at: datetime


class RoundOverContext(_Context, frozen=True, kw_only=True):
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    view: View
    result: RoundResult
    since: tuple[HistoryEntry, ...]


class GameOverContext(_Context, frozen=True, kw_only=True):
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    view: View
    since: tuple[HistoryEntry, ...]


EmailContext: TypeAlias = (
    SignInContext
    | InvitationContext
    | ReadyCheckContext
    | DealtContext
    | TurnContext
    | RoundOverContext
    | GameOverContext
)
