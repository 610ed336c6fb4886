"""Maintenance of the whole site: when it was, and the shift of all clocks by its length."""

from datetime import datetime
from typing import Final, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Text, cast, exists, func, insert, null, or_, select, update

from webapp.clock.pace.calendar import Interval
from webapp.clock.schema import Maintenance
from webapp.clock.turn import ClockStop
from webapp.kernel.game_status import GameStatus
from webapp.kernel.tx import Tx
from webapp.operations.schema import SCHEDULE_PART, EmailHold, Heartbeat
from webapp.play.schema import Game, has_status

NOT_RECORDED: Final = 0


class MaintenanceRow(msgspec.Struct, frozen=True, array_like=True):
    """The maintenance that is not over, or whose clocks have not all been shifted.

    Or the time since workers last looked for deadlines, which has the id ``NOT_RECORDED``: if it is long, it is an outage
    that they will record as soon as they run again.
    """

    id: int
    began_at: datetime
    ended_at: datetime | None
    last_game_id: int
    cause: str
    recorded_at: datetime

    def touches(self, began_at: datetime, ended_at: datetime) -> bool:
        """Return whether no playing time lies between it and another time in which clocks stood still."""
        return ended_at >= self.began_at and (self.ended_at is None or began_at <= self.ended_at)

    def stop_of(self, game_id: int) -> ClockStop | None:
        """Return how this stops the clock of a game, if its deadline is still to be moved for it."""
        if game_id <= self.last_game_id:
            return None
        return ClockStop(self.began_at, self.ended_at, is_recorded=self.id != NOT_RECORDED)


def unfinished_maintenance(tx: Tx, *, lock: bool = False) -> MaintenanceRow | None:
    """Return the maintenance during which no deadline may run out, if there is one."""
    query = select(
        Maintenance.id,
        Maintenance.began_at,
        Maintenance.ended_at,
        Maintenance.last_game_id,
        Maintenance.cause,
        Maintenance.recorded_at,
    ).where(Maintenance.shifted_at.is_(None))
    row = tx.execute(query.with_for_update() if lock else query).first()
    return None if row is None else MaintenanceRow(*row)


def are_clocks_stopped(tx: Tx) -> bool:
    """Return whether a maintenance is unfinished, or this is a restored copy whose emails are held."""
    is_unfinished = exists().where(Maintenance.shifted_at.is_(None))
    return bool(tx.execute(select(or_(is_unfinished, exists(select(EmailHold.id))))).scalar())


def unfinished_json() -> ColumnElement[str | None]:
    """Return a subquery for the maintenance that ``unfinished_maintenance`` returns."""
    row = func.json_build_array(
        Maintenance.id,
        Maintenance.began_at,
        Maintenance.ended_at,
        Maintenance.last_game_id,
        Maintenance.cause,
        Maintenance.recorded_at,
    )
    return select(cast(row, Text)).where(Maintenance.shifted_at.is_(None)).scalar_subquery()


def clock_stop_json() -> ColumnElement[str | None]:
    """Return a subquery for ``unfinished_json``, or else for the time since the last sweep."""
    last_sweep = func.json_build_array(
        NOT_RECORDED, Heartbeat.at, null(), 0, "server", Heartbeat.at
    )
    query = select(cast(last_sweep, Text)).where(
        Heartbeat.part == SCHEDULE_PART, Heartbeat.instance == ""
    )
    return func.coalesce(unfinished_json(), query.scalar_subquery())


class MaintenancePeriod(NamedTuple):
    """When the site was closed, or not watching deadlines."""

    began_at: datetime
    ended_at: datetime | None
    """None only until it is over."""
    cause: str


def periods_between(tx: Tx, since: datetime, until: datetime) -> tuple[MaintenancePeriod, ...]:
    """Return every maintenance that is over and lay at least partly in this time, the latest first."""
    rows = tx.execute(
        select(Maintenance.began_at, Maintenance.ended_at, Maintenance.cause)
        .where(Maintenance.shifted_at.is_not(None))
        .where(Maintenance.began_at < until, Maintenance.ended_at > since)
        .order_by(Maintenance.id.desc())
    )
    return tuple(MaintenancePeriod(*row) for row in rows)


def shifted_intervals(tx: Tx, since: datetime, until: datetime) -> list[Interval]:
    """Return the parts of this time by which all deadlines have been moved already."""
    return [
        Interval(max(period.began_at, since), min(period.ended_at, until))
        for period in periods_between(tx, since, until)
        if period.ended_at is not None
    ]


def latest_outage_json() -> ColumnElement[str | None]:
    """Return a subquery for the last outage."""
    row = func.json_build_array(Maintenance.began_at, Maintenance.ended_at, Maintenance.cause)
    return (
        select(cast(row, Text))
        .where(Maintenance.cause != "maintenance")
        .order_by(Maintenance.id.desc())
        .limit(1)
        .scalar_subquery()
    )


def begin(tx: Tx) -> None:
    tx.execute(insert(Maintenance).values(began_at=tx.now, recorded_at=tx.now))


def record_outage(tx: Tx, *, cause: str, began_at: datetime, ended_at: datetime) -> None:
    """Store an outage that is over; the clocks are still to be shifted."""
    values = {"began_at": began_at, "ended_at": ended_at, "cause": cause, "recorded_at": ended_at}
    tx.execute(insert(Maintenance).values(values))


def extend(tx: Tx, maintenance_id: int, *, began_at: datetime, ended_at: datetime | None) -> None:
    """Store that the clocks stood still since an earlier instant, and until a later one unless they still do."""
    values = {"began_at": began_at, "ended_at": ended_at}
    tx.execute(update(Maintenance).where(Maintenance.id == maintenance_id).values(values))


def set_end(tx: Tx, maintenance_id: int, ended_at: datetime | None) -> None:
    """Store when it ended; None lets one that had ended continue."""
    tx.execute(
        update(Maintenance).where(Maintenance.id == maintenance_id).values(ended_at=ended_at)
    )


def finish(tx: Tx, maintenance_id: int) -> None:
    """Store that every clock has been shifted."""
    tx.execute(
        update(Maintenance).where(Maintenance.id == maintenance_id).values(shifted_at=tx.now)
    )


def lock_next_games(tx: Tx, row: MaintenanceRow, *, limit: int) -> list[int]:
    """Lock and return the next games under way whose clocks are to be shifted."""
    ids = tx.execute(
        select(Game.id)
        .where(has_status(GameStatus.RUNNING, GameStatus.PAUSED), Game.id > row.last_game_id)
        .order_by(Game.id)
        .limit(limit)
        .with_for_update()
    ).scalars()
    return list(ids)


def record_progress(tx: Tx, maintenance_id: int, *, last_id: int) -> None:
    """Store up to which game the clocks have been shifted."""
    tx.execute(
        update(Maintenance).where(Maintenance.id == maintenance_id).values(last_game_id=last_id)
    )
