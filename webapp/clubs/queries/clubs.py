"""Clubs, each read together with the viewer's account and membership in one statement."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    DateTime,
    Executable,
    LargeBinary,
    and_,
    bindparam,
    delete,
    exists,
    func,
    literal,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased

from webapp.accounts.person import Person
from webapp.accounts.queries.viewers import viewer_columns, viewer_from
from webapp.accounts.schema import Account, Session
from webapp.clubs.queries.announcements import (
    AnnouncementRow,
    announcements_json,
)
from webapp.clubs.queries.members import MembershipRow
from webapp.clubs.queries.seasons import SeasonRow, seasons_json
from webapp.clubs.schema import Club, ClubAnnouncement, ClubInvitation, Membership, Season
from webapp.kernel.json_columns import decode_rows
from webapp.kernel.redacted import Redacted
from webapp.kernel.statements import Statement
from webapp.kernel.tx import Tx
from webapp.mail.schema import UnsubscribeToken
from webapp.moderation.schema import LedgerEntry
from webapp.play.schema import Game

ClubMode: TypeAlias = Literal["read", "show", "change"]
MOST_SHOWN_ANNOUNCEMENTS: Final = 5
_NAMES_LOCK_KEY: Final = 0x636C7562
"""The advisory lock of names of clubs: any number that no other lock has."""


class ClubRow(Redacted, frozen=True):
    """A club with the number of its people."""

    id: int
    slug: str
    name: str
    description: str
    is_public: bool
    created_at: datetime
    closed_at: datetime | None
    rulebook: str
    house: dict[str, Any]
    allowance: timedelta
    pace_fields: dict[str, Any]
    late_rule_fields: dict[str, Any]
    language: str
    who_may_open: str
    member_count: int
    join_request_count: int
    """How many people ask to join."""


class FoundClub(NamedTuple):
    """A club, the viewer, and the viewer's membership, if there are such."""

    club: ClubRow | None
    viewer: Person | None
    membership: MembershipRow | None
    seasons: tuple[SeasonRow, ...] = ()
    announcements: tuple[AnnouncementRow, ...] = ()


class OpenClub(NamedTuple):
    """A club that is not closed, and who may open tables there."""

    id: int
    who_may_open: str


class ClubSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The columns of a club that its moderators change."""

    name: str
    name_skeletons: list[str]
    description: str
    is_public: bool
    rulebook: str
    house: dict[str, Any]
    allowance: timedelta
    pace: dict[str, Any]
    late_rules: dict[str, Any]
    language: str
    who_may_open: str


def find(
    tx: Tx,
    slug: str,
    *,
    token_hash: bytes | None,
    account_id: int | None,
    mode: ClubMode = "read",
) -> FoundClub:
    """Return the club of this slug and what the viewer is there.

    Mode "show" adds seasons and announcements; "change" keeps others from changing the club or its members.
    """
    if mode == "change":
        # Lock first, read second: a statement that waits for a lock reads other tables as they were before it waited.
        tx.execute(select(Club.id).where(Club.slug == slug).with_for_update())
    statement = _SHOW_STATEMENT if mode == "show" else _FIND_STATEMENT
    [row] = statement.run(tx, slug=slug, token_hash=token_hash, account_id=account_id, now=tx.now)
    return _found_club(row)


def lock_for_table(tx: Tx, slug: str) -> OpenClub | None:
    """Return the open club of this slug, and keep it and its members from changing while a table is opened."""
    query = select(Club.id, Club.who_may_open).where(Club.slug == slug, Club.closed_at.is_(None))
    row = tx.execute(query.with_for_update(read=True)).first()
    return None if row is None else OpenClub(*row)


def slug_exists(tx: Tx, slug: str) -> bool:
    return tx.execute(select(exists().where(Club.slug == slug))).scalar_one()


def lock_names(tx: Tx) -> None:
    """Make other transactions that name a club wait until this one ends."""
    tx.execute(select(func.pg_advisory_xact_lock(_NAMES_LOCK_KEY)))


def is_name_taken(tx: Tx, skeletons: Sequence[str], account_id: int, *, except_slug: str) -> bool:
    """Return whether a name looks like that of another open club that is public or that this account belongs to."""
    is_own = select(Membership.id).where(
        Membership.club_id == Club.id,
        Membership.account_id == account_id,
        Membership.status == "member",
    )
    query = select(Club.id).where(
        Club.name_skeletons.overlap(skeletons),
        Club.closed_at.is_(None),
        Club.slug != except_slug,
        or_(Club.is_public, is_own.exists()),
    )
    return tx.execute(select(query.exists())).scalar_one()


def add(tx: Tx, slug: str, settings: ClubSettings) -> int | None:
    """Store a new club and return its id, or None if the slug exists."""
    club_id: int | None = tx.execute(
        insert(Club)
        .values(slug=slug, created_at=tx.now, **msgspec.structs.asdict(settings))
        .on_conflict_do_nothing(index_elements=[Club.slug])
        .returning(Club.id)
    ).scalar_one_or_none()
    return club_id


def change(tx: Tx, club_id: int, settings: ClubSettings) -> None:
    values = msgspec.structs.asdict(settings)
    tx.execute(update(Club).where(Club.id == club_id).values(values))


def close(tx: Tx, club_id: int) -> None:
    tx.execute(update(Club).where(Club.id == club_id).values(closed_at=tx.now))


def count_founded(tx: Tx, account_id: int, *, since: datetime) -> int:
    """Return how many clubs this person has founded since an instant, closed ones too: they joined when those were created."""
    return tx.execute(
        select(func.count())
        .select_from(Club)
        .join(Membership, Membership.club_id == Club.id)
        .where(Membership.account_id == account_id, Membership.joined_at == Club.created_at)
        .where(Club.created_at > since)
    ).scalar_one()


def delete_without_games(tx: Tx, closed_before: datetime) -> int:
    """Delete the clubs that were closed before an instant and never had a table; return how many.

    Those on which a site moderator has acted stay, as long as the ledger names them.
    """
    is_named = exists().where(LedgerEntry.club_id == Club.id)
    deleted = list(
        tx.connection.scalars(
            select(Club.id)
            .where(Club.closed_at < closed_before, ~is_named)
            .where(~exists().where(Game.club_id == Club.id))
            .with_for_update()
        )
    )
    if not deleted:
        return 0
    for table in (ClubInvitation, Season, ClubAnnouncement, UnsubscribeToken, Membership):
        tx.execute(delete(table).where(table.club_id.in_(deleted)))
    tx.execute(delete(Club).where(Club.id.in_(deleted)))
    return len(deleted)


def clubs_of_account(tx: Tx, account_id: int | None) -> tuple[tuple[ClubRow, str, str], ...]:
    """Return the open clubs of an account with its rank and status there, by name."""
    rows = tx.execute(
        select(*CLUB_COLUMNS, Membership.rank, Membership.status)
        .join(Membership, Membership.club_id == Club.id)
        .where(Membership.account_id == account_id, Club.closed_at.is_(None))
        .order_by(func.lower(Club.name), Club.id)
    )
    return tuple((ClubRow(*row[:-2]), row[-2], row[-1]) for row in rows)


def public_clubs(tx: Tx, account_id: int | None, *, limit: int) -> tuple[ClubRow, ...]:
    """Return the newest public clubs in which this account is not."""
    is_in_club = (
        select(Membership.id)
        .where(Membership.club_id == Club.id, Membership.account_id == account_id)
        .exists()
    )
    rows = tx.execute(
        select(*CLUB_COLUMNS)
        .where(Club.is_public, Club.closed_at.is_(None), ~is_in_club)
        .order_by(Club.created_at.desc(), Club.id.desc())
        .limit(limit)
    )
    return tuple(ClubRow(*row) for row in rows)


def _found_club(row: Sequence[Any]) -> FoundClub:
    viewer, other_columns = row[: len(_VIEWER_COLUMNS)], row[len(_VIEWER_COLUMNS) :]
    club, other_columns = other_columns[: len(CLUB_COLUMNS)], other_columns[len(CLUB_COLUMNS) :]
    *membership, seasons, announcements = other_columns
    return FoundClub(
        None if club[0] is None else ClubRow(*club),
        viewer_from(viewer),
        None if membership[0] is None else MembershipRow(*membership),
        decode_rows(seasons, SeasonRow),
        decode_rows(announcements, AnnouncementRow),
    )


def _membership_count(status: str) -> ColumnElement[int]:
    return (
        select(func.count())
        .select_from(Membership)
        .where(Membership.club_id == Club.id, Membership.status == status)
        .correlate(Club)
        .scalar_subquery()
    )


CLUB_COLUMNS = (
    Club.id,
    Club.slug,
    Club.name,
    Club.description,
    Club.is_public,
    Club.created_at,
    Club.closed_at,
    Club.rulebook,
    Club.house,
    Club.allowance,
    Club.pace,
    Club.late_rules,
    Club.language,
    Club.who_may_open,
    _membership_count("member"),
    _membership_count("asked"),
)
"""The columns of ``ClubRow``, in its order."""
_viewer = aliased(Account, name="viewer")
_own_membership = aliased(Membership, name="mine")
_VIEWER_COLUMNS = viewer_columns(_viewer, bindparam("token_hash", type_=LargeBinary))
_OWN_MEMBERSHIP_COLUMNS = (
    _own_membership.id,
    _own_membership.account_id,
    _viewer.name,
    _own_membership.rank,
    _own_membership.status,
    _own_membership.joined_at,
    _own_membership.wants_announcements,
    _own_membership.wants_requests,
)


def _find_statement(*, with_details: bool) -> Executable:
    """Always return one row, so that a club that the viewer may not see costs the same as one that does not exist."""
    account_id_by_session = (
        select(Session.account_id)
        .where(Session.token_hash == bindparam("token_hash", type_=LargeBinary))
        .where(Session.expires_at > bindparam("now", type_=DateTime(timezone=True)))
        .scalar_subquery()
    )
    viewer_id = func.coalesce(bindparam("account_id", type_=BigInteger), account_id_by_session)
    single_row = select(literal(1).label("one")).subquery("one")
    details = (
        (seasons_json(), announcements_json(limit=MOST_SHOWN_ANNOUNCEMENTS))
        if with_details
        else (null(), null())
    )
    return (
        select(*_VIEWER_COLUMNS, *CLUB_COLUMNS, *_OWN_MEMBERSHIP_COLUMNS, *details)
        .select_from(single_row)
        .outerjoin(_viewer, _viewer.id == viewer_id)
        .outerjoin(Club, Club.slug == bindparam("slug"))
        .outerjoin(
            _own_membership,
            and_(_own_membership.club_id == Club.id, _own_membership.account_id == _viewer.id),
        )
    )


_FIND_STATEMENT = Statement(partial(_find_statement, with_details=False))
_SHOW_STATEMENT = Statement(partial(_find_statement, with_details=True))
