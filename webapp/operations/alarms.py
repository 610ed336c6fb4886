"""Alarms: each is counted, and logged by one process once an hour."""

from datetime import timedelta
from typing import Final, Literal, TypeAlias, get_args

from webapp.accounts.queries import sign_ins
from webapp.kernel.email_outcomes import DelayCause
from webapp.kernel.tx import Tx
from webapp.operations.queries import alarms
from webapp.operations.queries.alarms import RaisedAlarm

Alarm: TypeAlias = Literal[
    "dead-email",
    "site-limit",
    "wrong-codes",
    "delay-recipient",
    "delay-refused",
    "delay-unreachable",
    "delay-composing",
]
ALARMS: Final[tuple[Alarm, ...]] = get_args(Alarm)
ALARM_BY_DELAY_CAUSE: Final[dict[DelayCause, Alarm]] = {
    "recipient": "delay-recipient",
    "refused": "delay-refused",
    "unreachable": "delay-unreachable",
    "composing": "delay-composing",
}
LOGGED_AGAIN_AFTER: Final = timedelta(hours=1)
"""An alarm that lasts is logged once in this time."""
WRONG_CODES_OF_ALARM: Final = 100
"""So many wrong codes on the whole site within an hour are more than people mistype."""
_CODES_WATCHED_FOR: Final = timedelta(hours=1)


def raise_alarm(tx: Tx, alarm: Alarm) -> bool:
    """Count an alarm; return whether the caller has to log it, because no process has for an hour."""
    return alarms.raise_alarm(tx, alarm, logged_before=tx.now - LOGGED_AGAIN_AFTER)


def watch_wrong_codes(tx: Tx) -> int | None:
    """Raise an alarm if too many wrong codes were typed on the whole site; return how many if the caller has to log it.

    Limits on each address do not show someone who tries a few codes at each of many addresses.
    """
    count = sign_ins.count_all_tries(tx, since=tx.now - _CODES_WATCHED_FOR)
    if count < WRONG_CODES_OF_ALARM or not raise_alarm(tx, "wrong-codes"):
        return None
    return count


def alarm_counts(tx: Tx) -> dict[str, int]:
    """Return how often every alarm was raised."""
    counts = {raised.name: raised.times for raised in alarms.raised_alarms(tx)}
    return dict.fromkeys(ALARMS, 0) | counts


def recent_alarms(tx: Tx) -> list[RaisedAlarm]:
    """Return the alarms that were raised within the last hour."""
    return [
        raised
        for raised in alarms.raised_alarms(tx)
        if tx.now - raised.raised_at <= LOGGED_AGAIN_AFTER
    ]
