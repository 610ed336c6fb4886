"""The one statement that writes turns, of one game or of many: log, snapshot, deadline and notifications, guarded by ``seq``."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import msgspec
import psycopg
from msgspec.structs import asdict
from sqlalchemy import CTE, Executable, insert, select, update
from sqlalchemy.dialects import postgresql

from engine.record import TurnSource
from webapp.clock.queries.deadline_events import events_json, game_events, insert_deadline_events
from webapp.clock.turn import ClockEvent
from webapp.kernel.database import UNAVAILABLE_ERRORS, WriteRefused
from webapp.kernel.game_status import GameStatus
from webapp.kernel.redacted import Redacted
from webapp.kernel.statements import Statement, json_rows, rows_json
from webapp.kernel.tx import Tx
from webapp.logs.fields import current_request_id
from webapp.mail.schema import Notification
from webapp.play.queries.clocks import SeatClockRow, StoredClock, seats_json, update_seats
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
    """The id of the request that causes it; None if none does."""


class GameUpdate(Redacted, frozen=True, kw_only=True):
    """Everything that one turn, and the automatic turns after it, change in a game that still stands as expected."""

    game_id: int
    guard: TurnGuard
    position: PositionRow
    turns: tuple[TurnRow, ...]
    notifications: tuple[NotificationRow, ...]
    results: tuple[ResultRow, ...] = ()
    """The results of a game that this ends."""
    seat_clocks: tuple[SeatClockRow, ...] = ()
    clock_events: tuple[ClockEvent, ...] = ()


def append(tx: Tx, game_update: GameUpdate) -> bool:
    """Write turns, snapshot, deadline and notifications in one statement; return False if the game has moved on.

    Only a turn that ends the game takes more statements, for its public result.
    """
    if _changes_results(game_update):
        tx.begin()
    if not _APPEND_STATEMENT.run_alone(tx, **_statement_parameters([game_update])):
        return False
    tx.end_alone()
    _write_results(tx, game_update)
    return True


def append_many(tx: Tx, updates: Sequence[GameUpdate]) -> set[int]:
    """Write the updates of many games in one statement, each only if its game has not moved on; return the ids of those written.

    Raises WriteRefused if the database refuses one of them; then none is written, and the transaction can continue.
    """
    try:
        with tx.connection.begin_nested():
            rows = _APPEND_STATEMENT.run(tx, **_statement_parameters(updates))
            written_ids = {row[0] for row in rows}
            for game_update in updates:
                if game_update.game_id in written_ids:
                    _write_results(tx, game_update)
            return written_ids
    except UNAVAILABLE_ERRORS:
        raise
    except psycopg.Error as problem:
        raise WriteRefused from problem


def _write_results(tx: Tx, game_update: GameUpdate) -> None:
    """Store the results of a game that has ended, and delete those of a game that continues."""
    if _changes_results(game_update):
        replace_results(tx, game_update.game_id, game_update.results)


def _changes_results(game_update: GameUpdate) -> bool:
    return bool(game_update.results) or game_update.guard.status is GameStatus.FINISHED


def _statement_parameters(updates: Sequence[GameUpdate]) -> dict[str, str]:
    """Return the rows of each table, those of all games together."""
    return {
        "games": rows_json(_game_values(game_update) for game_update in updates),
        "turns": rows_json(
            {"game_id": game_update.game_id, **asdict(turn)}
            for game_update in updates
            for turn in game_update.turns
        ),
        "notifications": rows_json(
            {"game_id": game_update.game_id, **asdict(notification)}
            for game_update in updates
            for notification in game_update.notifications
        ),
        "seat_clocks": seats_json(
            (game_update.game_id, game_update.seat_clocks) for game_update in updates
        ),
        "deadline_events": events_json(
            event
            for game_update in updates
            for event in game_events(game_update.game_id, game_update.clock_events)
        ),
    }


def _game_values(game_update: GameUpdate) -> dict[str, Any]:
    """Return what the game's row must still hold, and what it holds afterwards."""
    expected, new = asdict(game_update.guard), asdict(game_update.position)
    return {
        "game_id": game_update.game_id,
        **{f"expected_{name}": value for name, value in expected.items()},
        **{f"new_{name}": value for name, value in new.items()},
        "new_head": game_update.turns[-1].head,
    }


def _append_statement() -> Executable:
    """Return the statement for the turns of some games, all of which depends on one guarded update."""
    moved_games = _guarded_update()
    return select(moved_games.c.id).add_cte(
        _insert_turns(moved_games),
        update_seats(moved_games),
        insert_deadline_events(moved_games),
        _insert_notifications(moved_games),
    )


def _guarded_update() -> CTE:
    columns = Game.__table__.c
    new_names = (*PositionRow.__struct_fields__, "head")
    guard_names = TurnGuard.__struct_fields__
    rows = json_rows(
        "games",
        game_id=columns.id.type,
        **{f"expected_{name}": columns[name].type for name in guard_names},
        **{f"new_{name}": columns[name].type for name in new_names},
    )
    is_as_read = (
        columns[name].is_not_distinct_from(rows.c[f"expected_{name}"]) for name in guard_names
    )
    return (
        update(Game)
        .where(Game.id == rows.c.game_id, *is_as_read)
        .values({name: rows.c[f"new_{name}"] for name in new_names})
        .returning(Game.id)
        .cte("moved")
    )


def _insert_turns(moved_games: CTE) -> CTE:
    columns = Turn.__table__.c
    names = ["game_id", *TurnRow.__struct_fields__]
    rows = json_rows("turns", **{name: columns[name].type for name in names})
    query = select(*(rows.c[name] for name in names)).where(
        rows.c.game_id.in_(select(moved_games.c.id))
    )
    return insert(Turn).from_select(names, query).cte("added_turns")


def _insert_notifications(moved_games: CTE) -> CTE:
    """Return the part that stores notifications, in their order."""
    columns = Notification.__table__.c
    names = ["game_id", *NotificationRow.__struct_fields__]
    rows = json_rows("notifications", **{name: columns[name].type for name in names})
    query = (
        select(*(rows.c[name] for name in names))
        .where(rows.c.game_id.in_(select(moved_games.c.id)))
        .order_by(rows.c.ordinal)
    )
    return (
        postgresql.insert(Notification)
        .from_select(names, query)
        .on_conflict_do_nothing()
        .cte("added_notifications")
    )


_APPEND_STATEMENT: Final = Statement(_append_statement)


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
