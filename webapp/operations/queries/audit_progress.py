"""Where the daily audit has got to, and the inconsistencies that it found."""

from collections.abc import Collection, Sequence
from datetime import datetime

import msgspec
from sqlalchemy import Connection, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from webapp.operations.schema import Audit, RecordedInconsistency


class AuditCursor(msgspec.Struct, frozen=True):
    """The progress of the latest audit. ``completed_at`` is when the last complete audit ended."""

    started_at: datetime
    completed_at: datetime | None
    last_game_id: int
    """The game that was checked last."""
    repaired_snapshots: int
    """How many snapshots all audits together have repaired."""


class FoundInconsistency(msgspec.Struct, frozen=True, kw_only=True):
    """An inconsistency to store."""

    game_id: int
    kind: str


def read_cursor(connection: Connection) -> AuditCursor | None:
    """Return the cursor, or None before the first audit."""
    row = connection.execute(select(*_CURSOR_COLUMNS)).first()
    return None if row is None else AuditCursor(*row)


def lock_cursor(connection: Connection, *, now: datetime) -> AuditCursor | None:
    """Return the cursor locked for this transaction, created if missing; None while another transaction holds it."""
    row = connection.execute(select(*_CURSOR_COLUMNS).with_for_update(skip_locked=True)).first()
    if row is not None:
        return AuditCursor(*row)
    return _insert_cursor(connection, now) if read_cursor(connection) is None else None


def _insert_cursor(connection: Connection, now: datetime) -> AuditCursor | None:
    values = {"id": 1, "started_at": now, "last_game_id": 0, "repaired_snapshots": 0}
    statement = insert(Audit).values(values).on_conflict_do_nothing().returning(*_CURSOR_COLUMNS)
    row = connection.execute(statement).first()
    return None if row is None else AuditCursor(*row)


def save_cursor(connection: Connection, cursor: AuditCursor) -> None:
    """Store the cursor."""
    connection.execute(update(Audit).values(msgspec.structs.asdict(cursor)))


def replace_inconsistencies(
    connection: Connection, game_ids: Collection[int], inconsistencies: Sequence[FoundInconsistency]
) -> None:
    """Store the inconsistencies of these games in place of those that were stored before."""
    connection.execute(
        delete(RecordedInconsistency).where(RecordedInconsistency.game_id.in_(game_ids))
    )
    if inconsistencies:
        rows = [
            {"game_id": inconsistency.game_id, "kind": inconsistency.kind}
            for inconsistency in inconsistencies
        ]
        connection.execute(insert(RecordedInconsistency), rows)


def count_inconsistent_games(connection: Connection) -> int:
    """Return the number of games that have at least one inconsistency."""
    games = select(func.count(RecordedInconsistency.game_id.distinct()))
    return int(connection.execute(games).scalar_one())


_CURSOR_COLUMNS = (
    Audit.started_at,
    Audit.completed_at,
    Audit.last_game_id,
    Audit.repaired_snapshots,
)
