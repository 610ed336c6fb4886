"""Quiet hours as other statements read them: together with a seat, or with the recipient of an email."""

from collections.abc import Iterable
from datetime import time
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, SQLColumnExpression, func, select

from webapp.clock import schema as schema_clock
from webapp.clock.pace.calendar import PlayingTime


class QuietHours(NamedTuple):
    """Hours without emails about games, in the time zone of the person's account."""

    weekdays: tuple[int, ...]
    from_time: time
    until_time: time


def quiet_times(quiet_hours: Iterable[QuietHours], zone: str) -> tuple[PlayingTime, ...]:
    """Return the quiet hours of a person as intervals of every week are described."""
    return tuple(
        PlayingTime(zone=zone, weekdays=weekdays, opens=from_time, closes=until_time)
        for weekdays, from_time, until_time in quiet_hours
    )


def quiet_hours_json(account_id: SQLColumnExpression[int | None]) -> ColumnElement[Any]:
    """Return a subquery for the quiet hours of an account, as ``QuietHours`` is decoded."""
    hours = func.json_build_array(
        schema_clock.QuietHours.weekdays,
        schema_clock.QuietHours.from_time,
        schema_clock.QuietHours.until_time,
    )
    return (
        select(func.json_agg(hours))
        .where(schema_clock.QuietHours.account_id == account_id)
        .correlate_except(schema_clock.QuietHours)
        .scalar_subquery()
    )
