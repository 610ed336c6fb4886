"""Announcements of clubs. Every change needs the club locked."""

from datetime import datetime

from sqlalchemy import ColumnElement, Text, cast, func, insert, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

from webapp.accounts.schema import Account
from webapp.clubs.schema import Club, ClubAnnouncement
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx


class AnnouncementRow(Redacted, frozen=True, array_like=True):
    """``author`` is the name of who wrote it, empty once the account was deleted."""

    id: int
    text: str
    author: str
    announced_at: datetime


def announcements_json(*, limit: int) -> ColumnElement[str | None]:
    """Return a subquery for the newest announcements of a club, newest first."""
    newest_announcements = (
        select(
            ClubAnnouncement.id,
            ClubAnnouncement.text,
            Account.name,
            ClubAnnouncement.announced_at,
        )
        .join(Account, Account.id == ClubAnnouncement.author_id)
        .where(ClubAnnouncement.club_id == Club.id)
        .order_by(ClubAnnouncement.announced_at.desc(), ClubAnnouncement.id.desc())
        .limit(limit)
        .correlate(Club)
        .subquery("newest")
        .lateral()
    )
    entry = func.json_build_array(
        newest_announcements.c.id,
        newest_announcements.c.text,
        newest_announcements.c.name,
        newest_announcements.c.announced_at,
    )
    order = (newest_announcements.c.announced_at.desc(), newest_announcements.c.id.desc())
    return select(cast(func.json_agg(aggregate_order_by(entry, *order)), Text)).scalar_subquery()


def count_announcements(tx: Tx, club_id: int, *, since: datetime) -> int:
    return tx.execute(
        select(func.count())
        .select_from(ClubAnnouncement)
        .where(ClubAnnouncement.club_id == club_id, ClubAnnouncement.announced_at > since)
    ).scalar_one()


def has_announced(tx: Tx, club_id: int, author_id: int, text: str, *, since: datetime) -> bool:
    """Return whether this person has announced this very text since then."""
    query = select(ClubAnnouncement.id).where(
        ClubAnnouncement.club_id == club_id,
        ClubAnnouncement.announced_at > since,
        ClubAnnouncement.author_id == author_id,
        ClubAnnouncement.text == text,
    )
    return tx.execute(query).first() is not None


def add_announcement(tx: Tx, club_id: int, author_id: int, text: str) -> int:
    """Store an announcement and return its id."""
    announcement_id: int = tx.execute(
        insert(ClubAnnouncement)
        .values(club_id=club_id, author_id=author_id, text=text, announced_at=tx.now)
        .returning(ClubAnnouncement.id)
    ).scalar_one()
    return announcement_id
