"""Seasons and announcements of clubs. Every change needs the club locked."""

from datetime import date, datetime
from typing import Final

import msgspec
from sqlalchemy import ColumnElement, Text, cast, delete, exists, func, insert, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

from webapp.accounts.schema import Account
from webapp.clubs.schema import Club, ClubAnnouncement, Season
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx


class SeasonRow(Redacted, frozen=True, array_like=True):
    id: int
    name: str
    starts_on: date
    ends_on: date


class AnnouncementRow(Redacted, frozen=True, array_like=True):
    """``author`` is the name of who wrote it, empty once the account was deleted."""

    id: int
    text: str
    author: str
    announced_at: datetime


_SEASON_COLUMNS: Final = (Season.id, Season.name, Season.starts_on, Season.ends_on)
_SEASONS_DECODER: Final = msgspec.json.Decoder(tuple[SeasonRow, ...])
_ANNOUNCEMENTS_DECODER: Final = msgspec.json.Decoder(tuple[AnnouncementRow, ...])


def seasons_of(tx: Tx, club_id: int) -> tuple[SeasonRow, ...]:
    """Return the seasons of a club, the latest first."""
    rows = tx.execute(
        select(*_SEASON_COLUMNS)
        .where(Season.club_id == club_id)
        .order_by(Season.starts_on.desc(), Season.id.desc())
    )
    return tuple(SeasonRow(*row) for row in rows)


def add_season(tx: Tx, club_id: int, *, name: str, starts_on: date, ends_on: date) -> None:
    tx.execute(
        insert(Season).values(club_id=club_id, name=name, starts_on=starts_on, ends_on=ends_on)
    )


def remove_season(tx: Tx, club_id: int, season_id: int) -> bool:
    """Delete a season of this club; return whether there was one. Its games stay."""
    result = tx.execute(delete(Season).where(Season.club_id == club_id, Season.id == season_id))
    return result.rowcount > 0


def has_season(tx: Tx, season_id: int) -> bool:
    """Return whether any club has this season."""
    return tx.execute(select(exists().where(Season.id == season_id))).scalar_one()


def seasons_json() -> ColumnElement[str | None]:
    """Return a subquery for the seasons of a club, the latest first."""
    season = func.json_build_array(*_SEASON_COLUMNS)
    order = (Season.starts_on.desc(), Season.id.desc())
    return (
        select(cast(func.json_agg(aggregate_order_by(season, *order)), Text))
        .where(Season.club_id == Club.id)
        .correlate(Club)
        .scalar_subquery()
    )


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


def decode_seasons(text: str | None) -> tuple[SeasonRow, ...]:
    """Return the value of ``seasons_json`` as structs."""
    return () if text is None else _SEASONS_DECODER.decode(text)


def decode_announcements(text: str | None) -> tuple[AnnouncementRow, ...]:
    """Return the value of ``announcements_json`` as structs."""
    return () if text is None else _ANNOUNCEMENTS_DECODER.decode(text)


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
