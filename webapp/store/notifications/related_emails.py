"""What a statement on an email asks of its kind, and of other emails about the same turn or table."""

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, ScalarSelect, and_, exists, func, or_, select
from sqlalchemy.orm import aliased

from webapp.store.schema.notifications import Notification


def has_kind(*kinds: str) -> ColumnElement[bool]:
    """Return the condition without ``IN``, whose parameters a prepared statement cannot have."""
    return or_(*(Notification.kind == kind for kind in kinds))


def has_newer_email() -> ColumnElement[bool]:
    newer_notification = aliased(Notification, name="newer")
    return exists().where(
        Notification.kind == "ready-check",
        newer_notification.game_id == Notification.game_id,
        newer_notification.kind == Notification.kind,
        newer_notification.account_id == Notification.account_id,
        newer_notification.dedup_key > Notification.dedup_key,
    )


def counterpart_sent_at() -> ScalarSelect[datetime | None]:
    other = aliased(Notification, name="other")
    is_reminder_of_turn = and_(Notification.kind == "your-turn", other.kind == "reminder")
    is_turn_of_reminder = and_(Notification.kind == "reminder", other.kind == "your-turn")
    return (
        select(func.max(other.settled_at))
        .where(or_(is_reminder_of_turn, is_turn_of_reminder))
        .where(other.game_id == Notification.game_id, other.seq == Notification.seq)
        .where(other.account_id == Notification.account_id, other.status == "sent")
        .scalar_subquery()
    )


def was_dropped(connection: Connection, game_id: int, kind: str, account_id: int, seq: int) -> bool:
    """Return whether a notification of this kind about a turn was dropped."""
    rows = connection.execute(
        select(Notification.id)
        .where(Notification.game_id == game_id, Notification.kind == kind)
        .where(Notification.account_id == account_id, Notification.seq == seq)
        .where(Notification.status == "dropped")
        .limit(1)
    )
    return rows.first() is not None
