"""Deletion of an account: its personal data goes, its row stays for the games of others."""

from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, delete, exists, false, func, or_, select, update
from sqlalchemy.orm import aliased

from webapp.accounts.schema import (
    Account,
    AddressChange,
    Block,
    Mute,
    Passkey,
    Session,
    SignIn,
    SignInPause,
)
from webapp.clock.schema import Absence, QuietHours
from webapp.clubs.schema import Club, ClubInvitation, Membership
from webapp.kernel.game_status import GameStatus
from webapp.kernel.schema import folded
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Invitation, Seat, SeatOffer, Sitting
from webapp.mail.schema import InboundEmail, Notification, ReplyToken, UnsubscribeToken
from webapp.moderation.schema import LedgerEntry, Report, SavedFilter
from webapp.play.schema import Game, Mark, Message, Note, SharedGame, has_status

_OWN_TABLES = (
    Session,
    Passkey,
    AddressChange,
    Membership,
    SavedFilter,
    Absence,
    QuietHours,
    Message,
    Note,
    Mark,
    SharedGame,
    ReplyToken,
    InboundEmail,
)
"""The tables whose rows belong to one account alone."""


class OwnTable(NamedTuple):
    slug: str
    host_name: str
    table_name: str


def running_games(tx: Tx, account_id: int) -> list[OwnTable]:
    """Return the games in progress that the account hosts or in which it has a seat."""
    return _tables_of(tx, account_id, has_status(GameStatus.RUNNING, GameStatus.PAUSED))


def tables_before_deal(tx: Tx, account_id: int) -> list[OwnTable]:
    """Return the tables before the deal that the account hosts or where it has a seat."""
    return _tables_of(tx, account_id, _is_before_deal())


def _is_before_deal() -> ColumnElement[bool]:
    return has_status(GameStatus.OPEN, GameStatus.READY_CHECK)


def _tables_of(tx: Tx, account_id: int, condition: ColumnElement[bool]) -> list[OwnTable]:
    """Return the games that meet a condition and that the account hosts or where it has a seat."""
    seated_game_ids = select(Seat.game_id).where(Seat.account_id == account_id)
    hosted_game_ids = select(Game.id).where(Game.host_id == account_id, condition)
    rows = tx.execute(
        select(Game.slug, Game.host_name, Game.table_name)
        .where(Game.id.in_(seated_game_ids.union(hosted_game_ids)), condition)
        .order_by(Game.id)
    )
    return [OwnTable(*row) for row in rows]


def lock_games(tx: Tx, account_id: int) -> None:
    """Lock every game that the deletion may change, by id, as everyone locks several games.

    To be called before the account is locked: an act that seats a person locks the game first and then the account.
    """
    tables = (
        select(table.game_id).where(table.account_id == account_id) for table in (Seat, Sitting)
    )
    is_affected = or_(Game.host_id == account_id, *(Game.id.in_(ids) for ids in tables))
    tx.execute(select(Game.id).where(is_affected).order_by(Game.id).with_for_update())


def left_game_ids(tx: Tx, account_id: int) -> list[int]:
    """Return the games with an open seat to which the account could return."""
    query = select(Seat.game_id).where(Seat.leaver_id == account_id).order_by(Seat.game_id)
    return list(tx.execute(query).scalars())


class FoundedClub(NamedTuple):
    slug: str
    name: str


def lock_clubs(tx: Tx, account_id: int) -> None:
    """Keep the account's clubs from changing until the transaction ends: no one may hand one over to it now."""
    memberships = select(Membership.club_id).where(Membership.account_id == account_id)
    tx.execute(select(Club.id).where(Club.id.in_(memberships)).order_by(Club.id).with_for_update())


def founded_clubs(tx: Tx, account_id: int) -> list[FoundedClub]:
    """Return the open clubs that the account founded."""
    rows = tx.execute(
        select(Club.slug, Club.name)
        .join(Membership, Membership.club_id == Club.id)
        .where(Membership.account_id == account_id, Membership.rank == "founder")
        .where(Club.closed_at.is_(None))
        .order_by(Club.id)
    )
    return [FoundedClub(*row) for row in rows]


def delete_personal_data(tx: Tx, account_id: int, address: str) -> None:
    """Delete what belongs to the account alone, and make the row that stays anonymous.

    Opt-outs stay: the address refuses emails, with or without an account.
    """
    for table in _OWN_TABLES:
        tx.execute(delete(table).where(table.account_id == account_id))
    tx.execute(delete(UnsubscribeToken).where(UnsubscribeToken.address == address.lower()))
    tx.execute(delete(SignIn).where(func.lower(SignIn.address) == address.lower()))
    tx.execute(delete(SignInPause).where(SignInPause.address == folded(address)))
    for invitation in (Invitation, ClubInvitation, SeatOffer):
        tx.execute(delete(invitation).where(func.lower(invitation.address) == address.lower()))
    _delete_own_invitations(tx, account_id)
    tx.execute(
        delete(SeatOffer).where(
            or_(SeatOffer.offered_by == account_id, SeatOffer.accepted_by == account_id)
        )
    )
    tx.execute(
        delete(Block).where(or_(Block.blocker_id == account_id, Block.blocked_id == account_id))
    )
    tx.execute(update(Report).where(Report.account_id == account_id).values(message_text=None))
    tx.execute(delete(Mute).where(or_(Mute.muter_id == account_id, Mute.muted_id == account_id)))
    _blank_names_of_tables(tx, account_id)
    _blank_names_in_games(tx, account_id)
    _blank_account(tx, account_id)


def _blank_account(tx: Tx, account_id: int) -> None:
    """Remove what the account itself says about the person."""
    tx.execute(
        update(Account)
        .where(Account.id == account_id)
        .values(
            address=None,
            name="",
            zone="UTC",
            is_moderator=False,
            reminder_hours=None,
            hold_minutes=0,
            wants_link_only=False,
            wants_every_email=False,
            moves_need_sign_in=False,
            wants_hints=True,
            bounce_score=0,
            bounced_at=None,
            bounce_reason=None,
            suppressed_until=None,
            wants_open_seats=False,
            informed_of_seats_at=None,
        )
    )


def _delete_own_invitations(tx: Tx, account_id: int) -> None:
    """Delete the invitations that the account sent and no one has accepted, with the addresses in them.

    Links of tables and clubs stay, because they belong to all who play there, and so do invitations to tables that others
    keep open, and those whose addresses are still to be informed that the table is cancelled.
    """
    for invitation in (Invitation, ClubInvitation):
        is_own_unaccepted_invitation = and_(
            invitation.invited_by == account_id,
            invitation.accepted_by.is_(None),
            invitation.address.is_not(None),
        )
        is_invitation_needed = _is_invitation_needed() if invitation is Invitation else false()
        tx.execute(delete(invitation).where(is_own_unaccepted_invitation, ~is_invitation_needed))


def _is_invitation_needed() -> ColumnElement[bool]:
    is_open = exists().where(Game.id == Invitation.game_id, _is_before_deal())
    is_pending = exists().where(
        Notification.kind == "table-cancelled",
        Notification.game_id == Invitation.game_id,
        Notification.dedup_key == Invitation.id,
        Notification.status == "pending",
    )
    return or_(is_open, is_pending)


def _blank_names_of_tables(tx: Tx, account_id: int) -> None:
    """Blank the account's name, and what it called the table, where a table has them from its host, also if a moderator has made another person the host."""
    own_name = select(Account.name).where(Account.id == account_id).scalar_subquery()
    names_at_table = [
        select(table.name).where(table.game_id == Game.id, table.account_id == account_id)
        for table in (Seat, Sitting)
    ]
    handed_over_game_ids = select(LedgerEntry.game_id).where(
        LedgerEntry.act == "hand-over-table",
        LedgerEntry.before["account_id"].as_integer() == account_id,
    )
    has_own_name = or_(
        Game.host_name == own_name, *(Game.host_name.in_(names) for names in names_at_table)
    )
    was_host = and_(Game.id.in_(handed_over_game_ids), has_own_name)
    tx.execute(
        update(Game)
        .where(or_(Game.host_id == account_id, was_host))
        .values(host_name="", table_name="")
    )


def _blank_names_in_games(tx: Tx, account_id: int) -> None:
    """Blank the account's name in its seats, also in open ones where it sat last, and in its former sittings."""
    later_sitting = aliased(Sitting)
    is_last = ~exists().where(
        later_sitting.game_id == Sitting.game_id,
        later_sitting.seat == Sitting.seat,
        later_sitting.number > Sitting.number,
    )
    has_sat_last = exists().where(
        Sitting.game_id == Seat.game_id,
        Sitting.seat == Seat.number,
        Sitting.account_id == account_id,
        is_last,
    )
    is_free = and_(Seat.account_id.is_(None), Seat.bot_name.is_(None))
    tx.execute(
        update(Seat)
        .where(or_(Seat.account_id == account_id, and_(is_free, has_sat_last)))
        .values(name="")
    )
    tx.execute(update(Seat).where(Seat.leaver_id == account_id).values(leaver_id=None))
    tx.execute(update(Sitting).where(Sitting.account_id == account_id).values(name=""))
