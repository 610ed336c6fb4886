"""What an act of a moderator changes in a game, as facts that everyone at the table may know."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from webapp.services.play.access import LoadedGame
from webapp.services.tx import Tx
from webapp.store.site.maintenance import MaintenanceRow


class PublicFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One side of a change, before or after it. People are accounts, because names are looked up when they are shown."""

    deadline_at: datetime | None = None
    time_left: timedelta | None = None
    """How much of a turn's time is left while the game is paused."""
    turn: int | None = None
    """The number of the turn after which the game stands."""
    account_id: int | None = None
    """Who sits in the seat, or who hosts the table."""
    bot_name: str | None = None
    bot_level: str | None = None
    until: datetime | None = None
    """When an offer of the seat expires."""
    offer: int | None = None
    """The offer with which a person took the seat."""
    offered_by: int | None = None
    """Who made that offer; None for the operator."""

    @property
    def has_clock(self) -> bool:
        """Whether there is a deadline, which there is not while a bot is to play."""
        return self.deadline_at is not None or self.time_left is not None


class PublicChange(msgspec.Struct, frozen=True, kw_only=True):
    """The facts that an act changes; ``seat`` is the seat it is about."""

    seat: int | None = None
    account_id: int | None = None
    """The person it is about, if it is about someone in particular."""
    before: PublicFacts = PublicFacts()
    after: PublicFacts = PublicFacts()


class PlannedChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change that can be previewed, and the function that writes it to the locked game."""

    change: PublicChange
    write: Callable[[Tx], None]
    """Raises StaleTurn if the game has moved on. What it writes may hold secrets; what it returns may not."""

    def __repr__(self) -> str:
        return f"<PlannedChange {self.change}>"


class RecordedChange(NamedTuple):
    """What an act to be undone has changed."""

    seat: int | None
    before: PublicFacts
    after: PublicFacts


def pick_first(_: int) -> int:
    """Pick nothing at random."""
    return 0


class Actor(NamedTuple):
    """Who makes a change, as what, and why."""

    id: int | None = None
    """The account; None for the operator, the server and a vote."""
    acted_as: str = ""
    """A relation or another word of the ledger. A host who acts has a host's rights only, with a seat at the table or without."""
    reason: str = ""
    """Empty in previews."""


class ChangeSource(NamedTuple):
    """What a change is planned from: the game, the time, chance for discards, and who makes the change."""

    tx: Tx
    game: LoadedGame
    now: datetime
    random_below: Callable[[int], int] = pick_first
    """Returns a random number below its argument. Previews and changes that discard no card pick nothing at random."""
    maintenance: MaintenanceRow | None = None
    """The maintenance that stops the clock of the game, or whose length is not yet added to it."""
    by: str = "moderator"
    """Who makes the change, as the events of the deadline say it: a moderator or host, the server, a vote."""
    actor: Actor = Actor()
