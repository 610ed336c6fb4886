"""In how many games a person is, and how many they have finished."""

import msgspec
from sqlalchemy import Connection, func, select

from webapp.game_status import GameStatus
from webapp.store.schema.lobby import Seat
from webapp.store.schema.play import Game, has_status
from webapp.store.schema.results import GameResult


class GameCounts(msgspec.Struct, frozen=True):
    """``current``: games and tables that are not over, in which the person has a seat; ``finished``: in which they had one at the end."""

    current: int
    finished: int


def count_games(connection: Connection, account_id: int) -> GameCounts:
    is_current = has_status(
        GameStatus.OPEN, GameStatus.READY_CHECK, GameStatus.RUNNING, GameStatus.PAUSED
    )
    current_count = (
        select(func.count())
        .select_from(Seat)
        .join(Game, Game.id == Seat.game_id)
        .where(Seat.account_id == account_id, is_current)
        .scalar_subquery()
    )
    finished_count = (
        select(func.count()).where(GameResult.account_id == account_id).scalar_subquery()
    )
    row = connection.execute(select(current_count, finished_count)).one()
    return GameCounts(current=row[0], finished=row[1])
