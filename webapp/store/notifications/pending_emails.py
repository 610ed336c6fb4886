"""What waits in the outbox: which emails are queued, and since when they could have been sent.

Its own module because the one that changes the outbox has no room for what others ask of it.
"""

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Text, func, literal_column, select

from webapp.store.schema.notifications import Notification

# A literal, not a parameter: only then does a prepared statement use the partial index.
_PENDING = literal_column("'pending'", Text)


def last_dedup_key(connection: Connection, game_id: int, kind: str) -> int:
    """Return the highest dedup key of a game's notifications of this kind; 0 if there are none."""
    number: int = connection.execute(
        select(func.coalesce(func.max(Notification.dedup_key), 0)).where(
            Notification.game_id == game_id, Notification.kind == kind
        )
    ).scalar_one()
    return number


def accounts_pending_after(
    connection: Connection, game_id: int, kind: str, instant: datetime
) -> frozenset[int | None]:
    """Return the accounts with a pending notification of this kind that is composed only after this instant."""
    rows = connection.execute(
        select(Notification.account_id)
        .where(Notification.game_id == game_id, Notification.kind == kind)
        .where(Notification.status == _PENDING, Notification.message.is_(None))
        .where(Notification.due_at > instant)
    )
    return frozenset(rows.scalars())


def oldest_pending_since(connection: Connection) -> datetime | None:
    """Return since when the oldest pending notification could have been sent; quiet hours that are not over may be in the future."""
    return connection.execute(
        select(func.min(waiting_since())).where(Notification.status == _PENDING)
    ).scalar_one()


def waiting_since() -> ColumnElement[datetime]:
    """Return since when an email could have been sent: after it was due first, and after quiet hours."""
    return func.greatest(Notification.first_due_at, Notification.quiet_until)
