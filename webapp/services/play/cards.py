"""What everybody who may see a table sees of it, in the lobby, on the table page and in letters."""

from datetime import datetime, timedelta
from typing import Literal, TypeAlias

import msgspec

from engine.rulebook import HouseRules
from engine.story import Line
from webapp.game_status import GameStatus
from webapp.store.redacted import Redacted

By: TypeAlias = Literal["player", "mail", "plan", "clock", "bot", "moderator"]
"""Through whom a turn entered."""


class TableCard(msgspec.Struct, frozen=True, kw_only=True):
    """A table in a few words."""

    slug: str
    rulebook: str
    house: HouseRules
    seats: int
    taken: int
    allowance: timedelta
    """How long a player has for a turn."""
    public: bool
    host: str
    """The name of the person who opened the game, as it was then."""
    status: GameStatus
    opened_at: datetime
    starter: int | None
    """The seat that starts round one; None leaves it to chance (R6)."""


class SeatCard(msgspec.Struct, frozen=True, kw_only=True):
    """A seat as everybody sees it; ``is_me`` marks the reader's own."""

    number: int
    name: str
    is_bot: bool
    is_me: bool
    is_free: bool
    is_ready: bool
    has_salt: bool
    is_gone: bool
    is_awaited: bool


class HistoryEntry(Redacted, frozen=True, kw_only=True):
    """One turn of history, as the reader may hear it. ``seat`` is None for the first deal."""

    seq: int
    seat: int | None
    by: By
    at: datetime
    lines: tuple[Line, ...]


class Commitment(msgspec.Struct, frozen=True):
    """The hash of a secret that was drawn before anybody sat down, in hexadecimal."""

    label: str
    digest: str
