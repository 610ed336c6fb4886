"""What emails about a club need: the club of an invitation, an announcement or an act, and whether the recipient is a member."""

from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Text,
    and_,
    case,
    cast,
    exists,
    func,
    null,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import aliased

from webapp.store.redacted import Redacted
from webapp.store.schema.accounts import Account
from webapp.store.schema.clubs import Club, ClubAnnouncement, ClubInvitation, Membership
from webapp.store.schema.moderation import LedgerEntry
from webapp.store.schema.notifications import Notification
from webapp.store.schema.play import Game


class ClubFacts(Redacted, frozen=True, array_like=True):
    """A club as an email names it."""

    id: int
    slug: str
    name: str
    is_closed: bool
    is_member: bool
    """Whether the recipient is a member."""
    wants_announcements: bool
    announcement: str | None
    act: str | None
    """What a site moderator did to the club."""
    reason: str | None
    may_admit: bool
    """Whether the recipient may answer requests to join."""
    wants_requests: bool
    join_requester_names: tuple[str, ...]
    """The names of the first who ask to join, if the email is about them."""
    join_request_count: int


MAX_NAMED_REQUESTS: Final = 20
"""An email names no more people who ask to join."""
_KINDS_ABOUT_REQUESTS: Final = ("club-request", "club-admitted", "club-declined")
_membership = aliased(Membership, name="membership_of_recipient")


def join_clubs(notifications: FromClause) -> FromClause:
    """Join notifications with the club invitation, the announcement or the act that they are about, and with its club."""
    is_invitation = and_(
        ClubInvitation.id == Notification.dedup_key, Notification.kind == "club-invitation"
    )
    is_announcement = and_(
        ClubAnnouncement.id == Notification.dedup_key, Notification.kind == "club-announcement"
    )
    is_club_act = and_(LedgerEntry.id == Notification.dedup_key, Notification.kind == "club-act")
    named_club_id = case(
        (
            or_(*(Notification.kind == kind for kind in _KINDS_ABOUT_REQUESTS)),
            Notification.dedup_key,
        )
    )
    club_id = func.coalesce(
        ClubInvitation.club_id, ClubAnnouncement.club_id, LedgerEntry.club_id, named_club_id
    )
    return (
        notifications.outerjoin(ClubInvitation, is_invitation)
        .outerjoin(ClubAnnouncement, is_announcement)
        .outerjoin(LedgerEntry, is_club_act)
        .outerjoin(Club, Club.id == club_id)
    )


def club_language_of_table() -> ColumnElement[str]:
    """Return the language of the club in which an invitation's table was opened, if it was opened in one."""
    table, club = aliased(Game, name="table_of_club"), aliased(Club, name="club_of_table")
    return (
        select(club.language)
        .join(table, table.club_id == club.id)
        .where(table.id == Notification.game_id)
        .scalar_subquery()
    )


def is_member_at_table(account_id: ColumnElement[int]) -> ColumnElement[bool]:
    """Return whether the recipient is a member of the club in which the table of the email was opened."""
    table, membership = (
        aliased(Game, name="table_of_members"),
        aliased(Membership, name="membership_at_table"),
    )
    return (
        exists()
        .where(table.id == Notification.game_id, membership.club_id == table.club_id)
        .where(membership.account_id == account_id, membership.status == "member")
    )


def _names_of_join_requesters() -> ColumnElement[Any]:
    """Return a subquery for the names of the first who ask to join the club."""
    first_entry = (
        select(Account.name, Membership.joined_at, Membership.id)
        .join(Account, Account.id == Membership.account_id)
        .where(Membership.club_id == Club.id, Membership.status == "asked")
        .order_by(Membership.joined_at, Membership.id)
        .limit(MAX_NAMED_REQUESTS)
        .correlate(Club)
        .lateral("first_asking")
    )
    names = func.json_agg(
        aggregate_order_by(first_entry.c.name, first_entry.c.joined_at, first_entry.c.id)
    )
    return (
        select(func.coalesce(names, func.json_build_array()))
        .select_from(first_entry)
        .scalar_subquery()
    )


def _join_request_count() -> ColumnElement[int]:
    return (
        select(func.count())
        .select_from(Membership)
        .where(Membership.club_id == Club.id, Membership.status == "asked")
        .correlate(Club)
        .scalar_subquery()
    )


def join_membership(source: FromClause, account_id: ColumnElement[int]) -> FromClause:
    """Join the recipient's membership in the club."""
    is_theirs = and_(
        _membership.club_id == Club.id,
        _membership.account_id == account_id,
        _membership.status == "member",
    )
    return source.outerjoin(_membership, is_theirs)


def club_json() -> ColumnElement[str | None]:
    """Return a column that ``ClubFacts`` decodes; NULL for an email that is not about a club."""
    is_request = Notification.kind == "club-request"
    facts = func.json_build_array(
        Club.id,
        Club.slug,
        Club.name,
        Club.closed_at.is_not(None),
        _membership.id.is_not(None),
        func.coalesce(_membership.wants_announcements, False),
        ClubAnnouncement.text,
        LedgerEntry.act,
        LedgerEntry.reason,
        func.coalesce(_membership.rank != "member", False),
        func.coalesce(_membership.wants_requests, False),
        case((is_request, _names_of_join_requesters()), else_=func.json_build_array()),
        case((is_request, _join_request_count()), else_=0),
    )
    return case((Club.id.is_(None), null()), else_=cast(facts, Text))
