"""Invitations to tables: by email for one person, or the table link for everyone who has it."""

from datetime import datetime

import msgspec
from sqlalchemy import func, insert, select, update

from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Invitation
from webapp.mail.schema import Notification
from webapp.play.schema import Game

_INVITATION_COLUMNS = (
    Invitation.id,
    Invitation.nonce,
    Invitation.address,
    Invitation.invited_by,
    Invitation.accepted_by,
    Invitation.name,
)


class NewInvitation(Redacted, frozen=True, kw_only=True):
    game_id: int
    nonce: bytes
    token_hash: bytes
    address: str | None
    invited_by: int
    invited_at: datetime
    name: str | None = None


class InvitationRow(Redacted, frozen=True):
    """An invitation; without an address it is the table link."""

    id: int
    nonce: bytes
    address: str | None
    invited_by: int
    accepted_by: int | None
    name: str | None = None
    """What the inviter knows the person by, if not by the address."""


def add_invitation(tx: Tx, invitation: NewInvitation) -> int:
    """Store an invitation and return its id."""
    invitation_id: int = tx.execute(
        insert(Invitation).values(msgspec.structs.asdict(invitation)).returning(Invitation.id)
    ).scalar_one()
    return invitation_id


def invitations_of_game(tx: Tx, game_id: int) -> tuple[InvitationRow, ...]:
    """Return all invitations to a table, oldest first; the table link is the first."""
    rows = tx.execute(
        select(*_INVITATION_COLUMNS).where(Invitation.game_id == game_id).order_by(Invitation.id)
    )
    return tuple(InvitationRow(*row) for row in rows)


def count_emailed(tx: Tx, account_id: int, *, since: datetime) -> int:
    """Return how many addresses a person has invited, to all tables together."""
    return tx.execute(
        select(func.count())
        .select_from(Invitation)
        .where(Invitation.invited_by == account_id, Invitation.invited_at > since)
        .where(Invitation.address.is_not(None))
    ).scalar_one()


def find_by_token(tx: Tx, token_hash: bytes) -> tuple[InvitationRow, str] | None:
    """Return the invitation with this token and the slug of its game."""
    row = tx.execute(
        select(*_INVITATION_COLUMNS, Game.slug)
        .join(Game, Game.id == Invitation.game_id)
        .where(Invitation.token_hash == token_hash)
    ).first()
    return None if row is None else (InvitationRow(*row[:-1]), row[-1])


def nonce_of(tx: Tx, invitation_id: int) -> bytes | None:
    """Return from what the token of an invitation's link is derived."""
    return tx.execute(select(Invitation.nonce).where(Invitation.id == invitation_id)).scalar()


def unanswered_emailed_invitations(tx: Tx, game_id: int) -> tuple[int, ...]:
    """Return the invitations to a table that were sent by email and that no one has accepted."""
    was_sent = (
        select(Notification.id)
        .where(Notification.game_id == game_id, Notification.kind == "invitation")
        .where(Notification.dedup_key == Invitation.id, Notification.status == "sent")
        .exists()
    )
    rows = tx.execute(
        select(Invitation.id)
        .where(Invitation.game_id == game_id, Invitation.accepted_by.is_(None))
        .where(Invitation.address.is_not(None), was_sent)
        .order_by(Invitation.id)
    )
    return tuple(rows.scalars())


def mark_accepted(tx: Tx, invitation_id: int, account_id: int) -> None:
    tx.execute(
        update(Invitation).where(Invitation.id == invitation_id).values(accepted_by=account_id)
    )
