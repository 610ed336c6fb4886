"""What an act of a moderator changes in a game, as facts that everyone at the table may know."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from webapp.bot_levels import USUAL_LEVEL
from webapp.services.keys import NewLink
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


class AcceptedOffer(NamedTuple):
    """An offer of a seat that a person accepts."""

    id: int
    account_id: int
    offered_by: int | None


class ChangeInput(msgspec.Struct, frozen=True, kw_only=True):
    """What a moderator fills in, by kind of act, and what an act adds to it."""

    extra: timedelta | None = None
    seat: int | None = None
    name: str = ""
    address: str = ""
    turn: int | None = None
    email_id: int | None = None
    bot_level: str = USUAL_LEVEL
    link: NewLink | None = None
    """Of an offer; previews need none."""
    accepted_offer: AcceptedOffer | None = None
    """The offer that is accepted, if a person takes a seat by themselves."""
    volunteer_id: int | None = None
    """The person who takes a seat that is open to anyone; services/lobby has checked that they may."""
    actor_id: int | None = None
    """Who acts, set by the act itself; None for the operator."""
    acted_as: str = ""
    """As what they act, set by the act itself: a relation or another word of the ledger. A host who acts has a host's rights only,
    with a seat at the table or without."""
    reason: str = ""
    """Why, set by the act itself; empty in previews."""

    def __repr__(self) -> str:
        return "<ChangeInput>"


class ChangeSource(NamedTuple):
    """What a change is planned from: the game, what the moderator filled in, the time, and chance for discards."""

    tx: Tx
    game: LoadedGame
    change_input: ChangeInput
    now: datetime
    random_below: Callable[[int], int]
    """Returns a random number below its argument."""
    maintenance: MaintenanceRow | None = None
    """The maintenance that stops the clock of the game, or whose length is not yet added to it."""
    by: str = "moderator"
    """Who makes the change, as the events of the deadline say it: a moderator or host, the server, a vote."""
