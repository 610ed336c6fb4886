"""The times at which a person wants reminders: hours before the deadline, and the quiet hours of their week."""

from collections.abc import Iterable, Sequence
from datetime import time
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, SQLColumnExpression, delete, func, insert, select, update

from webapp.accounts.schema import Account
from webapp.clock.pace.calendar import PlayingTime
from webapp.clock.schema import QuietHours
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx


class QuietHoursRow(Redacted, frozen=True, kw_only=True, array_like=True):
    """Hours without emails about games that begin on some days of the week, in the time zone of the account."""

    weekdays: tuple[int, ...]
    """0 is Monday."""
    from_time: time
    until_time: time
    """The end; on the next day if it is before ``from_time``."""


def reminder_hours(tx: Tx, account_id: int) -> tuple[int, ...]:
    """Return how many hours before a deadline the person is reminded; none means at the usual time."""
    hours = tx.execute(select(Account.reminder_hours).where(Account.id == account_id)).scalar_one()
    return tuple(hours or ())


def change_reminder_hours(tx: Tx, account_id: int, hours: Sequence[int]) -> None:
    """Store when the person is reminded; without hours, at the usual time."""
    tx.execute(
        update(Account).where(Account.id == account_id).values(reminder_hours=list(hours) or None)
    )


def quiet_hours(tx: Tx, account_id: int) -> tuple[QuietHoursRow, ...]:
    """Return the quiet hours of an account, in its owner's order."""
    rows = tx.execute(
        select(QuietHours.weekdays, QuietHours.from_time, QuietHours.until_time)
        .where(QuietHours.account_id == account_id)
        .order_by(QuietHours.number)
    )
    return tuple(
        QuietHoursRow(
            weekdays=tuple(row.weekdays), from_time=row.from_time, until_time=row.until_time
        )
        for row in rows
    )


def replace_quiet_hours(tx: Tx, account_id: int, rows: Sequence[QuietHoursRow]) -> None:
    """Store these quiet hours in place of all earlier ones of the account."""
    tx.execute(delete(QuietHours).where(QuietHours.account_id == account_id))
    if rows:
        tx.execute(
            insert(QuietHours),
            [
                {
                    **msgspec.structs.asdict(row),
                    "weekdays": list(row.weekdays),
                    "account_id": account_id,
                    "number": number,
                }
                for number, row in enumerate(rows, 1)
            ],
        )


def quiet_times(rows: Iterable[QuietHoursRow], zone: str) -> tuple[PlayingTime, ...]:
    """Return the quiet hours of a person as times of every week."""
    return tuple(
        PlayingTime(zone=zone, weekdays=row.weekdays, opens=row.from_time, closes=row.until_time)
        for row in rows
    )


def quiet_hours_json(account_id: SQLColumnExpression[int | None]) -> ColumnElement[Any]:
    """Return a subquery for the quiet hours of an account, as ``QuietHoursRow`` is decoded."""
    hours = func.json_build_array(
        QuietHours.weekdays,
        QuietHours.from_time,
        QuietHours.until_time,
    )
    return (
        select(func.json_agg(hours))
        .where(QuietHours.account_id == account_id)
        .correlate_except(QuietHours)
        .scalar_subquery()
    )
