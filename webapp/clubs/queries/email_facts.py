"""What emails about clubs are about: invitations, announcements, acts of site moderators and requests to join."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, FromClause, Select, and_, func, join, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import aliased

from webapp.accounts.schema import Account
from webapp.clubs.schema import Club, ClubAnnouncement, ClubInvitation, Membership
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.mail.queries.email_facts import (
    ADDRESSEE_COLUMN_COUNT,
    DEDUP_KEY,
    Addressee,
    AddresseeJoin,
    FactsQuery,
    addressee,
)
from webapp.mail.schema import Notification
from webapp.moderation.schema import LedgerEntry


class ClubFacts(Redacted, frozen=True, kw_only=True):
    """A club as an email names it, and what the recipient is there."""

    id: int
    slug: str
    name: str
    is_closed: bool
    is_member: bool
    wants_announcements: bool
    wants_requests: bool
    may_admit: bool
    """Whether the recipient may answer requests to join."""


class ClubInvitationFacts(Redacted, frozen=True):
    """An invitation to a club with its addressee."""

    addressee: Addressee
    club: ClubFacts
    nonce: bytes
    is_accepted: bool
    inviter: str | None


class ClubAnnouncementFacts(Redacted, frozen=True):
    """What someone writes to the members of a club; ``author`` is None if their account was deleted."""

    club: ClubFacts
    text: str
    author: str | None


class ClubActFacts(Redacted, frozen=True):
    """What a site moderator did to a club."""

    club: ClubFacts
    act: str
    reason: str


class ClubRequestFacts(Redacted, frozen=True):
    """Who asks to join a club: how many, and the names of the first."""

    club: ClubFacts
    count: int
    names: tuple[str, ...]


MAX_NAMED_REQUESTS: Final = 20
"""An email names no more people who ask to join."""


def read_club_invitations(tx: Tx, ids: Sequence[int]) -> dict[int, ClubInvitationFacts]:
    """Return the invitations that notifications are about."""

    def decode(*columns: Any) -> ClubInvitationFacts:  # noqa: ANN401 - what the columns hold
        person, others = columns[:ADDRESSEE_COLUMN_COUNT], columns[ADDRESSEE_COLUMN_COUNT:]
        club, facts = _club(others), others[len(_CLUB_FIELDS) :]
        return ClubInvitationFacts(addressee(person), club, *facts)

    return _INVITATIONS.run(tx, ids, decode)


def read_club_announcements(tx: Tx, ids: Sequence[int]) -> dict[int, ClubAnnouncementFacts]:
    """Return the announcements that notifications are about."""

    def decode(*columns: Any) -> ClubAnnouncementFacts:  # noqa: ANN401 - what the columns hold
        return ClubAnnouncementFacts(_club(columns), *columns[len(_CLUB_FIELDS) :])

    return _ANNOUNCEMENTS.run(tx, ids, decode)


def read_club_acts(tx: Tx, ids: Sequence[int]) -> dict[int, ClubActFacts]:
    """Return what site moderators did to clubs."""

    def decode(*columns: Any) -> ClubActFacts:  # noqa: ANN401 - what the columns hold
        return ClubActFacts(_club(columns), *columns[len(_CLUB_FIELDS) :])

    return _ACTS.run(tx, ids, decode)


def read_club_requests(tx: Tx, ids: Sequence[int]) -> dict[int, ClubRequestFacts]:
    """Return who asks to join the clubs that notifications name."""

    def decode(*columns: Any) -> ClubRequestFacts:  # noqa: ANN401 - what the columns hold
        count, names = columns[len(_CLUB_FIELDS) :]
        return ClubRequestFacts(_club(columns), count, tuple(names))

    return _REQUESTS.run(tx, ids, decode)


def read_clubs(tx: Tx, ids: Sequence[int]) -> dict[int, ClubFacts]:
    """Return the clubs that notifications name."""
    return _CLUBS.run(tx, ids, lambda *columns: _club(columns))


def _club(columns: Sequence[Any]) -> ClubFacts:
    return ClubFacts(**dict(zip(_CLUB_FIELDS, columns, strict=False)))


_CLUB_FIELDS: Final = ClubFacts.__struct_fields__
_membership = aliased(Membership, name="membership_of_recipient")


def _club_columns() -> tuple[ColumnElement[Any], ...]:
    """Return the fields of ``ClubFacts`` in their order."""
    return (
        Club.__table__.c.id,
        Club.__table__.c.slug,
        Club.__table__.c.name,
        Club.closed_at.is_not(None),
        _membership.id.is_not(None),
        func.coalesce(_membership.wants_announcements, False),
        func.coalesce(_membership.wants_requests, False),
        func.coalesce(_membership.rank != "member", False),
    )


def _join_club(source: FromClause, club_id: Any, account_id: Any) -> FromClause:  # noqa: ANN401 - columns
    """Join the club and the recipient's membership in it."""
    is_theirs = and_(
        _membership.club_id == Club.id,
        _membership.account_id == account_id,
        _membership.status == "member",
    )
    return source.join(Club, Club.id == club_id).outerjoin(_membership, is_theirs)


def _invitations_query() -> Select[*tuple[Any, ...]]:
    people = AddresseeJoin(
        ClubInvitation.address,
        inviter_id=ClubInvitation.invited_by,
        languages=[Club.__table__.c.language],
    )
    columns = people.columns()
    invited = people.join(join(Notification, ClubInvitation, ClubInvitation.id == DEDUP_KEY))
    return select(
        Notification.id,
        *columns,
        *_club_columns(),
        ClubInvitation.nonce,
        ClubInvitation.accepted_by.is_not(None),
        people.inviter.name,
    ).select_from(_join_club(invited, ClubInvitation.club_id, columns[1]))


def _announcements_query() -> Select[*tuple[Any, ...]]:
    author = aliased(Account, name="author")
    announced = join(Notification, ClubAnnouncement, ClubAnnouncement.id == DEDUP_KEY).outerjoin(
        author, author.id == ClubAnnouncement.author_id
    )
    return select(
        Notification.id, *_club_columns(), ClubAnnouncement.text, author.name
    ).select_from(_join_club(announced, ClubAnnouncement.club_id, Notification.account_id))


def _acts_query() -> Select[*tuple[Any, ...]]:
    acted = join(Notification, LedgerEntry, LedgerEntry.id == DEDUP_KEY)
    return select(
        Notification.id, *_club_columns(), LedgerEntry.act, LedgerEntry.reason
    ).select_from(_join_club(acted, LedgerEntry.club_id, Notification.account_id))


def _clubs_query() -> Select[*tuple[Any, ...]]:
    return select(Notification.id, *_club_columns()).select_from(
        _join_club(Notification.__table__, DEDUP_KEY, Notification.account_id)
    )


def _requests_query() -> Select[*tuple[Any, ...]]:
    return select(
        Notification.id, *_club_columns(), _join_request_count(), _names_of_join_requesters()
    ).select_from(_join_club(Notification.__table__, DEDUP_KEY, Notification.account_id))


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


_INVITATIONS: Final = FactsQuery(_invitations_query)
_ANNOUNCEMENTS: Final = FactsQuery(_announcements_query)
_ACTS: Final = FactsQuery(_acts_query)
_CLUBS: Final = FactsQuery(_clubs_query)
_REQUESTS: Final = FactsQuery(_requests_query)
