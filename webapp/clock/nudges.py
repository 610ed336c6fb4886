"""Nudges between players: anyone at the table reminds the player on turn, at most once a day for each seat.

It is an act like those of moderators, which its page performs, so that the table can read who did it.
"""

from typing import Final

from webapp.clock.queries import deadline_events
from webapp.kernel.refusals import DenialReason, LimitReached, NotAllowed, StaleTurn
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess
from webapp.play.changes.game_changes import NUDGE_INTERVAL
from webapp.play.queries.rows import GameRow

NUDGE_REASON: Final = "The others are waiting."


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


def _require_no_nudge_in_earlier_turn(tx: Tx, row: GameRow, seat: int) -> None:
    """Refuse a second nudge of a seat within a day whose turn has come again. Raises LimitReached."""
    nudged_at = deadline_events.last_nudged_at(
        tx, row.id, seat, account_id=row.seats[seat].account_id, before_seq=row.turn_seq
    )
    if nudged_at is not None and nudged_at > tx.now - NUDGE_INTERVAL:
        raise LimitReached(
            DenialReason.NUDGED_TODAY, limit=1, possible_at=nudged_at + NUDGE_INTERVAL
        )
