"""Seats that their players have lost by missing turns: who may take them, and giving an open seat back."""

from typing import Final

from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.tx import Tx
from webapp.lobby.queries import seat_offers
from webapp.play.queries import changes
from webapp.play.queries.rows import GameRow, SeatRow

SEAT_NOT_OPEN: Final[dict[str, object]] = {
    "opened_at": None,
    "leaver_id": None,
    "is_lost": False,
    "informed_volunteers": 0,
}
"""What is stored of a seat in which someone sits."""


def returning_seat(row: GameRow, account_id: int | None) -> int | None:
    """Return the open seat that this account lost by missing turns, and can take back; None if there is none.

    A seat that a moderator has opened can't be taken back.
    """
    if account_id is None:
        return None
    seats = (seat.number for seat in _lost_seats(row) if seat.leaver_id == account_id)
    return next(seats, None)


def volunteer_seat(row: GameRow) -> int | None:
    """Return the open seat of a late player that volunteers may take, as the table has chosen; None if there is none."""
    if row.late_rules.replacement != "volunteers":
        return None
    return next((seat.number for seat in _lost_seats(row)), None)


def is_lost_by_strikes(row: GameRow, strikes: int) -> bool:
    """Return whether the player on turn loses the seat if a missed turn leaves them with so many strikes."""
    limit = row.late_rules.strikes_until_open
    has_new_strike = row.awaiting is not None and strikes > row.seats[row.awaiting].strikes
    return has_new_strike and 0 < limit <= strikes


def was_unreachable(row: GameRow, seat: int) -> bool:
    """Return whether the clock has opened a seat because no email reached its player, and not for missed turns."""
    return row.seats[seat].strikes < row.late_rules.strikes_until_open


def give_seat_back(tx: Tx, game_id: int, seat: int, account_id: int) -> None:
    """Let the person who had an open seat last have it again, in the locked game. Raises NotAllowed for a deleted account."""
    if not changes.lock_existing_account(tx, account_id):
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    changes.remove_last_sitting(tx, game_id, seat)
    changes.change_seat(tx, game_id, seat, {"account_id": account_id, **SEAT_NOT_OPEN})
    changes.increment_player_changes(tx, [game_id])
    seat_offers.end_open_offer(tx, game_id, seat, ended_as="filled")


def _lost_seats(row: GameRow) -> list[SeatRow]:
    return [seat for seat in row.seats if seat.is_lost] if row.status.is_under_way else []
