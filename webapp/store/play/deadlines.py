"""Which games want attention, and what is noted of it. Deadlines are rows; nothing else keeps time."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
from sqlalchemy import (
    BigInteger,
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
from webapp.store.schema.notifications import Notification
from webapp.store.schema.operations import Inconsistency
from webapp.store.schema.play import Game, has_status
from webapp.store.statements import Statement, given_rows

# Written out, not parameters: only so does a prepared statement find the partial indexes.
_RUNNING = has_status(GameStatus.RUNNING)
_WITH_PERSON = (_RUNNING, Game.awaiting_bot == literal_column("false"))
_WITH_BOT = (_RUNNING, Game.awaiting_bot)
# What the audit found in a game is mended first: nobody is judged by a position that may be wrong.
_SOUND = ~exists().where(Inconsistency.game_id == Game.id)


class Reminder(msgspec.Struct, frozen=True, kw_only=True):
    """A player who is to be reminded of a deadline."""

    game_id: int
    account_id: int
    turn_seq: int
    deadline_at: datetime


def is_due(connection: Connection, *, now: datetime) -> bool:
    """Whether the reminder or the deadline of any game has come."""
    return _IS_DUE.run(connection, now=now).first() is not None


def lock_due(connection: Connection, *, now: datetime, limit: int) -> list[int]:
    """Lock games whose reminder or deadline has come, the longest due first; those that are locked wait for next time."""
    return [row[0] for row in _LOCK_DUE.run(connection, now=now, limit=limit)]


def lock_bot_turn(connection: Connection, *, due_before: datetime) -> int | None:
    """Lock the game whose bot has waited longest, if one has waited since then."""
    row = _LOCK_BOT.run(connection, due_before=due_before).first()
    return None if row is None else row[0]


def remind(connection: Connection, reminders: Sequence[Reminder], *, now: datetime) -> None:
    """Owe reminders, and remember which deadline each warned of; the games are looked at again at their deadlines."""
    if reminders:
        _REMIND.run(
            connection,
            ids=[reminder.game_id for reminder in reminders],
            accounts=[reminder.account_id for reminder in reminders],
            seqs=[reminder.turn_seq for reminder in reminders],
            deadlines=[reminder.deadline_at for reminder in reminders],
            now=now,
        )


def push_forward(connection: Connection, ids: Sequence[int], *, until: datetime) -> None:
    """Look at these games again later only, so that one that fails cannot block the rest."""
    if ids:
        connection.execute(update(Game).where(Game.id.in_(ids)).values(wake_at=until))


def most_overdue(
    connection: Connection, *, awake_by: datetime
) -> tuple[datetime | None, datetime | None]:
    """The oldest open deadline of a person, and the oldest waiting turn of a bot, of games looked at by then."""
    awake = Game.wake_at <= awake_by
    person = connection.execute(select(func.min(Game.deadline_at)).where(*_WITH_PERSON, awake))
    bot = connection.execute(select(func.min(Game.turn_started_at)).where(*_WITH_BOT, awake))
    return person.scalar_one(), bot.scalar_one()


def _asking() -> Statement:
    due = Game.wake_at <= bindparam("now", type_=DateTime(timezone=True))
    one = literal_column("1", Integer)
    return Statement(select(one).where(*_WITH_PERSON, due).order_by(Game.wake_at).limit(one))


def _locking_due() -> Statement:
    return Statement(
        select(Game.id)
        .where(
            *_WITH_PERSON,
            Game.wake_at <= bindparam("now", type_=DateTime(timezone=True)),
            _SOUND,
        )
        .order_by(Game.wake_at)
        .limit(bindparam("limit", type_=Integer))
        .with_for_update(of=Game, skip_locked=True)
    )


def _locking_bot() -> Statement:
    due_before = bindparam("due_before", type_=DateTime(timezone=True))
    return Statement(
        select(Game.id)
        .where(*_WITH_BOT, Game.wake_at <= due_before, _SOUND)
        .order_by(Game.wake_at)
        .limit(literal_column("1"))
        .with_for_update(of=Game, skip_locked=True)
    )


def _reminding() -> Statement:
    instant = DateTime(timezone=True)
    given = given_rows(
        ids=BigInteger(), accounts=BigInteger(), seqs=BigInteger(), deadlines=instant
    )
    warned = (
        update(Game)
        .where(Game.id == given.c.ids, Game.deadline_at == given.c.deadlines)
        .values(warned_for=Game.deadline_at, wake_at=Game.deadline_at)
        .returning(Game.id, given.c.seqs, given.c.accounts, given.c.deadlines)
        .cte("warned")
    )
    now = bindparam("now", type_=instant)
    occasion = func.floor(func.extract("epoch", warned.c.deadlines)).cast(BigInteger)
    letters = select(
        warned.c.id, warned.c.seqs, literal("reminder"), warned.c.accounts, occasion, now, now
    )
    return Statement(
        insert(Notification)
        .from_select(
            ["game_id", "seq", "kind", "account_id", "occasion", "owed_at", "due_at"], letters
        )
        .on_conflict_do_nothing()
    )


_IS_DUE = _asking()
_LOCK_DUE = _locking_due()
_LOCK_BOT = _locking_bot()
_REMIND = _reminding()
