"""Alarms: what an operator should know of, counted in the database and logged at most once an hour by all processes together."""

from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

from webapp.services.email_kinds import DelayCause
from webapp.services.tx import Tx
from webapp.store.operations import alarms
from webapp.store.operations.alarms import RaisedAlarm

Alarm: TypeAlias = Literal[
    "dead-email",
    "delay-recipient",
    "delay-refused",
    "delay-unreachable",
    "delay-composing",
]
ALARM_BY_DELAY_CAUSE: Final[dict[DelayCause, Alarm]] = {
    "recipient": "delay-recipient",
    "refused": "delay-refused",
    "unreachable": "delay-unreachable",
    "composing": "delay-composing",
}
LOGGED_AGAIN_AFTER: Final = timedelta(hours=1)
"""An alarm that lasts is logged once in this time."""


def raise_alarm(tx: Tx, alarm: Alarm, *, now: datetime) -> bool:
    """Count an alarm; return whether the caller has to log it, because no process has for an hour."""
    return alarms.raise_alarm(tx.connection, alarm, now=now, logged_before=now - LOGGED_AGAIN_AFTER)


def raised_alarms(tx: Tx) -> dict[str, RaisedAlarm]:
    """Return every alarm that was ever raised, by its name."""
    return {raised.name: raised for raised in alarms.raised_alarms(tx.connection)}
