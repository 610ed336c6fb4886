"""A turn written whole, in one guarded statement: log, snapshot, deadline and letters."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

import msgspec
import psycopg
from sqlalchemy import Connection, Select, bindparam, cast, insert, select, union_all, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.sql.selectable import CTE

from webapp.game_status import GameStatus
from webapp.store.errors import AWAY, Broken
from webapp.store.redacted import Redacted, RedactedBytes
from webapp.store.schema.notifications import Notification
from webapp.store.schema.play import Game, Turn
from webapp.store.statements import Statement

_POSITION = (
    "seq",
    "state",
    "state_format",
    "status",
    "awaiting",
    "awaiting_bot",
    "round",
    "turn_seq",
    "turn_started_at",
    "deadline_at",
    "remind_at",
    "wake_at",
    "ended_at",
)
_TURN = ("seq", "seat", "by", "action", "events", "at")
_LETTER = ("seq", "kind", "account_id", "occasion", "owed_at", "due_at")


class PositionRow(Redacted, frozen=True, kw_only=True):
    """What a turn writes into the game's row."""

    seq: int
    state: bytes
    state_format: int
    status: GameStatus
    awaiting: int | None
    awaiting_bot: bool
    round: int
    turn_seq: int
    turn_started_at: datetime
    deadline_at: datetime | None
    remind_at: datetime | None
    wake_at: datetime | None
    ended_at: datetime | None


class TurnRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the log; holds secrets, blank in tracebacks."""

    seq: int
    seat: int | None
    by: str
    action: bytes | None
    events: bytes
    at: datetime

    def __repr__(self) -> str:
        return f"<TurnRow {self.seq}>"


class NotificationRow(msgspec.Struct, frozen=True, kw_only=True):
    """A letter that a turn owes."""

    seq: int
    kind: str
    account_id: int
    occasion: int
    owed_at: datetime
    due_at: datetime


class Write(Redacted, frozen=True, kw_only=True):
    """A turn to be written, with the turns that follow by themselves; true only if the game still stands at ``expected``."""

    game_id: int
    expected: int
    """The ``seq`` that the game must have; -1 for the first deal."""
    expected_status: GameStatus
    position: PositionRow
    turns: tuple[TurnRow, ...]
    letters: tuple[NotificationRow, ...]


def append(connection: Connection, write: Write) -> bool:
    """Write a turn, snapshot, deadline and letters in one statement; False where the game has moved on."""
    statement = _writing(len(write.turns), len(write.letters))
    return statement.run(connection, **_params(write)).first() is not None


def append_many(connection: Connection, writes: Sequence[Write]) -> set[int]:
    """Write many games' turns, each guarded for itself; the ids of those written.

    All or none: raises Broken when the database refuses one of them, and the transaction goes on without them.
    """
    try:
        with connection.begin_nested():
            return _append_many(connection, writes)
    except AWAY:
        raise
    except psycopg.Error as problem:
        raise Broken from problem


def _append_many(connection: Connection, writes: Sequence[Write]) -> set[int]:
    written: set[int] = set()
    shapes = {(len(write.turns), len(write.letters)) for write in writes}
    for shape in sorted(shapes):
        same = [write for write in writes if (len(write.turns), len(write.letters)) == shape]
        answers = _writing(*shape).run_many(connection, [_params(write) for write in same])
        written |= {row[0] for rows in answers for row in rows}
    return written


def _params(write: Write) -> dict[str, Any]:
    params: dict[str, Any] = {
        "game_id": write.game_id,
        "expected": write.expected,
        "expected_status": write.expected_status,
    }
    for name in _POSITION:
        params[f"new_{name}"] = _unseen(getattr(write.position, name))
    for number, turn in enumerate(write.turns):
        params |= {f"turn_{name}_{number}": _unseen(getattr(turn, name)) for name in _TURN}
    for number, letter in enumerate(write.letters):
        params |= {f"letter_{name}_{number}": getattr(letter, name) for name in _LETTER}
    return params


def _unseen(value: object) -> object:
    """Whatever runs a statement holds its parameters in variables, and may fail."""
    return RedactedBytes(value) if isinstance(value, bytes) else value


@cache
def _writing(turns: int, letters: int) -> Statement:
    """The statement for so many turns and letters. All of it hangs on one guarded update."""
    moved = _guarded_update()
    statement = select(moved.c.id).add_cte(_turns_of(moved, turns))
    return Statement(statement.add_cte(_letters_of(moved, letters)) if letters else statement)


def _guarded_update() -> CTE:
    table = Game.__table__
    changes = {name: bindparam(f"new_{name}", type_=table.c[name].type) for name in _POSITION}
    return (
        update(Game)
        .where(Game.id == bindparam("game_id", type_=table.c.id.type))
        .where(Game.seq == bindparam("expected", type_=table.c.seq.type))
        .where(Game.status == bindparam("expected_status", type_=table.c.status.type))
        .values(changes)
        .returning(Game.id)
        .cte("moved")
    )


def _turns_of(moved: CTE, count: int) -> CTE:
    rows = union_all(*(_row_of(moved, Turn, "turn", _TURN, number) for number in range(count)))
    return insert(Turn).from_select(["game_id", *_TURN], rows).cte("turns")


def _letters_of(moved: CTE, count: int) -> CTE:
    rows = union_all(
        *(_row_of(moved, Notification, "letter", _LETTER, number) for number in range(count))
    )
    letters = postgresql.insert(Notification).from_select(["game_id", *_LETTER], rows)
    return letters.on_conflict_do_nothing().cte("letters")


def _row_of(
    moved: CTE, model: type[Turn | Notification], prefix: str, names: Sequence[str], number: int
) -> Select[Any]:
    columns = model.__table__.c
    return select(
        moved.c.id,
        # Cast, because a parameter that is nothing at all has no type of its own.
        *(cast(bindparam(f"{prefix}_{name}_{number}"), columns[name].type) for name in names),
    )
