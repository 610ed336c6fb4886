"""Games that are due: reminders, deadlines and bots. Deadlines are rows that workers query; there are no timers."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
from sqlalchemy import (
    CTE,
    BigInteger,
    BindParameter,
    ColumnElement,
    Connection,
    DateTime,
    Integer,
    bindparam,
    exists,
    func,
    literal,
    literal_column,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert

from webapp.game_status import GameStatus
from webapp.store.schema.clock import DeadlineEvent
from webapp.store.schema.notifications import Notification
from webapp.store.schema.operations import RecordedInconsistency
from webapp.store.schema.play import Game, has_status
from webapp.store.statements import Statement, array_rows

_IS_RUNNING = has_status(GameStatus.RUNNING)
_PERSON_IS_ON_TURN = (_IS_RUNNING, Game.awaiting_bot == literal_column("false"))
_BOT_IS_ON_TURN = (_IS_RUNNING, Game.awaiting_bot)
# While the audit's findings stand, no turn is played for anyone: the position may be wrong.
_IS_CONSISTENT = ~exists().where(RecordedInconsistency.game_id == Game.id)


class Reminder(msgspec.Struct, frozen=True, kw_only=True):
    """A reminder for the player on turn in a game; no second one is ever added for the same ``remind_at``."""

    game_id: int
    account_id: int
    turn_seq: int
    deadline_at: datetime
    remind_at: datetime
    next_at: datetime | None
    """When the player is reminded of the same deadline again."""


def is_due(connection: Connection, *, now: datetime) -> bool:
    """Return whether any game is due for a reminder or past its deadline."""
    return _IS_DUE_STATEMENT.run(connection, now=now).first() is not None


def lock_due(
    connection: Connection, *, now: datetime, limit: int, is_held_only: bool = False
) -> list[int]:
    """Lock and return games that are due, the longest due first, but skip games that are locked already.

    With ``is_held_only`` only those in which a player holds a turn.
    """
    statement = _LOCK_HELD_STATEMENT if is_held_only else _LOCK_DUE_STATEMENT
    return [row[0] for row in statement.run(connection, now=now, limit=limit)]


def lock_bot_turn(connection: Connection, *, due_before: datetime) -> int | None:
    """Lock and return the game whose bot has waited longest, if one has waited since ``due_before``."""
    row = _LOCK_BOT_STATEMENT.run(connection, due_before=due_before).first()
    return None if row is None else row[0]


def remind(connection: Connection, reminders: Sequence[Reminder], *, now: datetime) -> None:
    """Add reminders for deadlines that have not moved; the games are due again at the next reminder or at their deadlines."""
    if reminders:
        _REMIND_STATEMENT.run(
            connection,
            ids=[reminder.game_id for reminder in reminders],
            accounts=[reminder.account_id for reminder in reminders],
            seqs=[reminder.turn_seq for reminder in reminders],
            deadlines=[reminder.deadline_at for reminder in reminders],
            reminders=[reminder.remind_at for reminder in reminders],
            wakes=[reminder.next_at or reminder.deadline_at for reminder in reminders],
            now=now,
        )


def postpone(connection: Connection, ids: Sequence[int], *, until: datetime) -> None:
    """Make these games due again only at ``until``, so that one that fails cannot block the rest."""
    if ids:
        connection.execute(update(Game).where(Game.id.in_(ids)).values(wake_at=until))


def postpone_reminder(connection: Connection, game_id: int, *, until: datetime) -> None:
    """Remind the player of a locked game only at ``until``."""
    values = {"remind_at": until, "wake_at": until}
    connection.execute(update(Game).where(Game.id == game_id).values(values))


def wake_bot_turn(connection: Connection, game_id: int, seq: int, *, at: datetime) -> None:
    """Make a bot's turn due at another time, if the game still waits for it."""
    connection.execute(
        update(Game).where(Game.id == game_id, Game.seq == seq, *_BOT_IS_ON_TURN).values(wake_at=at)
    )


def hand_to_bots(connection: Connection, ids: Sequence[int], *, at: datetime) -> None:
    """Let bots take the turns of these locked games, whose players are away."""
    if ids:
        values = {"awaiting_bot": True, "wake_at": at}
        connection.execute(update(Game).where(Game.id.in_(ids)).values(values))


def hand_back_to_player(connection: Connection, game_id: int, *, wake_at: datetime | None) -> None:
    """Let a locked game wait for its player again, for whom a bot was to play."""
    values = {"awaiting_bot": False, "wake_at": wake_at}
    connection.execute(update(Game).where(Game.id == game_id).values(values))


def oldest_overdue_times(
    connection: Connection, *, games_due_by: datetime
) -> tuple[datetime | None, datetime | None]:
    """Return the oldest open deadline of a person and the oldest turn of a waiting bot, in games that are due by then."""
    is_due_by_then = Game.wake_at <= games_due_by
    person_deadline = connection.execute(
        select(func.min(Game.deadline_at)).where(*_PERSON_IS_ON_TURN, is_due_by_then)
    )
    bot_turn_start = connection.execute(
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


def _remind_statement() -> Statement:
    instant = DateTime(timezone=True)
    reminded_games = _reminded_games()
    now = bindparam("now", type_=instant)
    dedup_key = func.floor(func.extract("epoch", reminded_games.c.reminders)).cast(BigInteger)
    rows = select(
        reminded_games.c.id,
        reminded_games.c.seqs,
        literal("reminder"),
        reminded_games.c.accounts,
        dedup_key,
        now,
        now,
    )
    return Statement(
        insert(Notification)
        .from_select(
            ["game_id", "seq", "kind", "account_id", "dedup_key", "first_due_at", "due_at"], rows
        )
        .on_conflict_do_nothing()
        .add_cte(_insert_reminded_events(reminded_games, now))
    )


def _reminded_games() -> CTE:
    instant = DateTime(timezone=True)
    parameter_rows = array_rows(
        ids=BigInteger(),
        accounts=BigInteger(),
        seqs=BigInteger(),
        deadlines=instant,
        reminders=instant,
        wakes=instant,
    )
    return (
        update(Game)
        .where(Game.id == parameter_rows.c.ids, Game.deadline_at == parameter_rows.c.deadlines)
        .values(wake_at=parameter_rows.c.wakes, remind_at=parameter_rows.c.reminders)
        .returning(
            Game.id,
            Game.awaiting,
            parameter_rows.c.seqs,
            parameter_rows.c.accounts,
            parameter_rows.c.deadlines,
            parameter_rows.c.reminders,
        )
        .cte("reminded")
    )


def _insert_reminded_events(reminded_games: CTE, now: BindParameter[datetime]) -> CTE:
    rows = select(
        reminded_games.c.id,
        reminded_games.c.seqs,
        now,
        literal("reminded"),
        reminded_games.c.awaiting,
        reminded_games.c.accounts,
        literal("clock"),
        reminded_games.c.deadlines,
    )
    names = ["game_id", "turn_seq", "at", "kind", "seat", "account_id", "by", "deadline_at"]
    return insert(DeadlineEvent).from_select(names, rows).cte("added_deadline_events")


_IS_DUE_STATEMENT = _is_due_statement()
_LOCK_DUE_STATEMENT = _lock_due_statement()
_LOCK_HELD_STATEMENT = _lock_due_statement(Game.held_turn.is_not(None))
_LOCK_BOT_STATEMENT = _lock_bot_statement()
_REMIND_STATEMENT = _remind_statement()
