"""What an act of a moderator changes in a game, as facts that everyone at the table may know."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from webapp.clock.queries.deadline_events import GameEvent
from webapp.clock.turn import Clock
from webapp.kernel.errors import DenialReason
from webapp.kernel.keyring import NewLink
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Nudge, Tx
from webapp.mail.queries.outbox import NewNotification
from webapp.mail.queries.queued_emails import GameEmail
from webapp.play.access import LoadedGame
from webapp.play.queries.clocks import ClockUpdate
from webapp.play.queries.rows import SeatRow
from webapp.site.queries.maintenance import MaintenanceRow


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


EMAILS: Final[frozenset[Nudge]] = frozenset({"emails"})
"""The nudge of a change that sends emails."""


class GameValues(NamedTuple):
    """New values of columns of the game that are not of its clock."""

    values: dict[str, Any]


class SeatValues(NamedTuple):
    """New values of columns of a seat."""

    seat: int
    values: dict[str, Any]


class ExistingAccount(NamedTuple):
    """An account that must not have been deleted meanwhile, and the refusal if it has."""

    id: int
    denial: DenialReason


class EndedSitting(NamedTuple):
    """A seat that its player or bot has no longer."""

    seat: SeatRow


class ChangedPlayers(NamedTuple):
    """Other people are at the table: turns that are computed from the ones before are not written."""


class ReturnedSeat(NamedTuple):
    """An open seat that the person who had it last has again."""

    seat: int
    account_id: int


class EndedOffer(NamedTuple):
    """The open offer of a seat, if it has one, and how it ends."""

    seat: int
    ended_as: str


class TakenOffer(NamedTuple):
    """An offer of a seat that a person accepts."""

    id: int
    account_id: int


class NewOffer(Redacted, frozen=True):
    """A seat that is offered to an address, to a name, or without both to anyone who has the link."""

    seat: int
    name: str
    address: str
    link: NewLink | None
    """Previews need none."""
    expires_at: datetime


class EmailSentAgain(NamedTuple):
    """An email that was given up, or that waits for its next attempt."""

    id: int
    email: GameEmail


class NeutralTurn(NamedTuple):
    """The next position: the clock plays for the seat on turn."""

    seat: int


class EarlierPosition(NamedTuple):
    """The next position: that after an earlier turn."""

    turn: int


class LastRound(NamedTuple):
    """The next position: the round under way is the last one."""


class HandedOverSeat(NamedTuple):
    """The next position: someone else has a seat, as the columns of the seat say already."""

    seat: int


ChangeValue: TypeAlias = (
    ClockUpdate
    | GameValues
    | SeatValues
    | ExistingAccount
    | EndedSitting
    | ChangedPlayers
    | ReturnedSeat
    | EndedOffer
    | TakenOffer
    | NewOffer
    | EmailSentAgain
    | NeutralTurn
    | EarlierPosition
    | LastRound
    | HandedOverSeat
    | GameEvent
    | NewNotification
)


class PlannedChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change that can be previewed: what everyone may know of it, and the values that ``change_writer`` stores, in their order."""

    change: PublicChange
    values: tuple[ChangeValue, ...] = ()
    """They may hold secrets."""
    nudges: frozenset[Nudge] = frozenset()

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
    """What a change is planned from: the game, chance for discards, and who makes the change."""

    tx: Tx
    game: LoadedGame
    random_below: Callable[[int], int] = pick_first
    """Returns a random number below its argument. Previews and changes that discard no card pick nothing at random."""
    maintenance: MaintenanceRow | None = None
    """The maintenance that stops the clock of the game, or whose length is not yet added to it."""
    by: str = "moderator"
    """Who makes the change, as the events of the deadline say it: a moderator or host, the server, a vote."""
    actor: Actor = Actor()

    @property
    def clock(self) -> Clock:
        """The clock of the game, stopped by the maintenance."""
        return self.game.row.clock_with(self.maintenance)
