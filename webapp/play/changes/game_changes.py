"""Changes of a game that acts share with votes, players and the server: its end and its host; and when a player may nudge another."""

from datetime import timedelta
from typing import Final

from webapp.clock.queries import deadline_events
from webapp.clock.turn import ClockChange
from webapp.kernel.game_status import GameStatus
from webapp.kernel.public_acts import PublicFacts
from webapp.kernel.refusals import (
    DenialReason,
    LimitReached,
    NotAllowed,
    StaleTurn,
)
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess
from webapp.play.changes.public_change import (
    ChangeSource,
    ExistingAccount,
    GameValues,
    LastRound,
    PlannedChange,
    PublicChange,
    require_status,
)
from webapp.play.queries.clocks import ClockUpdate
from webapp.play.queries.rows import GameRow

NUDGE_INTERVAL: Final = timedelta(days=1)
"""The least time between two reminders that moderators or players send to a player."""


def shorten(source: ChangeSource) -> PlannedChange:
    """Let the game end after the round under way, as all players have agreed; the turn under way continues."""
    game = source.game
    require_status(game.row, GameStatus.RUNNING, GameStatus.PAUSED)

    change = PublicChange(before=PublicFacts(turn=game.seq), after=PublicFacts(turn=game.seq + 1))
    return PlannedChange(change=change, values=(LastRound(),))


def cancel(source: ChangeSource) -> PlannedChange:
    """End the game without a winner; from now on nothing about it is secret."""
    row = source.game.row
    if row.status.is_over:
        raise NotAllowed(DenialReason.GAME_NOT_UNDER_WAY)

    values = {"ended_at": source.tx.now, "plans": None}
    clock = ClockUpdate(row, ClockChange(row.clock.cancel()), GameStatus.CANCELLED)
    change = PublicChange(before=PublicFacts(turn=row.seq))
    return PlannedChange(change=change, values=(GameValues(values), clock))


def require_nudgeable(tx: Tx, access: GameAccess, *, turn_seq: int) -> None:
    """Refuse to remind the player whose turn began at ``turn_seq``, in a locked game.

    Raises NotAllowed for onlookers, for their own turn and within a day after an earlier turn, and StaleTurn. The act
    itself refuses bots, open seats and a second nudge in this turn.
    """
    row = access.game.row
    if access.person is None or access.seat is None:
        raise NotAllowed(DenialReason.NOT_SEATED)
    if row.turn_seq != turn_seq:
        raise StaleTurn(row.seq)
    if row.awaiting is None or row.awaiting == access.seat:
        raise NotAllowed(DenialReason.NO_ONE_TO_NUDGE)
    _require_no_nudge_in_earlier_turn(tx, row, row.awaiting)


def make_host(row: GameRow, account_id: int, *, host_name: str | None = None) -> PlannedChange:
    """Make this account the host of the table, which keeps its name unless another one is given."""
    if row.host_id == account_id:
        raise NotAllowed(DenialReason.ALREADY_HOST)
    seat = row.seat_of(account_id)

    # A deletion of someone who sits here waits for the game, and then hands it over itself: waiting for it would deadlock.
    required_accounts = (
        [ExistingAccount(account_id, DenialReason.NO_PERSON_HOLDS_SEAT)] if seat is None else []
    )
    values = {"host_id": account_id} | ({"host_name": host_name} if host_name else {})
    change = PublicChange(
        seat=None if seat is None else seat.number,
        account_id=account_id,
        before=PublicFacts(account_id=row.host_id),
        after=PublicFacts(account_id=account_id),
    )
    return PlannedChange(change=change, values=(*required_accounts, GameValues(values)))


def _require_no_nudge_in_earlier_turn(tx: Tx, row: GameRow, seat: int) -> None:
    """Refuse a second nudge of a seat within a day whose turn has come again. Raises LimitReached."""
    nudged_at = deadline_events.last_nudged_at(
        tx, row.id, seat, account_id=row.seats[seat].account_id, before_seq=row.turn_seq
    )
    if nudged_at is not None and nudged_at > tx.now - NUDGE_INTERVAL:
        raise LimitReached(
            DenialReason.NUDGED_TODAY, limit=1, possible_at=nudged_at + NUDGE_INTERVAL
        )
