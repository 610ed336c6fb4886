"""Alarms, counted, and which process logs one."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from webapp.kernel.tx import Tx
from webapp.operations.schema import Alarm


class RaisedAlarm(NamedTuple):
    """How often an alarm was raised, and when last."""

    name: str
    times: int
    raised_at: datetime


def raise_alarm(tx: Tx, name: str, *, logged_before: datetime) -> bool:
    """Count an alarm. Return True, and store that it is logged now, unless it was logged after ``logged_before``."""
    statement = insert(Alarm).values(name=name, count=1, raised_at=tx.now)
    tx.execute(
        statement.on_conflict_do_update(
            index_elements=[Alarm.name],
            set_={"count": Alarm.count + 1, "raised_at": func.greatest(Alarm.raised_at, tx.now)},
        )
    )
    is_logged_now = tx.execute(
        update(Alarm)
        .where(Alarm.name == name)
        .where(or_(Alarm.logged_at.is_(None), Alarm.logged_at <= logged_before))
        .values(logged_at=tx.now)
    ).rowcount
    return bool(is_logged_now)


def raised_alarms(tx: Tx) -> list[RaisedAlarm]:
    """Return all alarms that were ever raised."""
    rows = tx.execute(select(Alarm.name, Alarm.count, Alarm.raised_at))
    return [RaisedAlarm(*row) for row in rows]
