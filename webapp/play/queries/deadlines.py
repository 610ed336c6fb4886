"""Games that are due: reminders, deadlines and bots. Deadlines are rows that workers query; there are no timers."""

from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    DateTime,
    Integer,
    bindparam,
    exists,
    func,
    literal_column,
    select,
)

from webapp.kernel.game_status import GameStatus
from webapp.kernel.statements import Statement
from webapp.kernel.tx import Tx
from webapp.operations.schema import RecordedInconsistency
from webapp.play.schema import Game, has_status

_IS_RUNNING = has_status(GameStatus.RUNNING)
_PERSON_IS_ON_TURN = (_IS_RUNNING, Game.awaiting_bot == literal_column("false"))
_BOT_IS_ON_TURN = (_IS_RUNNING, Game.awaiting_bot)
# While the audit's findings stand, no turn is played for anyone: the position may be wrong.
_IS_CONSISTENT = ~exists().where(RecordedInconsistency.game_id == Game.id)


def is_due(tx: Tx) -> bool:
    """Return whether any game is due for a reminder or past its deadline."""
    return _IS_DUE_STATEMENT.run(tx, now=tx.now).first() is not None


def lock_due(tx: Tx, *, limit: int, is_held_only: bool = False) -> list[int]:
    """Lock and return games that are due, the longest due first, but skip games that are locked already.

    With ``is_held_only`` only those in which a player holds a turn.
    """
    statement = _LOCK_HELD_STATEMENT if is_held_only else _LOCK_DUE_STATEMENT
    return [row[0] for row in statement.run(tx, now=tx.now, limit=limit)]


def lock_bot_turn(tx: Tx, *, due_before: datetime) -> int | None:
    """Lock and return the game whose bot has waited longest, if one has waited since ``due_before``."""
    row = _LOCK_BOT_STATEMENT.run(tx, due_before=due_before).first()
    return None if row is None else row[0]


def oldest_overdue_times(
    tx: Tx, *, games_due_by: datetime
) -> tuple[datetime | None, datetime | None]:
    """Return the oldest open deadline of a person and the oldest turn of a waiting bot, in games that are due by then."""
    is_due_by_then = Game.wake_at <= games_due_by
    person_deadline = tx.execute(
        select(func.min(Game.deadline_at)).where(*_PERSON_IS_ON_TURN, is_due_by_then)
    )
    bot_turn_start = tx.execute(
        select(func.min(Game.turn_started_at)).where(*_BOT_IS_ON_TURN, is_due_by_then)
    )
    return person_deadline.scalar_one(), bot_turn_start.scalar_one()


def _is_due_statement() -> Statement:
    is_due_now = Game.wake_at <= bindparam("now", type_=DateTime(timezone=True))
    literal_one = literal_column("1", Integer)
    return Statement(
        select(literal_one)
        .where(*_PERSON_IS_ON_TURN, is_due_now)
        .order_by(Game.wake_at)
        .limit(literal_one)
    )


def _lock_due_statement(*conditions: ColumnElement[bool]) -> Statement:
    return Statement(
        select(Game.id)
        .where(
            *_PERSON_IS_ON_TURN,
            Game.wake_at <= bindparam("now", type_=DateTime(timezone=True)),
            _IS_CONSISTENT,
            *conditions,
        )
        .order_by(Game.wake_at)
        .limit(bindparam("limit", type_=Integer))
        .with_for_update(of=Game, skip_locked=True)
    )


def _lock_bot_statement() -> Statement:
    due_before = bindparam("due_before", type_=DateTime(timezone=True))
    return Statement(
        select(Game.id)
        .where(*_BOT_IS_ON_TURN, Game.wake_at <= due_before, _IS_CONSISTENT)
        .order_by(Game.wake_at)
        .limit(literal_column("1"))
        .with_for_update(of=Game, skip_locked=True)
    )


_IS_DUE_STATEMENT = _is_due_statement()
_LOCK_DUE_STATEMENT = _lock_due_statement()
_LOCK_HELD_STATEMENT = _lock_due_statement(Game.held_turn.is_not(None))
_LOCK_BOT_STATEMENT = _lock_bot_statement()
