"""What a letter says, as data: mail turns a digest into a message without asking the database."""

from datetime import datetime
from typing import Literal, TypeAlias

import msgspec

from engine.actions import Action
from engine.state import RoundResult
from engine.view import View
from webapp.services.tables import Commitment, SeatCard, TableCard, Told

LetterKind: TypeAlias = Literal[
    "sign-in",
    "invitation",
    "ready-check",
    "dealt",
    "your-turn",
    "reminder",
    "round-over",
    "game-over",
]


class Unsubscribe(msgspec.Struct, frozen=True, kw_only=True):
    """One-click tokens by what they end; they do not expire and carry no address (mail.md 2)."""

    game: str | None = None
    reminders: str | None = None
    everything: str | None = None


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """To whom a letter goes, in whose words, and where it stands in its thread."""

    kind: LetterKind
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


class SignInDigest(msgspec.Struct, frozen=True, kw_only=True):
    envelope: Envelope
    code: str
    link_token: str
    expires_at: datetime

    def __repr__(self) -> str:
        return "<SignInDigest>"


class InvitationDigest(msgspec.Struct, frozen=True, kw_only=True):
    envelope: Envelope
    table: TableCard
    seats: tuple[SeatCard, ...]
    host: str
    """Who invites, by name."""
    token: str
    commitments: tuple[Commitment, ...]


class ReadyCheckDigest(msgspec.Struct, frozen=True, kw_only=True):
    envelope: Envelope
    table: TableCard
    seats: tuple[SeatCard, ...]
    seat: int
    commitments: tuple[Commitment, ...]


class DealtDigest(msgspec.Struct, frozen=True, kw_only=True):
    """The frozen record, which everybody gets so that nobody can change it afterwards."""

    envelope: Envelope
    table: TableCard
    seats: tuple[SeatCard, ...]
    seat: int
    commitments: tuple[Commitment, ...]
    record: bytes
    record_digest: str


class TurnDigest(msgspec.Struct, frozen=True, kw_only=True):
    """``your-turn`` and ``reminder``: enough to play from the letter alone."""

    envelope: Envelope
    table: TableCard
    seats: tuple[SeatCard, ...]
    seat: int
    view: View
    menu: tuple[Action, ...]
    since: tuple[Told, ...]
    """What happened after the reader's own last turn, oldest first."""
    started_at: datetime
    deadline_at: datetime
    now: datetime


class RoundOverDigest(msgspec.Struct, frozen=True, kw_only=True):
    envelope: Envelope
    table: TableCard
    seats: tuple[SeatCard, ...]
    seat: int
    view: View
    result: RoundResult
    since: tuple[Told, ...]


class GameOverDigest(msgspec.Struct, frozen=True, kw_only=True):
    envelope: Envelope
    table: TableCard
    seats: tuple[SeatCard, ...]
    seat: int
    view: View
    since: tuple[Told, ...]


Digest: TypeAlias = (
    SignInDigest
    | InvitationDigest
    | ReadyCheckDigest
    | DealtDigest
    | TurnDigest
    | RoundOverDigest
    | GameOverDigest
)
