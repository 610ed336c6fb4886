"""The hold on all emails of a restored copy."""

from datetime import datetime

import msgspec
from sqlalchemy import Connection, delete, exists, select, update

from webapp.mail.schema import Notification
from webapp.operations.schema import EmailHold


class EmailHoldRow(msgspec.Struct, frozen=True):
    """Since when emails are held, and from when on all deadlines are to be moved."""

    held_at: datetime
    backup_taken_at: datetime
    clocks_stopped_at: datetime


def find_hold(connection: Connection, *, lock: bool = False) -> EmailHoldRow | None:
    """Return the hold, if there is one."""
    query = select(EmailHold.held_at, EmailHold.backup_taken_at, EmailHold.clocks_stopped_at)
    row = connection.execute(query.with_for_update() if lock else query).first()
    return None if row is None else EmailHoldRow(*row)


def is_held(connection: Connection) -> bool:
    """Return whether no email may be sent."""
    return connection.execute(select(exists(select(EmailHold.id)))).scalar_one()


def remove_hold(connection: Connection) -> None:
    connection.execute(delete(EmailHold))


def drop_emails_due_before(connection: Connection, before: datetime, *, now: datetime) -> int:
    """Settle the emails that were first due before an instant, so that they are never sent; return how many."""
    dropped = connection.execute(
        update(Notification)
        .where(Notification.status == "pending", Notification.first_due_at < before)
        .values(
            status="dropped",
            reason="not released",
            message=None,
            lease_until=None,
            settled_at=now,
        )
    )
    return dropped.rowcount
