"""In how many games a person is, and how many they have finished with other people."""

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    SQLColumnExpression,
    bindparam,
    func,
    select,
)

from webapp.accounts.schema import Account
from webapp.kernel.game_status import GameStatus
from webapp.kernel.statements import Statement
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Seat, is_alone_with_bots
from webapp.play.schema import Game, GameResult, has_status


class GameCounts(msgspec.Struct, frozen=True):
    """``current``: games and tables that are not over, in which the person has a seat; ``finished``: in which they had one at the end.

    Games with bots alone do not count as finished: with them anyone could get rid of the limits of newcomers in an hour.
    """

    current: int
    finished: int


def count_games(tx: Tx, account_id: int) -> GameCounts:
    row = _COUNT_STATEMENT.run(tx, account_id=account_id).one()
    return GameCounts(current=row[0], finished=row[1])


def has_room(*, max_of_newcomer: int, max_games: int) -> ColumnElement[bool]:
    """Return the condition that an account may be in another game: up to those it has finished and some, and a limit."""
    own_limit = _finished_count(Account.id) + max_of_newcomer
    return _current_count(Account.id) < func.least(own_limit, max_games)


def _current_count(account_id: SQLColumnExpression[int]) -> ColumnElement[int]:
    is_current = has_status(
        GameStatus.OPEN, GameStatus.READY_CHECK, GameStatus.RUNNING, GameStatus.PAUSED
    )
    return (
        select(func.count())
        .select_from(Seat)
        .join(Game, Game.id == Seat.game_id)
        .where(Seat.account_id == account_id, is_current)
        .correlate(Account)
        .scalar_subquery()
    )


def _finished_count(account_id: SQLColumnExpression[int]) -> ColumnElement[int]:
    return (
        select(func.count())
        .select_from(GameResult)
        .where(GameResult.account_id == account_id)
        .where(~is_alone_with_bots(GameResult.game_id, GameResult.seat))
        .correlate(Account)
        .scalar_subquery()
    )


_account_id = bindparam("account_id", type_=BigInteger)
_COUNT_STATEMENT = Statement(select(_current_count(_account_id), _finished_count(_account_id)))
