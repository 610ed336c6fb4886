"""Maintenance of the whole site: when it was, and the shift of all clocks by its length."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    DateTime,
    Text,
    bindparam,
    cast,
    func,
    insert,
    literal,
    select,
    update,
)

from webapp.game_status import GameStatus
from webapp.store.schema.play import Game, has_status
from webapp.store.schema.site import Maintenance

_CLOCK_COLUMNS = ("turn_started_at", "deadline_at", "remind_at", "wake_at")


class MaintenanceRow(msgspec.Struct, frozen=True, array_like=True):
    """The maintenance that is not over, or whose clocks have not all been shifted."""

    id: int
    began_at: datetime
    ended_at: datetime | None
    last_game_id: int

    def time_to_add(self, game_id: int, since: datetime, until: datetime) -> timedelta:
        """Return by how much the clock of a game will be moved for the time between these instants."""
        if game_id <= self.last_game_id:
            return timedelta(0)
        stopped_at = until if self.ended_at is None else min(until, self.ended_at)
        return max(stopped_at - max(since, self.began_at), timedelta(0))


def unfinished(connection: Connection, *, lock: bool = False) -> MaintenanceRow | None:
    """Return the maintenance during which no deadline may run out, if there is one."""
    query = select(
        Maintenance.id, Maintenance.began_at, Maintenance.ended_at, Maintenance.last_game_id
    ).where(Maintenance.shifted_at.is_(None))
    row = connection.execute(query.with_for_update() if lock else query).first()
    return None if row is None else MaintenanceRow(*row)


def unfinished_json() -> ColumnElement[str | None]:
    """Return a subquery for the maintenance that ``unfinished`` returns, as JSON that ``decode_maintenance`` reads."""
    row = func.json_build_array(
        Maintenance.id, Maintenance.began_at, Maintenance.ended_at, Maintenance.last_game_id
    )
    return select(cast(row, Text)).where(Maintenance.shifted_at.is_(None)).scalar_subquery()


def decode_maintenance(stored_text: str | None) -> MaintenanceRow | None:
    return None if stored_text is None else _ROW_DECODER.decode(stored_text)


class MaintenancePeriod(NamedTuple):
    """When the site was closed."""

    began_at: datetime
    ended_at: datetime | None
    """None only until it is over."""


def periods_between(
    connection: Connection, since: datetime, until: datetime
) -> tuple[MaintenancePeriod, ...]:
    """Return every maintenance that is over and lay at least partly in this time, the latest first."""
    rows = connection.execute(
        select(Maintenance.began_at, Maintenance.ended_at)
        .where(Maintenance.shifted_at.is_not(None))
        .where(Maintenance.began_at < until, Maintenance.ended_at > since)
        .order_by(Maintenance.id.desc())
    )
    return tuple(MaintenancePeriod(*row) for row in rows)


def begin(connection: Connection, *, now: datetime) -> None:
    connection.execute(insert(Maintenance).values(began_at=now))


def set_end(connection: Connection, maintenance_id: int, ended_at: datetime | None) -> None:
    """Store when it ended; None lets one that had ended continue."""
    connection.execute(
        update(Maintenance).where(Maintenance.id == maintenance_id).values(ended_at=ended_at)
    )


def finish(connection: Connection, maintenance_id: int, *, now: datetime) -> None:
    """Store that every clock has been shifted."""
    connection.execute(
        update(Maintenance).where(Maintenance.id == maintenance_id).values(shifted_at=now)
    )


def shift_clocks(connection: Connection, row: MaintenanceRow, *, limit: int) -> bool:
    """Move the clocks of the next games under way by the time they lost; return whether there may be more games.

    A game whose turn began during the maintenance lost only what was left of it, and one whose turn began afterwards
    lost nothing. A paused game lost what was before its pause; resuming it adds the rest. The row remembers how far this came, in the same transaction.
    """
    ids = connection.execute(
        select(Game.id)
        .where(has_status(GameStatus.RUNNING, GameStatus.PAUSED), Game.id > row.last_game_id)
        .order_by(Game.id)
        .limit(limit)
        .with_for_update()
    ).scalars()
    batch = list(ids)
    if not batch:
        return False
    instant = DateTime(timezone=True)
    ended_at = bindparam("ended_at", row.ended_at, type_=instant)
    began_at = func.greatest(literal(row.began_at, instant), Game.turn_started_at)
    stopped_at = func.least(ended_at, Game.paused_at)
    lost_time = stopped_at - began_at
    connection.execute(
        update(Game)
        .where(Game.id.in_(batch), began_at < stopped_at)
        .values({name: getattr(Game, name) + lost_time for name in _CLOCK_COLUMNS})
    )
    connection.execute(
        update(Maintenance).where(Maintenance.id == row.id).values(last_game_id=batch[-1])
    )
    return len(batch) == limit


_ROW_DECODER: Final = msgspec.json.Decoder(MaintenanceRow)
