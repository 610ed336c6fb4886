"""What emails about a club need: the club of an invitation, an announcement or an act, and whether the recipient is a member."""

from sqlalchemy import ColumnElement, FromClause, Text, and_, case, cast, func, null
from sqlalchemy.orm import aliased

from webapp.store.redacted import Redacted
from webapp.store.schema.clubs import Club, ClubAnnouncement, ClubInvitation, Membership
from webapp.store.schema.moderation import LedgerEntry
from webapp.store.schema.notifications import Notification


class ClubFacts(Redacted, frozen=True, array_like=True):
    """A club as an email names it."""

    id: int
    slug: str
    name: str
    description: str
    is_closed: bool
    is_member: bool
    """Whether the recipient is a member."""
    wants_announcements: bool
    announcement: str | None
    act: str | None
    """What a site moderator did to the club."""
    reason: str | None


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
    club_id = func.coalesce(ClubInvitation.club_id, ClubAnnouncement.club_id, LedgerEntry.club_id)
    return (
        notifications.outerjoin(ClubInvitation, is_invitation)
        .outerjoin(ClubAnnouncement, is_announcement)
        .outerjoin(LedgerEntry, is_club_act)
        .outerjoin(Club, Club.id == club_id)
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
    facts = func.json_build_array(
        Club.id,
        Club.slug,
        Club.name,
        Club.description,
        Club.closed_at.is_not(None),
        _membership.id.is_not(None),
        func.coalesce(_membership.wants_announcements, False),
        ClubAnnouncement.text,
        LedgerEntry.act,
        LedgerEntry.reason,
    )
    return case((Club.id.is_(None), null()), else_=cast(facts, Text))
