"""What an act changes in a game and its clock, as facts that everyone at the table may know."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

import msgspec

from webapp.clock.queries.deadline_events import GameEvent
from webapp.clock.queries.maintenance import MaintenanceRow
from webapp.clock.turn import Clock, ClockChange
from webapp.kernel.game_status import GameStatus
from webapp.kernel.keyring import NewLink
from webapp.kernel.nudges import Nudge
from webapp.kernel.public_acts import PublicFacts
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.tx import Tx
from webapp.mail.queries.outbox import NewNotification
from webapp.mail.queries.pending_emails import GameEmail
from webapp.play.access import LoadedGame
from webapp.play.queries.clocks import ClockUpdate
from webapp.play.queries.rows import GameRow, SeatRow


class PublicChange(msgspec.Struct, frozen=True, kw_only=True):
    """The facts that an act changes; ``seat`` is the seat it is about."""

    seat: int | None = None
    account_id: int | None = None
    """The person it is about, if it is about someone in particular."""
    before: PublicFacts = PublicFacts()
    after: PublicFacts = PublicFacts()


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


class Actor(NamedTuple):
    """Who makes a change, as what, and why."""

    id: int | None = None
    """The account; None for the operator, the server and a vote."""
    acted_as: str = ""
    """A relation or another word of the ledger. A host who acts has a host's rights only, with a seat at the table or without."""
    reason: str = ""
    """Empty in previews."""


class ChangeSource(NamedTuple):
    """What a change is planned from: the game, and who makes the change."""

    tx: Tx
    game: LoadedGame
    maintenance: MaintenanceRow | None = None
    """The maintenance that stops the clock of the game, or whose length is not yet added to it."""
    by: str = "moderator"
    """Who makes the change, as the events of the deadline say it: a moderator or host, the server, a vote."""
    actor: Actor = Actor()

    @property
    def clock(self) -> Clock:
        """The clock of the game, stopped by the maintenance."""
        return self.game.row.clock_with(self.maintenance)


def pause(source: ChangeSource) -> PlannedChange:
    """Stop the clock; no one can play until the game is resumed."""
    row, clock = source.game.row, source.clock
    require_status(row, GameStatus.RUNNING)
    time_left = clock.time_left(clock.time_shown(source.tx.now))
    before, after = PublicFacts(deadline_at=row.deadline_at), PublicFacts(time_left=time_left)
    return planned_clock_change(source, clock.pause(by=source.by, now=source.tx.now), before, after)


def resume(source: ChangeSource) -> PlannedChange:
    """Let the clock run again with the time that was left, and send the player on turn another email."""
    row, clock = source.game.row, source.clock
    require_status(row, GameStatus.PAUSED)
    assert row.paused_at is not None
    change = clock.resume(by=source.by, now=source.tx.now, actor_id=source.actor.id)
    return planned_clock_change(
        source,
        change,
        PublicFacts(time_left=clock.time_left(clock.time_shown(row.paused_at))),
        PublicFacts(deadline_at=change.clock.deadline_at),
        new_notifications=turn_email(row, source.tx.now),
    )


def account_on_turn(row: GameRow) -> int | None:
    """Return the person whose turn it is; None for bots and open seats."""
    return None if row.awaiting is None else row.seats[row.awaiting].account_id


def require_status(row: GameRow, *allowed_statuses: GameStatus) -> None:
    """Raise NotAllowed unless the game is at one of these stages."""
    if row.status in allowed_statuses:
        return
    if not row.status.is_under_way:
        raise NotAllowed(DenialReason.GAME_NOT_UNDER_WAY)
    is_paused = row.status == GameStatus.PAUSED
    raise NotAllowed(DenialReason.MUST_RESUME_FIRST if is_paused else DenialReason.NOT_PAUSED)


def turn_email(row: GameRow, now: datetime) -> list[NewNotification]:
    """Return another email that calls the player to the running turn; none for bots and open seats."""
    account_id = account_on_turn(row)
    if account_id is None:
        return []
    return [
        NewNotification(
            kind="your-turn",
            game_id=row.id,
            seq=row.turn_seq,
            account_id=account_id,
            # Another one than that of the email at the beginning of the turn.
            dedup_key=int(now.timestamp()),
            due_at=now,
        )
    ]


def planned_clock_change(
    source: ChangeSource,
    clock_change: ClockChange,
    before: PublicFacts,
    after: PublicFacts,
    *,
    new_notifications: Sequence[NewNotification] = (),
) -> PlannedChange:
    row = source.game.row
    change = PublicChange(
        seat=row.awaiting, account_id=account_on_turn(row), before=before, after=after
    )
    return PlannedChange(
        change=change,
        values=(ClockUpdate(row, clock_change), *new_notifications),
        nudges=frozenset({"bots"}),
    )
