"""Inviting people to a club, and joining it with an invitation."""

from datetime import datetime, timedelta
from typing import Final

from webapp.rights import ClubRight
from webapp.services.accounts.addresses import other_recipient, parse_address, same_mailbox
from webapp.services.accounts.blocks import is_invitation_sent
from webapp.services.accounts.person import Person, Viewer
from webapp.services.accounts.recipient_limits import (
    check_newcomer_limit,
    lock_invitations,
    may_be_emailed,
)
from webapp.services.clubs.access import ClubAccess, find_club, require_club_right
from webapp.services.clubs.invitation_links import add_club_invitation, renew_club_link
from webapp.services.clubs.members import join_club
from webapp.services.errors import DenialReason, FieldError, FieldErrors, NotAllowed, NotFound
from webapp.services.keys import TokenSource, hash_of
from webapp.services.tx import Tx
from webapp.store.clubs import invitations
from webapp.store.clubs.invitations import ClubInvitationRow
from webapp.store.notifications import outbox
from webapp.store.notifications.outbox import NewNotification
from webapp.store.redacted import Redacted

MAX_CLUB_INVITATIONS: Final = 300
"""Addresses invited to one club."""
MAX_CLUB_INVITATIONS_PER_DAY: Final = 50
"""Addresses that one person invites to clubs in a day: Lodepost must not be usable for mass email."""


class ClubInvitationPage(Redacted, frozen=True, kw_only=True):
    """The club as anyone with the invitation's link may see it."""

    me: Person | None
    slug: str
    name: str
    description: str
    language: str
    member_count: int
    is_member: bool
    is_used: bool
    """Another person has accepted it."""
    sent_to: str | None
    """To whom it was sent, as a masked address, if not to the viewer who is signed in."""


def invite_to_club(tx: Tx, access: ClubAccess, *, address: str, source: TokenSource) -> None:
    """Email an invitation to this address. Needs the club locked.

    Raises FieldErrors for an address that is invalid, that this person has invited before, or that exceeds a limit. An
    address that only others invited is accepted like any other, so that their invitations stay private, but gets no
    second email.
    """
    person = require_club_right(access, ClubRight.INVITE_TO_CLUB)
    invited_address = parse_address(address)
    lock_invitations(tx, person, invited_address)
    other_inviter_ids = _other_inviters(tx, access, person, invited_address)
    _check_daily_limit(tx, person)
    check_newcomer_limit(tx, person)
    invitation_id = add_club_invitation(
        tx, access.club.id, person, address=invited_address, source=source
    )
    tx.nudges.add("emails")
    is_sent = is_invitation_sent(tx, invited_address, person, other_inviter_ids)
    if is_sent and may_be_emailed(tx, invited_address):
        outbox.enqueue(tx.connection, [_notification(invitation_id, tx.now)])


def replace_club_link(tx: Tx, access: ClubAccess, *, source: TokenSource) -> None:
    """Give the club another link, if the old one has got into the wrong hands. Needs the club locked."""
    person = require_club_right(access, ClubRight.INVITE_TO_CLUB)
    renew_club_link(tx, access.club.id, person, source=source)


def club_invitation_page(tx: Tx, token: str, viewer: Viewer) -> ClubInvitationPage:
    """Return what the link of an invitation shows; opening it accepts nothing. Raises NotFound."""
    invitation, slug = _find_invitation(tx, token)
    access = find_club(tx, slug, viewer)
    return ClubInvitationPage(
        me=access.me,
        slug=slug,
        name=access.club.name,
        description=access.club.description,
        language=access.club.language,
        member_count=access.club.member_count,
        is_member=access.is_member,
        is_used=_is_used_by_another(invitation, access.me),
        sent_to=other_recipient(
            invitation.address, None if access.me is None else access.me.address
        ),
    )


def accept_club_invitation(tx: Tx, token: str, person: Person) -> str:
    """Make the person a member of the club and return its slug; a member only gets the slug. Raises NotFound."""
    _, slug = _find_invitation(tx, token)
    access = find_club(tx, slug, person, mode="change")
    # Read again under the lock, because an emailed invitation is for one person, and a link may have been replaced.
    invitation, _ = _find_invitation(tx, token)
    if access.is_member:
        return slug
    if _is_used_by_another(invitation, person):
        raise NotAllowed(DenialReason.INVITATION_USED)
    join_club(tx, access, person)
    if invitation.address is not None:
        invitations.mark_accepted(tx.connection, invitation.id, person.id)
    return slug


def _notification(invitation_id: int, now: datetime) -> NewNotification:
    return NewNotification(
        kind="club-invitation",
        game_id=None,
        account_id=None,
        dedup_key=invitation_id,
        due_at=now,
    )


def _other_inviters(tx: Tx, access: ClubAccess, person: Person, address: str) -> frozenset[int]:
    """Return the others with an open invitation to this address. Raises FieldErrors if this person has one."""
    sent_invitations = [
        row for row in invitations.invitations_of_club(tx.connection, access.club.id) if row.address
    ]
    inviter_ids = {row.invited_by for row in sent_invitations if _is_open_for(row, address)}
    if person.id in inviter_ids:
        raise FieldErrors(FieldError("address", "duplicate"))
    if len(sent_invitations) >= MAX_CLUB_INVITATIONS:
        raise FieldErrors(FieldError("address", "too-many-in-club", {"max": MAX_CLUB_INVITATIONS}))
    return frozenset(inviter_ids)


def _is_open_for(row: ClubInvitationRow, address: str) -> bool:
    return row.accepted_by is None and same_mailbox(row.address or "", address)


def _check_daily_limit(tx: Tx, person: Person) -> None:
    since = tx.now - timedelta(days=1)
    if (
        invitations.count_emailed(tx.connection, person.id, since=since)
        >= MAX_CLUB_INVITATIONS_PER_DAY
    ):
        raise FieldErrors(
            FieldError("address", "too-many-today", {"max": MAX_CLUB_INVITATIONS_PER_DAY})
        )


def _find_invitation(tx: Tx, token: str) -> tuple[ClubInvitationRow, str]:
    found_invitation = invitations.find_by_token(tx.connection, hash_of(token))
    if found_invitation is None:
        raise NotFound
    return found_invitation


def _is_used_by_another(invitation: ClubInvitationRow, person: Person | None) -> bool:
    """Return whether another person accepted it; the person who accepted it may leave and come back."""
    accepted_by = invitation.accepted_by
    return accepted_by is not None and (person is None or accepted_by != person.id)
