"""Emails that came back after the relay had taken them, and how often that has happened to an account."""

from datetime import datetime
from typing import Final

from sqlalchemy import Connection, select, update

from webapp.accounts.schema import Account
from webapp.kernel.redacted import Redacted
from webapp.mail.schema import Notification


class BounceScore(Redacted, frozen=True):
    """How much speaks against sending emails to an account, as of an instant."""

    score: float
    at: datetime | None
    suppressed_until: datetime | None
    """Until when none are sent."""
    reason: str | None
    """Of the last one that came back."""


_NOTHING: Final = BounceScore(0.0, None, None, None)
_COLUMNS: Final = (
    Account.bounce_score,
    Account.bounced_at,
    Account.suppressed_until,
    Account.bounce_reason,
)


def find_sent(connection: Connection, message_id: str) -> int | None:
    """Return the email that was sent with a Message-ID that begins like this."""
    return connection.execute(
        select(Notification.id)
        .where(Notification.status == "sent")
        .where(Notification.message_id.startswith(message_id, autoescape=True))
        .limit(1)
    ).scalar()


def account_of(connection: Connection, notification_id: int) -> int | None:
    """Return whose email it is, if it names an account."""
    return connection.execute(
        select(Notification.account_id).where(Notification.id == notification_id)
    ).scalar()


def mark_undelivered(
    connection: Connection, notification_id: int, reason: str, *, now: datetime
) -> int | None:
    """Record that a sent email was not delivered; return its account, or None if it was not sent or names none."""
    return connection.execute(
        update(Notification)
        .where(Notification.id == notification_id, Notification.status == "sent")
        .values(status="failed", reason=reason, settled_at=now)
        .returning(Notification.account_id)
    ).scalar()


def lock_score(connection: Connection, account_id: int) -> BounceScore:
    row = connection.execute(
        select(*_COLUMNS).where(Account.id == account_id).with_for_update()
    ).first()
    return _NOTHING if row is None else BounceScore(*row)


def store_score(connection: Connection, account_id: int, score: BounceScore) -> None:
    values = zip(
        _COLUMNS, (score.score, score.at, score.suppressed_until, score.reason), strict=True
    )
    connection.execute(
        update(Account)
        .where(Account.id == account_id, Account.address.is_not(None))
        .values({column.key: value for column, value in values})
    )


def forget_score(connection: Connection, account_id: int) -> None:
    """Forget what came back, because the address is another one or works again."""
    store_score(connection, account_id, _NOTHING)
