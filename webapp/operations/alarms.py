"""Alarms: what an operator should know of, counted in the database and logged at most once an hour by all processes together."""

from datetime import timedelta
from typing import Final, Literal, TypeAlias, get_args

from webapp.accounts.queries import sign_ins
from webapp.kernel.email_outcomes import DELAY_CAUSES, DelayCause
from webapp.kernel.tx import Tx
from webapp.mail.queries import refused_emails
from webapp.mail.queries.refused_emails import DelayedEmails
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


def delayed_email_counts(tx: Tx) -> dict[str, int]:
    """Return how many emails wait after a failure, by its cause; every cause has an entry."""
    counts = {delayed.cause: delayed.count_of_emails for delayed in delayed_emails(tx)}
    return dict.fromkeys(DELAY_CAUSES, 0) | counts


def delayed_emails(tx: Tx) -> list[DelayedEmails]:
    """Return which emails wait after a failure, by cause."""
    return refused_emails.delayed_by_cause(tx)
