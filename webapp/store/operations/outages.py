"""Outages of the site: found when its health is measured, and kept for as long as they excuse late turns."""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, delete, func, select, text
from sqlalchemy.dialects.postgresql import insert

from webapp.store.notifications.pending_emails import waiting_since
from webapp.store.schema.notifications import Notification
from webapp.store.schema.statistics import HealthSample, Outage

WORKERS: Final = "workers"
MAIL: Final = "mail"


def last_sample_before(connection: Connection, slot: datetime) -> datetime | None:
    """Return the newest time before this one for which a worker has measured the health of the site."""
    return connection.execute(
        select(func.max(HealthSample.at)).where(
            HealthSample.at < slot, HealthSample.workers.is_not(None)
        )
    ).scalar_one()


def mail_stuck_since(
    connection: Connection, *, now: datetime, patience: timedelta
) -> datetime | None:
    """Return since when emails wait although they are due, if for that long not one could be sent.

    Only emails to accounts count that became due after the last one that was sent: otherwise an address that delays its
    emails for days, such as one that someone invited, would make an outage of every quiet half-hour since then.
    """
    is_sent = Notification.status == "sent"
    last_sent_at = (
        select(Notification.settled_at)
        .where(is_sent, Notification.settled_at.is_not(None))
        .order_by(Notification.settled_at.desc())
        .limit(1)
        .scalar_subquery()
    )
    oldest: datetime | None = connection.execute(
        select(func.min(waiting_since())).where(
            text("status = 'pending'"),
            Notification.account_id.is_not(None),
            Notification.first_due_at > func.coalesce(last_sent_at, text("'-infinity'")),
        )
    ).scalar_one()
    return oldest if oldest is not None and oldest <= now - patience else None


def record(connection: Connection, kind: str, *, began_at: datetime, ended_at: datetime) -> None:
    """Store an outage; one that began at the same time lasts longer."""
    statement = insert(Outage).values(kind=kind, began_at=began_at, ended_at=ended_at)
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=[Outage.kind, Outage.began_at],
            set_={"ended_at": func.greatest(Outage.ended_at, statement.excluded.ended_at)},
        )
    )


def delete_old(connection: Connection, before: datetime) -> int:
    """Delete outages; return how many."""
    return connection.execute(delete(Outage).where(Outage.ended_at < before)).rowcount
