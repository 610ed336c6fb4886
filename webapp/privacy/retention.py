"""How long data is kept: one table, which the privacy page shows and a job applies.

The ledger of moderators and the record of their peeks are not in it, because they are never deleted: they show for as
long as there are games who did what, and who may not play where.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, TypeAlias

from webapp.accounts.queries import address_changes, passkeys, sessions, sign_ins
from webapp.accounts.sessions import SESSION_LIFETIME
from webapp.clock.queries import absences, deadline_events
from webapp.clock.reliability import RELIABILITY_PERIOD
from webapp.clubs.queries import clubs
from webapp.kernel.tx import Tx
from webapp.lobby.queries import seat_offers
from webapp.mail.queries import replies
from webapp.moderation.queries import reports, security_events
from webapp.operations.queries import daily_statistics, health_samples, heartbeats

KeptData: TypeAlias = Literal[
    "sign-ins",
    "sessions",
    "network-addresses",
    "address-changes",
    "seat-offers",
    "absences",
    "clubs-without-games",
    "passkey-challenges",
    "event-network-addresses",
    "security-events",
    "health-samples",
    "heartbeats",
    "emails",
    "deadlines",
    "answers-by-email",
    "reply-addresses",
    "reported-messages",
]


class RetentionRule(NamedTuple):
    """Some data, how long it is kept, and how older data is deleted or emptied."""

    data: KeptData
    period: timedelta
    delete_before: Callable[[Tx, datetime], int]
    """Deletes data from before an instant, and returns the number of its rows."""


def apply_retention(tx: Tx) -> int:
    """Delete everything that has been kept for long enough; return how many rows that were."""
    return sum(rule.delete_before(tx, tx.now - rule.period) for rule in RETENTION_RULES)


def _delete_expired_sessions(tx: Tx, before: datetime) -> int:
    """Delete sessions from before this instant, and those that ended earlier because they were not used."""
    return sessions.delete_expired(tx, now=before + SESSION_LIFETIME)


RETENTION_RULES: Final = (
    # Longer than the day over which wrong codes are counted.
    RetentionRule("sign-ins", timedelta(days=2), sign_ins.delete_old),
    RetentionRule("sessions", SESSION_LIFETIME, _delete_expired_sessions),
    RetentionRule("network-addresses", timedelta(days=30), sessions.forget_network_addresses),
    RetentionRule("address-changes", timedelta(days=30), address_changes.delete_old),
    RetentionRule("seat-offers", timedelta(days=30), seat_offers.delete_old),
    RetentionRule("absences", timedelta(days=90), absences.delete_old),
    RetentionRule("clubs-without-games", timedelta(days=30), clubs.delete_without_games),
    RetentionRule("passkey-challenges", timedelta(hours=1), passkeys.delete_challenges),
    RetentionRule(
        "event-network-addresses", timedelta(days=30), security_events.forget_network_addresses
    ),
    RetentionRule("security-events", timedelta(days=365), security_events.delete_old),
    RetentionRule("health-samples", timedelta(days=35), health_samples.delete_old),
    RetentionRule("heartbeats", timedelta(days=1), heartbeats.delete_old),
    # Emails and deadlines of a game are kept for this long after its end.
    RetentionRule("emails", timedelta(days=30), daily_statistics.delete_old_emails),
    RetentionRule("deadlines", RELIABILITY_PERIOD, deadline_events.delete_old),
    RetentionRule("answers-by-email", timedelta(days=30), replies.delete_old_emails),
    # An answer that comes after the end of its game gets a kind one.
    RetentionRule("reply-addresses", timedelta(days=30), replies.delete_old_tokens),
    RetentionRule("reported-messages", timedelta(days=90), reports.forget_messages),
)
