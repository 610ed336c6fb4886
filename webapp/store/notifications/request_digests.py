"""The emails to a club's moderators about requests to join, of which each moderator gets at most one in a day."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from webapp.store.schema.notifications import Notification

_SECONDS_PER_DAY: Final = 24 * 60 * 60


class LatestDigest(NamedTuple):
    """The newest such email to one moderator about one club."""

    is_pending: bool
    due_at: datetime


def day_number(instant: datetime) -> int:
    """Return the number of a day in UTC: each moderator has one email for a day, which is its ``seq``."""
    return int(instant.timestamp()) // _SECONDS_PER_DAY


def newest_digest(
    connection: Connection, club_id: int, account_ids: Sequence[int], *, now: datetime
) -> dict[int, LatestDigest]:
    """Return the newest email about requests to this club since yesterday, for each of these accounts that has one."""
    today = day_number(now)
    rows = connection.execute(
        select(
            Notification.account_id,
            Notification.status,
            Notification.message,
            Notification.first_due_at,
        )
        .where(Notification.game_id.is_(None), Notification.kind == "club-request")
        .where(Notification.seq.in_((today - 1, today, today + 1)))
        .where(Notification.dedup_key == club_id, Notification.account_id.in_(account_ids))
        .order_by(Notification.seq)
    )
    return {
        row.account_id: LatestDigest(
            row.status == "pending" and row.message is None, row.first_due_at
        )
        for row in rows
    }
