"""Emails that the relay refused or that came back after it had taken them, and how often that has happened to an account."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import (
    ColumnElement,
    ScalarSelect,
    Text,
    and_,
    distinct,
    func,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import aliased

from webapp.accounts.schema import Account
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.mail.schema import Notification

# A literal, not a parameter: only then does a prepared statement use the partial index.
_PENDING = literal_column("'pending'", Text)
_MAX_ROWS: Final = 1000
_ACCOUNTS_OF_WIDESPREAD_DELAY: Final = 3
"""If the emails of so many people are delayed and none is accepted, it isn't their mailboxes."""


class DelayedEmails(NamedTuple):
    """The emails that wait for one cause."""

    cause: str
    count_of_emails: int
    oldest_due_at: datetime
    reason: str | None
    """Why the last attempt failed."""


class RefusedEmail(NamedTuple):
    """An email that was refused for good."""

    id: int
    account_id: int | None
    reason: str | None


_BEGINNING: Final[ColumnElement[datetime]] = literal_column("'-infinity'::timestamptz")


class BounceScore(Redacted, frozen=True):
    """How much speaks against sending emails to an account, as of an instant."""

    score: float
    at: datetime | None
    suppressed_until: datetime | None
    """The end of the time in which none are sent."""
    reason: str | None
    """The reason of the last one that came back."""


_NOTHING: Final = BounceScore(0.0, None, None, None)
_COLUMNS: Final = (
    Account.bounce_score,
    Account.bounced_at,
    Account.suppressed_until,
    Account.bounce_reason,
)


def find_sent(tx: Tx, message_id: str) -> int | None:
    """Return the email that was sent with a Message-ID whose part before the @ is this."""
    return tx.execute(
        select(Notification.id)
        .where(Notification.status == "sent", Notification.message_id == message_id)
        .limit(1)
    ).scalar()


def account_of(tx: Tx, notification_id: int) -> int | None:
    """Return the account of an email, if it names one."""
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


def count_refused_accounts(tx: Tx, email_id: int) -> int:
    """Count the accounts whose emails were refused for a reason of the system since the last accepted email.

    The one with this id counts as such an email, and also those that were superseded meanwhile: in a single game hardly
    two people have emails that wait at the same time.
    """
    is_refused = and_(Notification.delay_cause == "refused", _is_attempted_since_last_accepted())
    is_superseded = and_(
        Notification.status == "dropped",
        Notification.settled_at > func.coalesce(last_accepted_at(), _BEGINNING),
    )
    return tx.execute(
        select(func.count(distinct(Notification.account_id))).where(
            or_(
                and_(Notification.status == _PENDING, or_(is_refused, Notification.id == email_id)),
                and_(is_superseded, is_refused),
            )
        )
    ).scalar_one()


def refused_since_last_accepted(tx: Tx) -> list[RefusedEmail]:
    """Return the emails that were given up since the last accepted email, or wait because all were refused alike."""
    has_failed = and_(
        Notification.status == "failed",
        Notification.settled_at > func.coalesce(last_accepted_at(), _BEGINNING),
    )
    is_refused = and_(
        Notification.status == _PENDING,
        Notification.delay_cause == "refused",
        _is_attempted_since_last_accepted(),
    )
    rows = tx.execute(
        select(Notification.id, Notification.account_id, Notification.reason)
        .where(or_(has_failed, is_refused))
        .order_by(Notification.id.desc())
        .limit(_MAX_ROWS)
    )
    return [RefusedEmail(*row) for row in rows]


def revive(tx: Tx, ids: Sequence[int], *, refused_at: datetime, due_at: datetime) -> None:
    """Let emails that were given up wait again, to be composed again."""
    tx.execute(
        update(Notification)
        .where(Notification.id.in_(ids), Notification.status == "failed")
        .values(
            status="pending",
            delay_cause="refused",
            attempted_at=refused_at,
            due_at=due_at,
            settled_at=None,
        )
    )


def delayed_by_cause(tx: Tx) -> list[DelayedEmails]:
    """Return which emails wait after a failure, by cause."""
    newest_first = aggregate_order_by(Notification.reason, Notification.attempted_at.desc())
    rows = tx.execute(
        select(
            Notification.delay_cause,
            func.count(),
            func.min(Notification.first_due_at),
            func.array_agg(newest_first)[1],
        )
        .where(Notification.status == _PENDING, Notification.delay_cause.is_not(None))
        .group_by(Notification.delay_cause)
        .order_by(Notification.delay_cause)
    )
    return [DelayedEmails(*row) for row in rows]


def untaken_count() -> ScalarSelect[int]:
    """Return a subquery for how many emails wait because the relay refuses them or can't be reached."""
    return (
        select(func.count())
        .where(Notification.status == _PENDING)
        .where(Notification.delay_cause.in_(("refused", "unreachable")))
        .scalar_subquery()
    )


def is_for_operator() -> ColumnElement[bool]:
    """Return whether a waiting email is a sign that something is wrong with the site, so that its age raises an alarm.

    A mailbox that refuses its emails is not, unless several do and the relay has accepted no other email since.
    """
    cause = Notification.delay_cause
    is_about_mailbox = and_(cause == "recipient", ~_are_several_mailboxes_delayed())
    return or_(
        cause.is_(None),
        cause.in_(("unreachable", "composing")),
        and_(_is_attempted_since_last_accepted(), ~is_about_mailbox),
    )


def _are_several_mailboxes_delayed() -> ColumnElement[bool]:
    delayed = aliased(Notification, name="delayed")
    count = (
        select(func.count(distinct(delayed.account_id)))
        .where(delayed.status == _PENDING, delayed.delay_cause == "recipient")
        .where(delayed.attempted_at > func.coalesce(last_accepted_at(), _BEGINNING))
        .scalar_subquery()
    )
    return count >= _ACCOUNTS_OF_WIDESPREAD_DELAY


def _is_attempted_since_last_accepted() -> ColumnElement[bool]:
    """Return whether the last attempt to send an email came after the last email that the relay accepted."""
    return Notification.attempted_at > func.coalesce(last_accepted_at(), _BEGINNING)


def last_accepted_at() -> ScalarSelect[datetime | None]:
    """Return when the relay last accepted an email."""
    sent = aliased(Notification, name="sent")
    return (
        select(sent.settled_at)
        .where(sent.status == literal_column("'sent'", Text), sent.settled_at.is_not(None))
        .order_by(sent.settled_at.desc())
        .limit(1)
        .scalar_subquery()
    )
