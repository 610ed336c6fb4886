"""The clubs of a person, public clubs, and the members of one club."""

from datetime import datetime
from typing import Final

import msgspec

from webapp.accounts.person import Person, Viewer
from webapp.accounts.sessions import person_for
from webapp.clubs.access import ClubAccess, rank_may_open, require_club_right
from webapp.clubs.club_page import ClubCard, club_card, permitted_rights
from webapp.clubs.founding import needs_reason
from webapp.clubs.invitations import club_invitation_token
from webapp.clubs.members import member_proof
from webapp.clubs.queries import clubs, invitations, members
from webapp.clubs.queries.invitations import ClubInvitationRow
from webapp.clubs.queries.members import MembershipRow
from webapp.kernel.keyring import Keyring
from webapp.kernel.redacted import Redacted
from webapp.kernel.rights import ClubRight
from webapp.kernel.tx import Tx

_MAX_LISTED_PUBLIC_CLUBS: Final = 50


class MyClub(Redacted, frozen=True, kw_only=True):
    """A club in which the viewer is, or asks to be."""

    club: ClubCard
    rank: str
    has_requested: bool
    join_request_count: int
    """How many people ask to join; 0 for those who may not answer."""


class ClubList(Redacted, frozen=True, kw_only=True):
    me: Person | None
    my_clubs: tuple[MyClub, ...]
    public_clubs: tuple[ClubCard, ...]


class MemberCard(Redacted, frozen=True, kw_only=True):
    """A member, or someone who asks to join; ``proof`` goes into the forms about them."""

    id: int
    name: str
    rank: str
    since: datetime
    is_me: bool
    proof: str


class ClubInvitationCard(msgspec.Struct, frozen=True):
    """An address that the viewer invited."""

    address: str
    is_accepted: bool


class MembersPage(Redacted, frozen=True, kw_only=True):
    me: Person
    club: ClubCard
    permitted_rights: frozenset[str]
    needs_reason: bool
    """Whether the viewer may hand the club over only as a site moderator, who states a reason."""
    members: tuple[MemberCard, ...]
    join_requests: tuple[MemberCard, ...]
    link_token: str | None
    """The token of the club's link, for those who may invite: everyone who has it may join."""
    sent_invitations: tuple[ClubInvitationCard, ...]


def club_list(tx: Tx, viewer: Viewer) -> ClubList:
    """Return the viewer's clubs, and public clubs that they are not in."""
    me = viewer if isinstance(viewer, Person) else person_for(tx, viewer)
    account_id = None if me is None else me.id
    own_rows = () if me is None else clubs.clubs_of_account(tx, me.id)
    public_rows = clubs.public_clubs(tx, account_id, limit=_MAX_LISTED_PUBLIC_CLUBS)
    return ClubList(
        me=me,
        my_clubs=tuple(
            MyClub(
                club=club_card(row),
                rank=rank,
                has_requested=status == "asked",
                join_request_count=row.join_request_count
                if rank in {"founder", "moderator"}
                else 0,
            )
            for row, rank, status in own_rows
        ),
        public_clubs=tuple(map(club_card, public_rows)),
    )


def clubs_to_open_tables_in(tx: Tx, person: Person) -> tuple[ClubCard, ...]:
    """Return the clubs in which this person may open a table."""
    return tuple(
        club_card(row)
        for row, rank, status in clubs.clubs_of_account(tx, person.id)
        if status == "member" and rank_may_open(rank, row.who_may_open)
    )


def members_page(tx: Tx, access: ClubAccess) -> MembersPage:
    """Return the members, and for moderators who asks to join and how to invite. Raises NotAllowed."""
    me = require_club_right(access, ClubRight.VIEW_MEMBERS)
    rows = members.members_of_club(tx, access.club.id)
    may_invite = access.has_right(ClubRight.INVITE_TO_CLUB)
    sent_invitations = invitations.invitations_of_club(tx, access.club.id) if may_invite else ()
    cards = [(row.status, _member_card(access, row, me, tx.keys)) for row in rows]
    may_admit = access.has_right(ClubRight.ADMIT_MEMBER)
    return MembersPage(
        me=me,
        club=club_card(access.club),
        permitted_rights=permitted_rights(access),
        needs_reason=needs_reason(access, ClubRight.HAND_OVER_CLUB),
        members=tuple(card for status, card in cards if status == "member"),
        join_requests=tuple(card for status, card in cards if status == "asked" and may_admit),
        link_token=_link_token(sent_invitations, tx.keys),
        sent_invitations=tuple(
            ClubInvitationCard(row.address, row.accepted_by is not None)
            for row in sent_invitations
            if row.address and row.invited_by == me.id
        ),
    )


def _member_card(access: ClubAccess, row: MembershipRow, me: Person, keys: Keyring) -> MemberCard:
    return MemberCard(
        id=row.id,
        name=row.name,
        rank=row.rank,
        since=row.joined_at,
        is_me=row.account_id == me.id,
        proof=member_proof(access, row.id, keys),
    )


def _link_token(sent_invitations: tuple[ClubInvitationRow, ...], keys: Keyring) -> str | None:
    tokens = (
        club_invitation_token(row.nonce, keys)
        for row in sent_invitations
        if row.address is None and keys.has_key_of(row.nonce)
    )
    return next(tokens, None)
