"""The one statement that writes a turn: log, snapshot, deadline and notifications, guarded by ``seq``."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final, NamedTuple

import msgspec
import psycopg
from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    bindparam,
    cast,
    insert,
    select,
    union_all,
    update,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.sql.selectable import CTE

from engine.record import TurnSource
from webapp.clock.queries.deadline_events import events_json, insert_deadline_events
from webapp.clock.turn import ClockEvent
from webapp.kernel.database import UNAVAILABLE_ERRORS, WriteRefused
from webapp.kernel.game_status import GameStatus
from webapp.kernel.redacted import Redacted, RedactedBytes
from webapp.kernel.statements import Statement
from webapp.kernel.tx import Tx
from webapp.logs.fields import current_request_id
from webapp.mail.schema import Notification
from webapp.play.queries.clocks import SeatClockRow, StoredClock, update_seats
from webapp.play.queries.results import ResultRow, replace_results
from webapp.play.queries.rows import GameRow
from webapp.play.schema import Game, Turn


class TurnGuard(Redacted, frozen=True, kw_only=True):
    """What the game's row must still hold. A turn that continues keeps the times, and may not bring back earlier ones."""

    seq: int
    """-1 before the first deal."""
    status: GameStatus
    plans: bytes | None
    player_changes: int
    deadline_at: datetime | None
    remind_at: datetime | None
    wake_at: datetime | None


_COLUMNS: Final = TurnGuard.__struct_fields__


_TURN_COLUMNS = ("seq", "seat", "by", "action", "events", "head", "at")
_NOTIFICATION_COLUMNS = (
    "seq",
    "kind",
    "account_id",
    "dedup_key",
    "first_due_at",
    "due_at",
    "request_id",
)


class PositionRow(StoredClock, frozen=True, kw_only=True):
    """What a turn changes in the game's row, its clock included."""

    seq: int
    state: bytes
    state_format: int
    status: GameStatus
    awaiting: int | None
    round: int
    ended_at: datetime | None
    plans: bytes | None


_POSITION_COLUMNS: Final = PositionRow.__struct_fields__


class TurnRow(Redacted, frozen=True, kw_only=True):
    """One row of the log, secrets included."""

    seq: int
    seat: int | None
    by: TurnSource
    action: bytes | None
    events: bytes
    head: bytes
    at: datetime

    def __repr__(self) -> str:
        return f"<TurnRow {self.seq}>"


class NotificationRow(msgspec.Struct, frozen=True, kw_only=True):
    """A notification that a turn causes."""

    seq: int
    kind: str
    account_id: int
    dedup_key: int
    first_due_at: datetime
    due_at: datetime
    request_id: str | None = msgspec.field(default_factory=current_request_id)
    """Of the request that causes it; None if none does."""


class GameUpdate(Redacted, frozen=True, kw_only=True):
    """Everything that one turn, and the automatic turns after it, change in a game that still stands as expected."""

    game_id: int
    guard: TurnGuard
    position: PositionRow
    turns: tuple[TurnRow, ...]
    notifications: tuple[NotificationRow, ...]
    results: tuple[ResultRow, ...] = ()
    """Of a game that this ends."""
    seat_clocks: tuple[SeatClockRow, ...] = ()
    clock_events: tuple[ClockEvent, ...] = ()


class _RowCounts(NamedTuple):
    """The numbers of rows that a statement inserts."""

    turns: int
    notifications: int


def append(tx: Tx, game_update: GameUpdate) -> bool:
    """Write turns, snapshot, deadline and notifications in one statement; return False if the game has moved on.

    Only a turn that ends the game takes more statements, for its public result.
    """
    if _changes_results(game_update):
        tx.begin()
    statement = _statement_for(_row_counts_of(game_update))
    if not statement.run_alone(tx, **_statement_parameters(game_update)):
        return False
    tx.end_alone()
    _write_results(tx, game_update)
    return True


def append_many(tx: Tx, updates: Sequence[GameUpdate]) -> set[int]:
    """Write the updates of many games, each only if its game has not moved on; return the ids of those written.

    Raises WriteRefused if the database refuses one of them; then none is written, and the transaction can continue.
    """
    try:
        with tx.connection.begin_nested():
            return _append_many(tx, updates)
    except UNAVAILABLE_ERRORS:
        raise
    except psycopg.Error as problem:
        raise WriteRefused from problem


def _append_many(tx: Tx, updates: Sequence[GameUpdate]) -> set[int]:
    written_ids: set[int] = set()
    for shape in sorted({_row_counts_of(game_update) for game_update in updates}):
        updates_of_shape = [
            game_update for game_update in updates if _row_counts_of(game_update) == shape
        ]
        results = _statement_for(shape).run_many(
            tx, [_statement_parameters(game_update) for game_update in updates_of_shape]
        )
        written_ids |= {row[0] for rows in results for row in rows}
    for game_update in updates:
        if game_update.game_id in written_ids:
            _write_results(tx, game_update)
    return written_ids


def _write_results(tx: Tx, game_update: GameUpdate) -> None:
    """Store the results of a game that has ended, and delete those of a game that continues."""
    if _changes_results(game_update):
        replace_results(tx, game_update.game_id, game_update.results)


def _changes_results(game_update: GameUpdate) -> bool:
    return bool(game_update.results) or game_update.guard.status is GameStatus.FINISHED


def _row_counts_of(game_update: GameUpdate) -> _RowCounts:
    return _RowCounts(turns=len(game_update.turns), notifications=len(game_update.notifications))


def _statement_parameters(game_update: GameUpdate) -> dict[str, Any]:
    params: dict[str, Any] = {
        "game_id": game_update.game_id,
        "seat_clocks": msgspec.json.encode(game_update.seat_clocks).decode(),
        "deadline_events": events_json(game_update.clock_events),
        **guard_parameters(game_update.guard),
    }
    params["new_head"] = _redacted(game_update.turns[-1].head)
    for name in _POSITION_COLUMNS:
        params[f"new_{name}"] = _redacted(getattr(game_update.position, name))
    for number, turn in enumerate(game_update.turns):
        params |= {
            f"turn_{name}_{number}": _redacted(getattr(turn, name)) for name in _TURN_COLUMNS
        }
    for number, notification in enumerate(game_update.notifications):
        params |= {
            f"notification_{name}_{number}": getattr(notification, name)
            for name in _NOTIFICATION_COLUMNS
        }
    return params


def _redacted(value: object) -> object:
    """Return the value with a hidden repr: code that runs a statement holds its parameters in variables, and may fail."""
    return RedactedBytes(value) if isinstance(value, bytes) else value


@cache
def _statement_for(shape: _RowCounts) -> Statement:
    """Return the statement for so many turns and notifications, all of which depend on one guarded update."""
    moved_games = _guarded_update()
    statement = select(moved_games.c.id).add_cte(
        _insert_turns(moved_games, shape.turns),
        update_seats(moved_games, with_game=False),
        insert_deadline_events(moved_games),
    )
    if shape.notifications:
        statement = statement.add_cte(_insert_notifications(moved_games, shape.notifications))
    return Statement(statement)


def _guarded_update() -> CTE:
    table = Game.__table__
    changed_columns = {
        name: bindparam(f"new_{name}", type_=table.c[name].type)
        for name in (*_POSITION_COLUMNS, "head")
    }
    return (
        update(Game)
        .where(Game.id == bindparam("game_id", type_=table.c.id.type))
        .where(*guard_conditions())
        .values(changed_columns)
        .returning(Game.id)
        .cte("moved")
    )


def _insert_turns(moved_games: CTE, count: int) -> CTE:
    rows = _parameter_rows(moved_games, Turn, "turn", _TURN_COLUMNS, count)
    return insert(Turn).from_select(["game_id", *_TURN_COLUMNS], rows).cte("turns")


def _insert_notifications(moved_games: CTE, count: int) -> CTE:
    rows = _parameter_rows(moved_games, Notification, "notification", _NOTIFICATION_COLUMNS, count)
    added_notifications = postgresql.insert(Notification).from_select(
        ["game_id", *_NOTIFICATION_COLUMNS], rows
    )
    return added_notifications.on_conflict_do_nothing().cte("notifications")


def _parameter_rows(
    moved_games: CTE,
    model: type[Turn | Notification],
    prefix: str,
    names: Sequence[str],
    count: int,
) -> CompoundSelect[Any]:
    columns = model.__table__.c
    # Cast, because a NULL parameter has no type of its own.
    rows = (
        [cast(bindparam(f"{prefix}_{name}_{number}"), columns[name].type) for name in names]
        for number in range(count)
    )
    return union_all(*(select(moved_games.c.id, *row) for row in rows))


def replace_snapshot(
    tx: Tx, game_id: int, *, seq: int, state: bytes, state_format: int, head: bytes
) -> bool:
    """Replace position and head if the game still stands at ``seq``; return whether it did."""
    updated_row = tx.execute(
        update(Game)
        .where(Game.id == game_id, Game.seq == seq)
        .values(state=state, state_format=state_format, head=head)
    )
    return updated_row.rowcount == 1


def lock_at(tx: Tx, game_id: int, *, seq: int) -> bool:
    """Lock the game if it still stands at ``seq``; return whether it did."""
    query = select(Game.id).where(Game.id == game_id, Game.seq == seq).with_for_update()
    return tx.execute(query).first() is not None


def guard_of(row: GameRow) -> TurnGuard:
    """Return the guard of a turn that is computed from this row."""
    return TurnGuard(
        seq=row.seq,
        status=row.status,
        plans=row.plans,
        player_changes=row.player_changes,
        deadline_at=row.deadline_at,
        remind_at=row.remind_at,
        wake_at=row.wake_at,
    )


def guard_parameters(guard: TurnGuard) -> dict[str, Any]:
    """Return the parameters of ``guard_conditions``."""
    values = {name: getattr(guard, name) for name in _COLUMNS}
    if guard.plans is not None:
        values["plans"] = RedactedBytes(guard.plans)
    return {f"expected_{name}": value for name, value in values.items()}


def guard_conditions() -> list[ColumnElement[bool]]:
    """Return the conditions that the game's row is as it was read."""
    columns = Game.__table__.c
    return [
        columns[name].is_not_distinct_from(bindparam(f"expected_{name}", type_=columns[name].type))
        for name in _COLUMNS
    ]
