"""Deletion of an account: its personal data goes, its row stays for the games of others."""

from typing import NamedTuple

from sqlalchemy import Connection, and_, delete, exists, func, or_, select, update
from sqlalchemy.orm import aliased

from webapp.game_status import GameStatus
from webapp.store.schema.accounts import Account, AddressChange, Block, Session, SignIn
from webapp.store.schema.clubs import Club, ClubInvitation, Membership
from webapp.store.schema.lobby import Invitation, Seat, Sitting
from webapp.store.schema.moderation import SavedFilter
from webapp.store.schema.notifications import UnsubscribeToken
from webapp.store.schema.passkeys import Passkey
from webapp.store.schema.play import Game

_OVER_STATUSES = (GameStatus.FINISHED, GameStatus.CANCELLED)
_BEFORE_DEAL_STATUSES = (GameStatus.OPEN, GameStatus.READY_CHECK)


def running_slugs(connection: Connection, account_id: int) -> list[str]:
    """Return the games in progress in which the account has a seat."""
    rows = connection.execute(
        select(Game.slug)
        .join(Seat, Seat.game_id == Game.id)
        .where(
            Seat.account_id == account_id,
            Game.status.not_in((*_OVER_STATUSES, *_BEFORE_DEAL_STATUSES)),
        )
        .order_by(Game.id)
    )
    return list(rows.scalars())


def slugs_before_deal(connection: Connection, account_id: int) -> list[str]:
    """Return the tables before the deal that the account hosts or where it has a seat."""
    seated = select(Seat.game_id).where(Seat.account_id == account_id)
    rows = connection.execute(
        select(Game.slug)
        .where(or_(Game.host_id == account_id, Game.id.in_(seated)))
        .where(Game.status.in_(_BEFORE_DEAL_STATUSES))
        .order_by(Game.id)
    )
    return list(rows.scalars())


class FoundedClub(NamedTuple):
    slug: str
    name: str


def founded_clubs(connection: Connection, account_id: int) -> list[FoundedClub]:
    """Return the open clubs that the account founded."""
    rows = connection.execute(
        select(Club.slug, Club.name)
        .join(Membership, Membership.club_id == Club.id)
        .where(Membership.account_id == account_id, Membership.rank == "founder")
        .where(Club.closed_at.is_(None))
        .order_by(Club.id)
    )
    return [FoundedClub(*row) for row in rows]


def delete_personal_data(connection: Connection, account_id: int, address: str) -> None:
    """Delete what belongs to the account alone, and make the row that stays anonymous.

    Opt-outs stay: the address refuses emails, with or without an account.
    """
    for table in (Session, Passkey, AddressChange, Membership, SavedFilter):
        connection.execute(delete(table).where(table.account_id == account_id))
    connection.execute(delete(UnsubscribeToken).where(UnsubscribeToken.address == address.lower()))
    connection.execute(delete(SignIn).where(func.lower(SignIn.address) == address.lower()))
    for invitation in (Invitation, ClubInvitation):
        connection.execute(
            delete(invitation).where(func.lower(invitation.address) == address.lower())
        )
    _delete_own_invitations(connection, account_id)
    connection.execute(
        delete(Block).where(or_(Block.blocker_id == account_id, Block.blocked_id == account_id))
    )
    _blank_names_in_games(connection, account_id)
    connection.execute(update(Game).where(Game.host_id == account_id).values(host_name=""))
    connection.execute(
        update(Account)
        .where(Account.id == account_id)
        .values(address=None, name="", zone="UTC", is_moderator=False)
    )


def _delete_own_invitations(connection: Connection, account_id: int) -> None:
    """Delete the invitations that the account sent and no one has accepted, and its tables' links."""
    for invitation in (Invitation, ClubInvitation):
        connection.execute(
            delete(invitation).where(
                invitation.invited_by == account_id, invitation.accepted_by.is_(None)
            )
        )


def _blank_names_in_games(connection: Connection, account_id: int) -> None:
    """Blank the account's name in its seats, also in open ones where it sat last, and in its former sittings."""
    later = aliased(Sitting)
    is_last = ~exists().where(
        later.game_id == Sitting.game_id,
        later.seat == Sitting.seat,
        later.number > Sitting.number,
    )
    sat_last = exists().where(
        Sitting.game_id == Seat.game_id,
        Sitting.seat == Seat.number,
        Sitting.account_id == account_id,
        is_last,
    )
    is_free = and_(Seat.account_id.is_(None), Seat.bot_name.is_(None))
    connection.execute(
        update(Seat)
        .where(or_(Seat.account_id == account_id, and_(is_free, sat_last)))
        .values(name="")
    )
    connection.execute(update(Sitting).where(Sitting.account_id == account_id).values(name=""))
