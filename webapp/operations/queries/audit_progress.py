"""Where the daily audit has got to, and the inconsistencies that it found."""

from collections.abc import Collection, Sequence
from datetime import datetime

import msgspec
from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from webapp.kernel.tx import Tx
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


def read_cursor(tx: Tx) -> AuditCursor | None:
    """Return the cursor, or None before the first audit."""
    row = tx.execute(select(*_CURSOR_COLUMNS)).first()
    return None if row is None else AuditCursor(*row)


def lock_cursor(tx: Tx) -> AuditCursor | None:
    """Return the cursor locked for this transaction, created if missing; None while another transaction holds it."""
    row = tx.execute(select(*_CURSOR_COLUMNS).with_for_update(skip_locked=True)).first()
    if row is not None:
        return AuditCursor(*row)
    return _insert_cursor(tx, tx.now) if read_cursor(tx) is None else None


def _insert_cursor(tx: Tx, now: datetime) -> AuditCursor | None:
    values = {"id": 1, "started_at": now, "last_game_id": 0, "repaired_snapshots": 0}
    statement = insert(Audit).values(values).on_conflict_do_nothing().returning(*_CURSOR_COLUMNS)
    row = tx.execute(statement).first()
    return None if row is None else AuditCursor(*row)


def save_cursor(tx: Tx, cursor: AuditCursor) -> None:
    """Store the cursor."""
    tx.execute(update(Audit).values(msgspec.structs.asdict(cursor)))


def replace_inconsistencies(
    tx: Tx, game_ids: Collection[int], inconsistencies: Sequence[FoundInconsistency]
) -> None:
    """Store the inconsistencies of these games in place of those that were stored before."""
    tx.execute(delete(RecordedInconsistency).where(RecordedInconsistency.game_id.in_(game_ids)))
    if inconsistencies:
        rows = [
            {"game_id": inconsistency.game_id, "kind": inconsistency.kind}
            for inconsistency in inconsistencies
        ]
        tx.execute(insert(RecordedInconsistency), rows)


def count_inconsistent_games(tx: Tx) -> int:
    """Return the number of games that have at least one inconsistency."""
    games = select(func.count(RecordedInconsistency.game_id.distinct()))
    return int(tx.execute(games).scalar_one())


_CURSOR_COLUMNS = (
    Audit.started_at,
    Audit.completed_at,
    Audit.last_game_id,
    Audit.repaired_snapshots,
)
