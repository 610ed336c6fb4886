"""Seats that are free again before the deal, for whatever reason: the table waits for players, and everyone confirms again."""

from collections.abc import Iterable

from webapp.game_status import GameStatus
from webapp.services.tx import Tx
from webapp.store.lobby import tables, waiting_tables
from webapp.store.play.rows import SeatRow


def free_seats(tx: Tx, game_id: int, seats: Iterable[SeatRow]) -> None:
    """Let no one have these seats of a locked table."""
    for seat in seats:
        tables.free_seat(tx.connection, game_id, seat.number)
    tables.reset_ready(tx.connection, game_id)
    tables.set_status(tx.connection, game_id, GameStatus.OPEN)
    waiting_tables.restart_waiting(tx.connection, game_id, now=tx.now)
