"""Counts alarms, and decides which process logs one."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from webapp.operations.schema import Alarm


class RaisedAlarm(NamedTuple):
    """How often an alarm was raised, and when last."""

    name: str
    times: int
    raised_at: datetime


def raise_alarm(
    connection: Connection, name: str, *, now: datetime, logged_before: datetime
) -> bool:
    """Count an alarm. Return True, and store that it is logged now, unless it was logged after ``logged_before``."""
    statement = insert(Alarm).values(name=name, count=1, raised_at=now)
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=[Alarm.name],
            set_={"count": Alarm.count + 1, "raised_at": func.greatest(Alarm.raised_at, now)},
        )
    )
    is_logged_now = connection.execute(
        update(Alarm)
        .where(Alarm.name == name)
        .where(or_(Alarm.logged_at.is_(None), Alarm.logged_at <= logged_before))
        .values(logged_at=now)
    ).rowcount
    return bool(is_logged_now)


def raised_alarms(connection: Connection) -> list[RaisedAlarm]:
    """Return all alarms that were ever raised."""
    rows = connection.execute(select(Alarm.name, Alarm.count, Alarm.raised_at))
    return [RaisedAlarm(*row) for row in rows]
