"""Who has been invited by email of late, over all tables and clubs: the basis of limits that protect recipients."""

from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import Select, exists, func, select, union_all

from webapp.accounts.schema import AddressChange
from webapp.clubs.schema import ClubInvitation
from webapp.kernel.game_status import GameStatus
from webapp.kernel.schema import folded
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Invitation, SeatOffer
from webapp.mail.schema import Notification
from webapp.play.schema import Game

_LOCK_SEED: Final = 2
"""Tells these advisory locks from others on the same address."""


class UnansweredInvitations(NamedTuple):
    """Invitations of one mailbox by one person, to tables that still wait for players and to cancelled ones."""

    to_waiting_tables: int
    to_cancelled_tables: int


def lock_recipient(tx: Tx, address: str) -> None:
    """Make other transactions that count invitations to this mailbox wait until this one ends."""
    key = func.hashtextextended(folded(address), _LOCK_SEED)
    tx.execute(select(func.pg_advisory_xact_lock(key)))


def count_emails(tx: Tx, address: str, *, since: datetime) -> int:
    """Return how many emails a mailbox got from all people without asking for them.

    They are invitations, news of cancelled tables, offers of seats, and links to confirm it as someone's new address.
    """
    emails = union_all(
        _emailed(Invitation, "invitation", address).where(Invitation.invited_at > since),
        _emailed(Invitation, "table-cancelled", address).where(Invitation.invited_at > since),
        _emailed(ClubInvitation, "club-invitation", address).where(
            ClubInvitation.invited_at > since
        ),
        _emailed(SeatOffer, "seat-offer", address).where(SeatOffer.offered_at > since),
        select(AddressChange.id)
        .where(folded(AddressChange.new_address) == folded(address))
        .where(AddressChange.requested_at > since, AddressChange.confirmed_at.is_(None))
        .where(
            exists().where(
                Notification.dedup_key == AddressChange.id,
                Notification.kind == "address-change",
                Notification.game_id.is_(None),
                Notification.account_id.is_(None),
            )
        ),
    ).subquery()
    return tx.execute(select(func.count()).select_from(emails)).scalar_one()


def count_unanswered_invitations(
    tx: Tx, inviter_id: int, address: str, *, is_rematch: bool, since: datetime
) -> UnansweredInvitations:
    """Return how many invitations to tables that a person sent to this mailbox have no answer.

    Counts those to rematches, or else those with an address that the person typed.
    """
    is_waiting = Game.status.in_((GameStatus.OPEN, GameStatus.READY_CHECK))
    query = (
        select(
            func.count().filter(is_waiting),
            func.count().filter(Game.status == GameStatus.CANCELLED),
        )
        .select_from(Invitation)
        .join(Game, Game.id == Invitation.game_id)
        .where(Invitation.invited_by == inviter_id, Invitation.invited_at > since)
        .where(folded(Invitation.address) == folded(address), Invitation.accepted_by.is_(None))
        .where(Invitation.name.is_not(None) if is_rematch else Invitation.name.is_(None))
    )
    return UnansweredInvitations(*tx.execute(query).one())


def has_open_offer(tx: Tx, offerer_id: int, address: str, *, now: datetime) -> bool:
    """Return whether a person has offered this mailbox a seat by email that can still be accepted."""
    open_offer = (
        _emailed(SeatOffer, "seat-offer", address)
        .where(SeatOffer.offered_by == offerer_id, SeatOffer.expires_at > now)
        .where(SeatOffer.ended_as.is_(None), Game.id == SeatOffer.game_id)
        .where(Game.status.in_((GameStatus.RUNNING, GameStatus.PAUSED)))
    )
    return bool(tx.execute(select(open_offer.exists())).scalar_one())


def count_invited(tx: Tx, inviter_id: int, *, since: datetime) -> int:
    """Return how many people someone has invited by email, to tables and clubs together."""
    invited = (
        select(func.count())
        .where(table.invited_by == inviter_id, table.invited_at > since)
        .where(table.address.is_not(None))
        .scalar_subquery()
        for table in (Invitation, ClubInvitation)
    )
    return int(tx.execute(select(next(invited) + next(invited))).scalar_one())


def _emailed(
    table: type[Invitation | ClubInvitation | SeatOffer], kind: str, address: str
) -> Select[*tuple[Any, ...]]:
    """Return the rows of a table that are for this mailbox and have an email."""
    has_email = exists().where(
        Notification.dedup_key == table.id,
        Notification.kind == kind,
        Notification.seq.is_(None),
        Notification.account_id.is_(None),
        Notification.game_id.is_(None)
        if table is ClubInvitation
        else Notification.game_id == table.game_id,  # type: ignore[union-attr] # of the others
    )
    return select(table.id).where(folded(table.address) == folded(address), has_email)
