"""Access to clubs: who may see a club, what a person may do there, and who may open tables."""

from typing import Final, NamedTuple

from webapp.accounts.person import Person, Viewer, admitted_person
from webapp.accounts.relations import club_relations
from webapp.clubs.queries import clubs, members
from webapp.clubs.queries.announcements import AnnouncementRow
from webapp.clubs.queries.clubs import ClubMode, ClubRow
from webapp.clubs.queries.members import MembershipRow
from webapp.clubs.queries.seasons import SeasonRow
from webapp.kernel.database import is_storable
from webapp.kernel.keyring import hash_of
from webapp.kernel.refusals import DenialReason, FieldError, FieldErrors, NotAllowed, NotFound
from webapp.kernel.rights import CLUB_RIGHTS, ClubRight, Relation, has_club_right
from webapp.kernel.tx import Tx

_MODERATORS: Final = frozenset({Relation.CLUB_FOUNDER, Relation.CLUB_MODERATOR})
_RIGHTS_IN_CLOSED_CLUB: Final = frozenset({ClubRight.VIEW_MEMBERS, ClubRight.LEAVE_CLUB})
_MODERATING_RANKS: Final = frozenset({"founder", "moderator"})


class ClubAccess(NamedTuple):
    """A club, the viewer, and what the viewer is there. Opaque to pages, which only pass it on to use cases."""

    club: ClubRow
    me: Person | None
    membership: MembershipRow | None
    """The membership of the viewer, also if they only ask to join."""
    seasons: tuple[SeasonRow, ...] = ()
    announcements: tuple[AnnouncementRow, ...] = ()

    @property
    def is_member(self) -> bool:
        return self.membership is not None and self.membership.status == "member"

    @property
    def has_requested(self) -> bool:
        return self.membership is not None and self.membership.status == "asked"

    @property
    def relations(self) -> frozenset[Relation]:
        rank = None if self.membership is None or not self.is_member else self.membership.rank
        return club_relations(self.me, rank)

    def has_right(self, right: ClubRight) -> bool:
        """Return whether the viewer has this right; in a closed club there is nothing left to do but leave."""
        if self.club.closed_at is not None and right not in _RIGHTS_IN_CLOSED_CLUB:
            return False
        return has_club_right(right, self.relations)


def club_for(tx: Tx, slug: str, viewer: Viewer, *, mode: ClubMode = "read") -> ClubAccess:
    """Return the club for a viewer who may see it. Raises NotFound if there is none, or none that this viewer may see."""
    access = find_club(tx, slug, viewer, mode=mode)
    is_open_to_all = access.club.is_public and access.club.closed_at is None
    if not is_open_to_all and not has_club_right(ClubRight.VIEW_MEMBERS, access.relations):
        raise NotFound
    return access


def find_club(tx: Tx, slug: str, viewer: Viewer, *, mode: ClubMode = "read") -> ClubAccess:
    """Return the club to any viewer, for callers that checked an invitation instead. Raises NotFound."""
    if not is_storable(slug):
        raise NotFound
    found_club = clubs.find(
        tx,
        slug,
        token_hash=hash_of(viewer) if isinstance(viewer, str) else None,
        account_id=viewer.id if isinstance(viewer, Person) else None,
        mode=mode,
    )
    if found_club.club is None:
        raise NotFound
    return ClubAccess(
        found_club.club,
        admitted_person(found_club.viewer, now=tx.now),
        found_club.membership,
        seasons=found_club.seasons,
        announcements=found_club.announcements,
    )


def require_club_right(access: ClubAccess, right: ClubRight) -> Person:
    """Return the viewer if they have the right. Raises NotAllowed."""
    if access.me is None:
        raise NotAllowed(DenialReason.NOT_IN_CLUB)
    if access.has_right(right):
        return access.me
    if access.club.closed_at is not None:
        raise NotAllowed(DenialReason.CLUB_CLOSED)
    raise NotAllowed(_denial_reason(right))


def _denial_reason(right: ClubRight) -> DenialReason:
    """Return who may do it instead."""
    holders = CLUB_RIGHTS[right] - {Relation.SITE_MODERATOR}
    if Relation.MEMBER in holders:
        return DenialReason.NOT_IN_CLUB
    return (
        DenialReason.NOT_CLUB_MODERATOR if holders >= _MODERATORS else DenialReason.NOT_CLUB_FOUNDER
    )


def may_open_tables(access: ClubAccess) -> bool:
    """Return whether the viewer may open a table in this club."""
    if access.club.closed_at is not None or access.membership is None or not access.is_member:
        return False
    return rank_may_open(access.membership.rank, access.club.who_may_open)


def rank_may_open(rank: str, who_may_open: str) -> bool:
    """Return whether a member of this rank may open tables where the club's setting is this."""
    return who_may_open == "members" or rank in _MODERATING_RANKS


def club_id_for_table(tx: Tx, person: Person, slug: str) -> int | None:
    """Return the id of the club in which a table is opened, and lock the club; None for no club.

    Raises FieldErrors for a club where this person may not open tables, whether or not there is such a club.
    """
    if not slug:
        return None
    open_club = clubs.lock_for_table(tx, slug) if slug.isascii() and slug.isalnum() else None
    rank = None if open_club is None else members.rank_in_club(tx, open_club.id, person.id)
    if open_club is None or rank is None or not rank_may_open(rank, open_club.who_may_open):
        raise FieldErrors(FieldError("club", "unknown"))
    return open_club.id
