"""Inviting people to a club, and the tokens of links, which are made like those of invitations to tables."""

from datetime import datetime, timedelta
from typing import Final

from webapp.accounts.addresses import parse_address, same_mailbox
from webapp.accounts.blocks import is_invitation_sent
from webapp.accounts.person import Person
from webapp.accounts.recipient_limits import check_newcomer_limit, lock_invitations, may_be_emailed
from webapp.clubs.access import ClubAccess, require_club_right
from webapp.clubs.queries import invitations
from webapp.clubs.queries.invitations import ClubInvitationRow, NewClubInvitation
from webapp.kernel.keyring import Keyring
from webapp.kernel.refusals import FieldError, FieldErrors
from webapp.kernel.rights import ClubRight
from webapp.kernel.tx import Tx
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification

_PURPOSE: Final = "club invitation"
MAX_CLUB_INVITATIONS: Final = 300
"""Addresses invited to one club."""
MAX_CLUB_INVITATIONS_PER_DAY: Final = 50
"""Addresses that one person invites to clubs in a day: Lodepost must not be usable for mass email."""


def invite_to_club(tx: Tx, access: ClubAccess, *, address: str) -> None:
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
    invitation_id = add_club_invitation(tx, access.club.id, person, address=invited_address)
    # In any case, so that nothing shows whether an email is sent.
    tx.nudges.add("emails")
    is_sent = is_invitation_sent(tx, invited_address, person, other_inviter_ids)
    if is_sent and may_be_emailed(tx, invited_address):
        outbox.enqueue(tx, [_notification(invitation_id, tx.now)])


def replace_club_link(tx: Tx, access: ClubAccess) -> None:
    """Give the club another link, if the old one has got into the wrong hands. Needs the club locked."""
    person = require_club_right(access, ClubRight.INVITE_TO_CLUB)
    renew_club_link(tx, access.club.id, person)


def renew_club_link(tx: Tx, club_id: int, person: Person) -> None:
    """Replace the club's link by a new one, so that no one can join with the old one any more."""
    invitations.delete_link(tx, club_id)
    add_club_invitation(tx, club_id, person, address=None)


def add_club_invitation(
    tx: Tx,
    club_id: int,
    inviter: Person,
    *,
    address: str | None,
) -> int:
    """Store an invitation for one address, or with None the club's link for everyone who has it; return its id."""
    link = tx.tokens.new_link(_PURPOSE)
    invitation = NewClubInvitation(
        club_id=club_id,
        nonce=link.nonce,
        token_hash=link.token_hash,
        address=address,
        invited_by=inviter.id,
        invited_at=tx.now,
    )
    return invitations.add(tx, invitation)


def club_invitation_token(nonce: bytes, keys: Keyring) -> str:
    """Return the token in the link of an invitation."""
    return keys.link_token(_PURPOSE, nonce)


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
        row for row in invitations.invitations_of_club(tx, access.club.id) if row.address
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
    if invitations.count_emailed(tx, person.id, since=since) >= MAX_CLUB_INVITATIONS_PER_DAY:
        raise FieldErrors(
            FieldError("address", "too-many-today", {"max": MAX_CLUB_INVITATIONS_PER_DAY})
        )
