"""Invitations and offers of seats that a person sent or received, for the download of their data.

Who sent what they received is in the emails; it is not repeated here, because the sender may have changed their name.
"""

from typing import Final

from sqlalchemy import BigInteger, ColumnElement, Executable, bindparam, case, func, or_, select

from webapp.store.schema.accounts import Account
from webapp.store.schema.clubs import Club, ClubInvitation
from webapp.store.schema.lobby import Invitation, SeatOffer
from webapp.store.schema.play import Game

_account_id: ColumnElement[int] = bindparam("account_id", type_=BigInteger)
_own_address: Final = (
    select(func.lower(Account.address)).where(Account.id == _account_id).scalar_subquery()
)


def sent_to_tables() -> Executable:
    """Return whom the person invited, by name after a game together: whose address a name belongs to stays unknown."""
    return (
        select(
            Game.slug,
            Invitation.name,
            case((Invitation.name.is_(None), Invitation.address)).label("address"),
            Invitation.invited_at,
        )
        .join(Invitation, Invitation.game_id == Game.id)
        .where(Invitation.invited_by == _account_id, Invitation.address.is_not(None))
        .order_by(Invitation.id)
    )


def received_to_tables() -> Executable:
    is_accepted = Invitation.accepted_by == _account_id
    return (
        select(
            Game.slug, Invitation.invited_at, func.coalesce(is_accepted, False).label("accepted")
        )
        .join(Invitation, Invitation.game_id == Game.id)
        .where(or_(func.lower(Invitation.address) == _own_address, is_accepted))
        .order_by(Invitation.id)
    )


def sent_to_clubs() -> Executable:
    return (
        select(Club.slug, ClubInvitation.address, ClubInvitation.invited_at)
        .join(ClubInvitation, ClubInvitation.club_id == Club.id)
        .where(ClubInvitation.invited_by == _account_id, ClubInvitation.address.is_not(None))
        .order_by(ClubInvitation.id)
    )


def received_to_clubs() -> Executable:
    is_accepted = ClubInvitation.accepted_by == _account_id
    return (
        select(
            Club.slug,
            ClubInvitation.invited_at,
            func.coalesce(is_accepted, False).label("accepted"),
        )
        .join(ClubInvitation, ClubInvitation.club_id == Club.id)
        .where(or_(func.lower(ClubInvitation.address) == _own_address, is_accepted))
        .order_by(ClubInvitation.id)
    )


def sent_seat_offers() -> Executable:
    """Return to whom the person offered a seat, as they typed it: whose address a name belongs to stays unknown."""
    return (
        select(
            Game.slug,
            SeatOffer.seat,
            SeatOffer.name,
            case((SeatOffer.name.is_(None), SeatOffer.address)).label("address"),
            SeatOffer.reason,
            SeatOffer.offered_at,
            SeatOffer.ended_as,
        )
        .join(SeatOffer, SeatOffer.game_id == Game.id)
        .where(SeatOffer.offered_by == _account_id)
        .order_by(SeatOffer.id)
    )


def received_seat_offers() -> Executable:
    is_accepted = SeatOffer.accepted_by == _account_id
    return (
        select(Game.slug, SeatOffer.seat, SeatOffer.offered_at, SeatOffer.ended_as)
        .join(SeatOffer, SeatOffer.game_id == Game.id)
        .where(or_(func.lower(SeatOffer.address) == _own_address, is_accepted))
        .order_by(SeatOffer.id)
    )
