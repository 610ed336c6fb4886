"""The members of a club: what moderators and the founder decide about them, and the emails that each wants. Needs the club locked."""

from typing import Final, Literal

from webapp.clubs.access import ClubAccess, require_club_right
from webapp.clubs.founding import needs_reason, record_site_act
from webapp.clubs.invitations import renew_club_link
from webapp.clubs.joining import require_room
from webapp.clubs.queries import invitations, members
from webapp.clubs.queries.members import MembershipRow
from webapp.kernel.keyring import Keyring
from webapp.kernel.refusals import DenialReason, NotAllowed, NotFound
from webapp.kernel.rights import ClubRight
from webapp.kernel.tx import Tx
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification

_MEMBER_PURPOSE: Final = "club member"


def find_member(tx: Tx, access: ClubAccess, member_id: int, proof: str) -> MembershipRow:
    """Return a member, or a person who asks to join, whom a moderator's form names.

    Raises NotAllowed if they were there when the form was shown but are gone now, NotFound for ids of other clubs.
    """
    require_club_right(access, ClubRight.VIEW_MEMBERS)
    row = members.find(tx, access.club.id, member_id)
    if row is not None:
        return row
    if tx.keys.is_token(proof, _MEMBER_PURPOSE, access.club.id, member_id):
        raise NotAllowed(DenialReason.MEMBER_GONE)
    raise NotFound


def member_proof(access: ClubAccess, member_id: int, keys: Keyring) -> str:
    """Return the token in a form about a member, which proves later that the member belonged to this club."""
    return keys.token(_MEMBER_PURPOSE, access.club.id, member_id)


def decide_on_member(
    tx: Tx,
    access: ClubAccess,
    target: MembershipRow,
    verb: str,
    *,
    reason: str = "",
) -> None:
    """Do to a member what the button ``verb`` says; a site moderator gives a ``reason``."""
    match verb:
        case "approve":
            _approve_request(tx, access, target)
        case "refuse":
            _refuse_request(tx, access, target)
        case "remove":
            remove_member(tx, access, target)
        case "promote" | "demote":
            set_moderator(tx, access, target, as_moderator=verb == "promote")
        case "hand-over":
            _hand_over_club(tx, access, target, reason=reason)
        case _:
            raise NotFound


def _approve_request(tx: Tx, access: ClubAccess, target: MembershipRow) -> None:
    """Admit a person who asks to join; if another moderator was faster, nothing changes."""
    require_club_right(access, ClubRight.ADMIT_MEMBER)
    if target.status == "member":
        return
    require_room(access)
    members.accept(tx, target.id)
    _answer_request(tx, access.club.id, target, kind="club-admitted")


def _refuse_request(tx: Tx, access: ClubAccess, target: MembershipRow) -> None:
    """Decline a request to join. They may ask again."""
    require_club_right(access, ClubRight.ADMIT_MEMBER)
    if target.status == "member":
        raise NotAllowed(DenialReason.MEMBER_GONE)
    members.remove_member(tx, target.id)
    _answer_request(tx, access.club.id, target, kind="club-declined")


def remove_member(tx: Tx, access: ClubAccess, target: MembershipRow) -> None:
    """Remove a member, who cannot come back with an old invitation or with the club's link."""
    me = require_club_right(access, ClubRight.REMOVE_MEMBER)
    if target.account_id == me.id:
        raise NotAllowed(DenialReason.REMOVES_ONESELF)
    if target.rank == "founder":
        raise NotAllowed(DenialReason.FOUNDER_CANNOT_BE_REMOVED)
    if target.rank == "moderator":
        require_club_right(access, ClubRight.APPOINT_CLUB_MODERATOR)
    members.remove_member(tx, target.id)
    invitations.delete_accepted(tx, access.club.id, target.account_id)
    renew_club_link(tx, access.club.id, me)


def set_moderator(tx: Tx, access: ClubAccess, target: MembershipRow, *, as_moderator: bool) -> None:
    """Make a member a moderator, or a moderator a member again."""
    require_club_right(access, ClubRight.APPOINT_CLUB_MODERATOR)
    _require_member(target)
    if target.rank == "founder":
        raise NotAllowed(DenialReason.FOUNDER_CANNOT_BE_REMOVED)
    members.set_rank(tx, target.id, "moderator" if as_moderator else "member")


def _hand_over_club(tx: Tx, access: ClubAccess, target: MembershipRow, *, reason: str = "") -> None:
    """Make another member the founder; the founder becomes a moderator. Pressed twice, it changes nothing.

    A site moderator states a reason. Raises FieldErrors and NotAllowed.
    """
    may_manage_members = access.has_right(ClubRight.REMOVE_MEMBER) or access.has_right(
        ClubRight.HAND_OVER_CLUB
    )
    if target.rank == "founder" and may_manage_members:
        return
    require_club_right(access, ClubRight.HAND_OVER_CLUB)
    _require_member(target)
    if needs_reason(access, ClubRight.HAND_OVER_CLUB):
        account = target.account_id
        record_site_act(tx, access, act="club-hand-over", reason=reason, account_id=account)
    members.demote_founder(tx, access.club.id)
    members.set_rank(tx, target.id, "founder")


def choose_emails(tx: Tx, access: ClubAccess, *, announcements: bool, requests: bool) -> None:
    """Store whether the viewer gets the club's announcements and its requests to join by email."""
    require_club_right(access, ClubRight.LEAVE_CLUB)
    assert access.membership is not None
    members.set_wanted_emails(
        tx, access.membership.id, announcements=announcements, requests=requests
    )


def _answer_request(
    tx: Tx,
    club_id: int,
    target: MembershipRow,
    *,
    kind: Literal["club-admitted", "club-declined"],
) -> None:
    """Queue the email to the person who asked."""
    email = NewNotification(
        kind=kind,
        game_id=None,
        # Every request has another number, so that each gets its answer.
        seq=target.id,
        account_id=target.account_id,
        dedup_key=club_id,
        due_at=tx.now,
    )
    outbox.enqueue(tx, [email])


def _require_member(target: MembershipRow) -> None:
    if target.status != "member":
        raise NotAllowed(DenialReason.NOT_YET_IN_CLUB)
