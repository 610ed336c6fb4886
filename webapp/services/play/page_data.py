"""What a page says, as data, each for one reader: nothing in here is more than that reader may know."""

from datetime import datetime

import msgspec

from engine.actions import Action
from engine.view import View
from webapp.services.accounts.person import Person
from webapp.services.play.cards import Commitment, HistoryEntry, SeatCard, TableCard
from webapp.store.redacted import Redacted


class TablePage(Redacted, frozen=True, kw_only=True):
    """A game under way or over, as one seat or an onlooker may see it."""

    me: Person | None
    seat: int | None
    table: TableCard
    seats: tuple[SeatCard, ...]
    view: View
    menu: tuple[Action, ...]
    """Everything the reader may do now; empty unless the game waits for the reader."""
    since: tuple[HistoryEntry, ...]
    """What happened after the reader's own last turn, oldest first; an onlooker gets the latest turns."""
    own: HistoryEntry | None
    """The reader's own last turn, unless it lies far back."""
    turn_started_at: datetime | None
    deadline_at: datetime | None
    """None while a bot is on turn, and once it is over."""


class HistoryPage(Redacted, frozen=True, kw_only=True):
    me: Person | None
    seat: int | None
    table: TableCard
    seats: tuple[SeatCard, ...]
    told: tuple[HistoryEntry, ...]
    """Every turn up to ``until``, oldest first."""
    view: View
    """As it stood after turn ``until``."""
    until: int
    newest: int


class MyGame(msgspec.Struct, frozen=True, kw_only=True):
    table: TableCard
    my_turn: bool
    """It is the reader's turn, or the table waits for the reader to be ready."""
    deadline_at: datetime | None
    waiting_for: str
    """The name of whom the game waits for; empty when that is nobody or a whole table."""
    seq: int
    round: int


class HomePage(Redacted, frozen=True, kw_only=True):
    me: Person | None
    mine: tuple[MyGame, ...]
    open_tables: tuple[TableCard, ...]
    finished: tuple[MyGame, ...]


class Opened(Redacted, frozen=True):
    """A secret that was opened because the game has ended, in hexadecimal."""

    label: str
    secret: str


class Salt(msgspec.Struct, frozen=True):
    """Somebody's pinch of salt, which everybody may see once it is frozen."""

    name: str
    words: str


class FairnessPage(Redacted, frozen=True, kw_only=True):
    me: Person | None
    seat: int | None
    table: TableCard
    seats: tuple[SeatCard, ...]
    commitments: tuple[Commitment, ...]
    record: bytes | None
    """The freeze record; None before the deal."""
    salts: tuple[Salt, ...]
    """What each seat stirred into the shuffles, as it stands in the record; none before the deal."""
    record_digest: str | None
    """SHA-256 of the record, in hexadecimal."""
    opened: tuple[Opened, ...]
    """Empty until the game has ended or was cancelled."""


class Export(Redacted, frozen=True, kw_only=True):
    filename: str
    text: str
    finished: bool
