"""Which accounts moderate the site, and who has looked at the secrets of which game. No secret is read here."""

from datetime import datetime

import msgspec
from sqlalchemy import func, insert, or_, select, update

from webapp.accounts.schema import Account
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Invitation, SeatOffer, Sitting
from webapp.moderation.queries.public_columns import SEAT
from webapp.moderation.schema import Peek


class PeekRow(msgspec.Struct, frozen=True, kw_only=True):
    """A peek that was recorded."""

    game_id: int
    account_id: int
    seq: int
    ledger_id: int
    at: datetime


class ModeratorRow(Redacted, frozen=True):
    """A moderator of the site."""

    id: int
    address: str
    name: str


class ChangedModerator(msgspec.Struct, frozen=True):
    """An account, and whether it was changed: it may have been what it should become."""

    id: int
    has_changed: bool


def all_moderators(tx: Tx) -> tuple[ModeratorRow, ...]:
    """Return the moderators of the site, by address."""
    rows = tx.execute(
        select(Account.id, func.coalesce(Account.address, ""), Account.name)
        .where(Account.is_moderator)
        .order_by(func.lower(Account.address))
    )
    return tuple(ModeratorRow(*row) for row in rows)


def refs_and_names(tx: Tx) -> tuple[tuple[str, str], ...]:
    """Return the references and the names of the moderators of the site, by name."""
    rows = tx.execute(
        select(Account.ref, Account.name)
        .where(Account.is_moderator)
        .order_by(func.lower(Account.name), Account.id)
    )
    return tuple((row.ref, row.name) for row in rows)


def set_moderator(tx: Tx, address: str, *, is_moderator: bool) -> ChangedModerator | None:
    """Make the account with this address a moderator, or not one; None if there is no account."""
    account = tx.execute(
        select(Account.id, Account.is_moderator)
        .where(func.lower(Account.address) == address.lower())
        .with_for_update()
    ).first()
    if account is None:
        return None
    tx.execute(update(Account).where(Account.id == account.id).values(is_moderator=is_moderator))
    return ChangedModerator(account.id, has_changed=account.is_moderator != is_moderator)


def add(tx: Tx, peek: PeekRow) -> None:
    tx.execute(insert(Peek).values(msgspec.structs.asdict(peek)))


def newest_peek(tx: Tx, game_id: int, account_id: int, *, since: datetime) -> PeekRow | None:
    """Return this person's newest peek into a game that is not older than ``since``."""
    row = tx.execute(
        select(Peek.game_id, Peek.account_id, Peek.seq, Peek.ledger_id, Peek.at)
        .where(Peek.game_id == game_id, Peek.account_id == account_id, Peek.at >= since)
        .order_by(Peek.id.desc())
        .limit(1)
    ).first()
    return None if row is None else PeekRow(**row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for it


def has_peeked(tx: Tx, game_id: int, account_id: int) -> bool:
    """Return whether this person has ever looked at the secrets of the game, and so must never sit there."""
    own_peeks = select(Peek.id).where(Peek.game_id == game_id, Peek.account_id == account_id)
    return tx.execute(select(own_peeks.exists())).scalar_one()


def has_had_or_may_take_seat(tx: Tx, game_id: int, account_id: int) -> bool:
    """Return whether this person sits or sat at the table, or holds an invitation or an offer of a seat with which they could."""
    seat = select(SEAT.c.number).where(SEAT.c.game_id == game_id, SEAT.c.account_id == account_id)
    sitting = select(Sitting.seat).where(
        Sitting.game_id == game_id, Sitting.account_id == account_id
    )
    address = select(func.lower(Account.address)).where(Account.id == account_id).scalar_subquery()
    invitation = select(Invitation.id).where(
        Invitation.game_id == game_id,
        or_(func.lower(Invitation.address) == address, Invitation.accepted_by == account_id),
    )
    offer = select(SeatOffer.id).where(
        SeatOffer.game_id == game_id,
        SeatOffer.ended_as.is_(None),
        func.lower(SeatOffer.address) == address,
    )
    may_play_there = or_(seat.exists(), sitting.exists(), invitation.exists(), offer.exists())
    return tx.execute(select(may_play_there)).scalar_one()
