"""Public results of finished games, one row per seat, for standings and lists that never read a position."""

from collections.abc import Sequence

import msgspec
from sqlalchemy import BigInteger, Boolean, Connection, SmallInteger, bindparam, delete, select
from sqlalchemy.dialects.postgresql import insert

from webapp.store.schema.lobby import Seat
from webapp.store.schema.play import GameResult
from webapp.store.statements import Statement, array_rows


class ResultRow(msgspec.Struct, frozen=True, array_like=True):
    """What one seat has won. Public once the game is over, and never stored before."""

    seat: int
    gold: int
    is_winner: bool


def replace_results(connection: Connection, game_id: int, results: Sequence[ResultRow]) -> None:
    """Store the results of a game with the accounts that have its seats now; none for a game that continues."""
    connection.execute(delete(GameResult).where(GameResult.game_id == game_id))
    if results:
        _INSERT_STATEMENT.run(
            connection,
            game_id=game_id,
            seats=[result.seat for result in results],
            golds=[result.gold for result in results],
            wins=[result.is_winner for result in results],
        )


def _insert_statement() -> Statement:
    parameter_rows = array_rows(seats=SmallInteger(), golds=SmallInteger(), wins=Boolean())
    rows = select(
        Seat.game_id, Seat.number, Seat.account_id, parameter_rows.c.golds, parameter_rows.c.wins
    ).where(
        Seat.game_id == bindparam("game_id", type_=BigInteger),
        Seat.number == parameter_rows.c.seats,
    )
    columns = ["game_id", "seat", "account_id", "gold", "is_winner"]
    return Statement(insert(GameResult).from_select(columns, rows))


_INSERT_STATEMENT = _insert_statement()
