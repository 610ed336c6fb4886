"""From what a turn was computed: its statement writes nothing once any of that has changed."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, bindparam

from webapp.kernel.game_status import GameStatus
from webapp.kernel.redacted import Redacted, RedactedBytes
from webapp.play.queries.rows import GameRow
from webapp.play.schema import Game


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
