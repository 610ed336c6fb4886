"""The hold on all emails of a restored copy."""

from datetime import datetime

import msgspec
from sqlalchemy import and_, delete, exists, select, update

from webapp.kernel.tx import Tx
from webapp.mail.schema import Notification, StoredMessage
from webapp.operations.schema import EmailHold


class EmailHoldRow(msgspec.Struct, frozen=True):
    """Since when emails are held, and from when on all deadlines are to be moved."""

    held_at: datetime
    backup_taken_at: datetime
    clocks_stopped_at: datetime


def find_hold(tx: Tx, *, lock: bool = False) -> EmailHoldRow | None:
    """Return the hold, if there is one."""
    query = select(EmailHold.held_at, EmailHold.backup_taken_at, EmailHold.clocks_stopped_at)
    row = tx.execute(query.with_for_update() if lock else query).first()
    return None if row is None else EmailHoldRow(*row)


def is_held(tx: Tx) -> bool:
    """Return whether no email may be sent."""
    return tx.execute(select(exists(select(EmailHold.id)))).scalar_one()


def remove_hold(tx: Tx) -> None:
    tx.execute(delete(EmailHold))


def drop_emails_due_before(tx: Tx, before: datetime) -> int:
    """Settle the emails that were first due before an instant, so that they are never sent; return how many."""
    is_dropped = and_(Notification.status == "pending", Notification.first_due_at < before)
    tx.execute(
        delete(StoredMessage).where(StoredMessage.notification_id == Notification.id, is_dropped)
    )
    dropped = tx.execute(
        update(Notification)
        .where(is_dropped)
        .values(status="dropped", reason="not released", lease_until=None, settled_at=tx.now)
    )
    return dropped.rowcount
