"""When the recipient of an email was last on the site."""

from datetime import datetime

from sqlalchemy import ScalarSelect, func, select

from webapp.store.schema.accounts import Session
from webapp.store.schema.notifications import Notification


def last_active_at() -> ScalarSelect[datetime | None]:
    """Return when the recipient of an email about a turn last requested a page in any browser."""
    return (
        select(func.max(Session.active_at))
        .where(Session.account_id == Notification.account_id, Notification.kind == "your-turn")
        .scalar_subquery()
    )
