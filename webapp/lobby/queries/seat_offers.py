"""Offers of seats in dealt games: to one person by email, or as a link for the first who accepts it."""

from datetime import datetime
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, and_, delete, exists, func, insert, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute, aliased

from webapp.accounts.schema import Account
from webapp.clubs.schema import Membership
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Seat, SeatOffer
from webapp.play.schema import Game

_COLUMNS: Final[tuple[InstrumentedAttribute[Any], ...]] = (
    SeatOffer.id,
    SeatOffer.game_id,
    SeatOffer.seat,
    SeatOffer.nonce,
    SeatOffer.name,
    SeatOffer.address,
    SeatOffer.is_link,
    SeatOffer.offered_by,
    SeatOffer.reason,
    SeatOffer.offered_at,
    SeatOffer.expires_at,
    SeatOffer.ended_as,
    SeatOffer.accepted_by,
)
_MAX_LISTED_OFFERS: Final = 20


class NewSeatOffer(Redacted, frozen=True, kw_only=True):
    """The fields mean what the columns of ``SeatOffer`` mean."""

    game_id: int
    seat: int
    nonce: bytes
    token_hash: bytes
    name: str | None
    address: str | None
    is_link: bool
    offered_by: int | None
    reason: str
    offered_at: datetime
    expires_at: datetime


class SeatOfferRow(Redacted, frozen=True):
    """An offer as stored; ``ended_as`` is None while it may be open."""

    id: int
    game_id: int
    seat: int
    nonce: bytes
    name: str | None
    address: str | None
    is_link: bool
    offered_by: int | None
    reason: str
    offered_at: datetime
    expires_at: datetime
    ended_as: str | None
    accepted_by: int | None


def add(tx: Tx, offer: NewSeatOffer) -> int:
    """Store an offer and return its id. Any open offer of the seat must have been ended."""
    offer_id: int = tx.execute(
        insert(SeatOffer).values(msgspec.structs.asdict(offer)).returning(SeatOffer.id)
    ).scalar_one()
    return offer_id


def end_open_offer(tx: Tx, game_id: int, seat: int, *, ended_as: str) -> bool:
    """End the open offer of a seat; return whether there was one that had not expired."""
    ended_rows = tx.execute(
        update(SeatOffer)
        .where(SeatOffer.game_id == game_id, SeatOffer.seat == seat, SeatOffer.ended_as.is_(None))
        .values(ended_as=ended_as, ended_at=tx.now)
        .returning(SeatOffer.expires_at)
    ).first()
    return ended_rows is not None and ended_rows.expires_at > tx.now


def has_open_offer(tx: Tx, game_id: int, seat: int) -> bool:
    open_offer = select(SeatOffer.id).where(
        SeatOffer.game_id == game_id,
        SeatOffer.seat == seat,
        SeatOffer.ended_as.is_(None),
        SeatOffer.expires_at > tx.now,
    )
    return tx.execute(select(open_offer.exists())).scalar_one()


def mark_accepted(tx: Tx, offer_id: int, *, account_id: int) -> bool:
    """Record who accepted; return False if the offer was not open any more."""
    result = tx.execute(
        update(SeatOffer)
        .where(
            SeatOffer.id == offer_id, SeatOffer.ended_as.is_(None), SeatOffer.expires_at > tx.now
        )
        .values(ended_as="accepted", ended_at=tx.now, accepted_by=account_id)
    )
    return result.rowcount == 1


def mark_declined(tx: Tx, offer_id: int) -> None:
    """Record that an offer is declined, if it is open."""
    tx.execute(
        update(SeatOffer)
        .where(SeatOffer.id == offer_id, SeatOffer.ended_as.is_(None))
        .values(ended_as="declined", ended_at=tx.now)
    )


def find_by_token(tx: Tx, token_hash: bytes) -> tuple[SeatOfferRow, str, str] | None:
    """Return the offer with this token, the slug of its game, and the name of who made it, empty for the operator."""
    row = tx.execute(
        select(*_COLUMNS, Game.slug, func.coalesce(Account.name, ""))
        .join(Game, Game.id == SeatOffer.game_id)
        .outerjoin(Account, Account.id == SeatOffer.offered_by)
        .where(SeatOffer.token_hash == token_hash)
    ).first()
    return None if row is None else (SeatOfferRow(*row[:-2]), row[-2], row[-1])


def offers_of_game(tx: Tx, game_id: int) -> tuple[SeatOfferRow, ...]:
    """Return the newest offers in a game, newest first."""
    rows = tx.execute(
        select(*_COLUMNS)
        .where(SeatOffer.game_id == game_id)
        .order_by(SeatOffer.id.desc())
        .limit(_MAX_LISTED_OFFERS)
    )
    return tuple(SeatOfferRow(*row) for row in rows)


def address_of_name(tx: Tx, name: str, *, asking_account_id: int | None) -> str | None:
    """Return the address of the one person of this name whom the other has met: in a game, or in a club.

    Site moderators and the operator (None) have met everyone. None if there is no such person, or more than one.
    """
    address_query = select(Account.address).where(
        func.lower(Account.name) == name.lower(), Account.address.is_not(None)
    )
    if asking_account_id is not None:
        address_query = address_query.where(_have_met(asking_account_id))
    addresses = tx.execute(address_query.limit(2)).scalars().all()
    return addresses[0] if len(addresses) == 1 else None


def delete_old(tx: Tx, before: datetime) -> int:
    """Delete the offers that expired before an instant, and return how many they were."""
    result = tx.execute(delete(SeatOffer).where(SeatOffer.expires_at < before))
    return result.rowcount


def _have_met(account_id: int) -> ColumnElement[bool]:
    own_seat, their_seat = aliased(Seat, name="my_seat"), aliased(Seat, name="their_seat")
    same_game = select(their_seat.account_id).join(own_seat, own_seat.game_id == their_seat.game_id)
    my_rank, their_rank = (aliased(Membership, name=name) for name in ("my_rank", "their_rank"))
    are_members = and_(my_rank.status == "member", their_rank.status == "member")
    same_club = select(their_rank.account_id).join(my_rank, my_rank.club_id == their_rank.club_id)
    offerer = aliased(Account, name="offerer")
    return or_(
        Account.id.in_(same_game.where(own_seat.account_id == account_id)),
        Account.id.in_(same_club.where(my_rank.account_id == account_id, are_members)),
        exists().where(offerer.id == account_id, offerer.is_moderator),
    )
