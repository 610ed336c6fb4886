"""Seats that their players have lost by missing turns: who may take them, read from the seats of a game.

Its own module because access to a game depends on it.
"""

from webapp.store.play.rows import GameRow, SeatRow


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


def _lost_seats(row: GameRow) -> list[SeatRow]:
    return [seat for seat in row.seats if seat.is_lost] if row.status.is_under_way else []
