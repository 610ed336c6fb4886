"""Emails that came back after the relay had taken them, and how often that has happened to an account."""

from datetime import datetime
from typing import Final

from sqlalchemy import select, update

from webapp.accounts.schema import Account
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
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


def find_sent(tx: Tx, message_id: str) -> int | None:
    """Return the email that was sent with a Message-ID that begins like this."""
    return tx.execute(
        select(Notification.id)
        .where(Notification.status == "sent")
        .where(Notification.message_id.startswith(message_id, autoescape=True))
        .limit(1)
    ).scalar()


def account_of(tx: Tx, notification_id: int) -> int | None:
    """Return whose email it is, if it names an account."""
    return tx.execute(
        select(Notification.account_id).where(Notification.id == notification_id)
    ).scalar()


def mark_undelivered(tx: Tx, notification_id: int, reason: str) -> int | None:
    """Record that a sent email was not delivered; return its account, or None if it was not sent or names none."""
    return tx.execute(
        update(Notification)
        .where(Notification.id == notification_id, Notification.status == "sent")
        .values(status="failed", reason=reason, settled_at=tx.now)
        .returning(Notification.account_id)
    ).scalar()


def lock_score(tx: Tx, account_id: int) -> BounceScore:
    row = tx.execute(select(*_COLUMNS).where(Account.id == account_id).with_for_update()).first()
    return _NOTHING if row is None else BounceScore(*row)


def store_score(tx: Tx, account_id: int, score: BounceScore) -> None:
    values = zip(
        _COLUMNS, (score.score, score.at, score.suppressed_until, score.reason), strict=True
    )
    tx.execute(
        update(Account)
        .where(Account.id == account_id, Account.address.is_not(None))
        .values({column.key: value for column, value in values})
    )


def forget_score(tx: Tx, account_id: int) -> None:
    """Forget what came back, because the address is another one or works again."""
    store_score(tx, account_id, _NOTHING)
