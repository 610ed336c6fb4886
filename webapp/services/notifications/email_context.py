"""What a letter says, as data: mail turns a digest into a message without asking the database."""

from datetime import datetime
from typing import TypeAlias

from engine.actions import Action
from engine.state import RoundResult
from engine.view import View
from webapp.services.email_kinds import NotificationKind
from webapp.services.play.history import HistoryEntry
from webapp.services.play.summaries import Commitment, SeatSummary, TableSummary
from webapp.store.redacted import Redacted


class Unsubscribe(Redacted, frozen=True, kw_only=True):
    """One-click tokens by what they end; they do not expire and carry no address (RFC 8058)."""

    game: str | None = None
    reminders: str | None = None
    everything: str | None = None


class Envelope(Redacted, frozen=True, kw_only=True):
    """To whom a letter goes, in whose words, and where it stands in its thread."""

    kind: NotificationKind
    address: str
    name: str
    language: str
    zone: str
    message_id: str
    """With its angle brackets; the same on every retry."""
    root_id: str | None
    """The Message-ID that all letters of the game refer to; None outside games."""
    list_id: str | None
    unsubscribe: Unsubscribe


class _Digest(Redacted, frozen=True, kw_only=True):
    envelope: Envelope


class SignInContext(_Digest, frozen=True, kw_only=True):
    code: str
    link_token: str
    expires_at: datetime


class InvitationContext(_Digest, frozen=True, kw_only=True):
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    host: str
    """Who invites, by name."""
    token: str
    commitments: tuple[Commitment, ...]


class ReadyCheckContext(_Digest, frozen=True, kw_only=True):
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    seat: int
    commitments: tuple[Commitment, ...]


class DealtContext(_Digest, frozen=True, kw_only=True):
    """The frozen record, which everybody gets so that nobody can change it afterwards."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    seat: int
    commitments: tuple[Commitment, ...]
    record: bytes
    record_digest: str


class TurnContext(_Digest, frozen=True, kw_only=True):
    """``your-turn`` and ``reminder``: enough to play from the letter alone."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    seat: int
    view: View
    menu: tuple[Action, ...]
    since: tuple[HistoryEntry, ...]
    """What happened after the reader's own last turn, oldest first."""
    started_at: datetime
    deadline_at: datetime
    now: datetime


class RoundOverContext(_Digest, frozen=True, kw_only=True):
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    seat: int
    view: View
    result: RoundResult
    since: tuple[HistoryEntry, ...]


class GameOverContext(_Digest, frozen=True, kw_only=True):
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    seat: int
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
