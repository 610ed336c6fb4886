"""Invitations to clubs: by email for one person, or the club's link for everyone who has it."""

from datetime import datetime

import msgspec
from sqlalchemy import delete, func, insert, select, update

from webapp.clubs.schema import Club, ClubInvitation
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx

_COLUMNS = (
    ClubInvitation.id,
    ClubInvitation.nonce,
    ClubInvitation.address,
    ClubInvitation.invited_by,
    ClubInvitation.accepted_by,
)


class NewClubInvitation(Redacted, frozen=True, kw_only=True):
    club_id: int
    nonce: bytes
    token_hash: bytes
    address: str | None
    invited_by: int
    invited_at: datetime


class ClubInvitationRow(Redacted, frozen=True):
    """An invitation; without an address it is the club's link."""

    id: int
    nonce: bytes
    address: str | None
    invited_by: int
    accepted_by: int | None


def add(tx: Tx, invitation: NewClubInvitation) -> int:
    """Store an invitation and return its id."""
    invitation_id: int = tx.execute(
        insert(ClubInvitation)
        .values(msgspec.structs.asdict(invitation))
        .returning(ClubInvitation.id)
    ).scalar_one()
    return invitation_id


def invitations_of_club(tx: Tx, club_id: int) -> tuple[ClubInvitationRow, ...]:
    """Return all invitations to a club, oldest first."""
    rows = tx.execute(
        select(*_COLUMNS).where(ClubInvitation.club_id == club_id).order_by(ClubInvitation.id)
    )
    return tuple(ClubInvitationRow(*row) for row in rows)


def count_emailed(tx: Tx, account_id: int, *, since: datetime) -> int:
    """Return how many addresses a person has invited, to all clubs together."""
    return tx.execute(
        select(func.count())
        .select_from(ClubInvitation)
        .where(ClubInvitation.invited_by == account_id, ClubInvitation.invited_at > since)
        .where(ClubInvitation.address.is_not(None))
    ).scalar_one()


def find_by_token(tx: Tx, token_hash: bytes) -> tuple[ClubInvitationRow, str] | None:
    """Return the invitation with this token and the slug of its club, unless the club is closed."""
    row = tx.execute(
        select(*_COLUMNS, Club.slug)
        .join(Club, Club.id == ClubInvitation.club_id)
        .where(ClubInvitation.token_hash == token_hash, Club.closed_at.is_(None))
    ).first()
    return None if row is None else (ClubInvitationRow(*row[:-1]), row[-1])


def mark_accepted(tx: Tx, invitation_id: int, account_id: int) -> None:
    tx.execute(
        update(ClubInvitation)
        .where(ClubInvitation.id == invitation_id)
        .values(accepted_by=account_id)
    )


def delete_link(tx: Tx, club_id: int) -> None:
    """Delete the club's link, which then opens nothing."""
    tx.execute(
        delete(ClubInvitation).where(
            ClubInvitation.club_id == club_id, ClubInvitation.address.is_(None)
        )
    )


def delete_accepted(tx: Tx, club_id: int, account_id: int) -> None:
    """Delete the invitations with which a person joined, so that they cannot come back with them."""
    tx.execute(
        delete(ClubInvitation).where(
            ClubInvitation.club_id == club_id, ClubInvitation.accepted_by == account_id
        )
    )
