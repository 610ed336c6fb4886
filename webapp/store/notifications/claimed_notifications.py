"""Claimed notifications, with their recipients and what each kind of email needs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    FromClause,
    ScalarSelect,
    Select,
    and_,
    bindparam,
    exists,
    func,
    or_,
    outerjoin,
    select,
)
from sqlalchemy.orm import aliased

from webapp.store.schema.accounts import Account, SignIn
from webapp.store.schema.lobby import Invitation, Seat
from webapp.store.schema.notifications import Notification, OptOut
from webapp.store.schema.play import Game
from webapp.store.statements import Statement


class ClaimedNotification(msgspec.Struct, frozen=True):
    """A claimed notification with what its kind needs. Its repr hides everything that may contain live tokens."""

    id: int
    kind: str
    game_id: int | None
    seq: int | None
    account_id: int | None
    recipient_id: int | None
    """The recipient's account, also if the notification names none and the address turns out to have one."""
    dedup_key: int
    message_id: str | None
    message: bytes | None
    address: str
    """Empty if the recipient no longer exists."""
    name: str
    language: str
    zone: str
    nonce: bytes | None
    """Of the sign-in or the invitation that the email is about."""
    expires_at: datetime | None
    is_used: bool
    """Whether the sign-in was used, or the invitation accepted."""
    inviter: str | None
    has_newer: bool
    """Whether the recipient has a notification of a newer ready-check."""
    counterpart_sent_at: datetime | None
    """When the other email about the same turn was sent: the reminder for a turn's email, and the other way around."""
    opted_out: bool
    """Whether the address has opted out of such emails."""

    def __repr__(self) -> str:
        return f"<ClaimedNotification {self.id} {self.kind}>"


def read(connection: Connection, ids: Sequence[int]) -> tuple[ClaimedNotification, ...]:
    """Return claimed notifications with their recipients, in the order of their ids."""
    return tuple(
        ClaimedNotification(*row) for row in _READ_STATEMENT.run(connection, ids=list(ids))
    )


_inviter = aliased(Account, name="inviter")
_recipient = aliased(Account, name="recipient")
_is_seat_of_inviter = and_(
    Seat.game_id == Invitation.game_id, Seat.account_id == Invitation.invited_by
)
_is_hosted_by_inviter = and_(Game.id == Invitation.game_id, Game.host_id == Invitation.invited_by)


_given_address = func.coalesce(SignIn.address, Invitation.address)
_address = func.coalesce(Account.address, _given_address, "")


def _read_query() -> Select[*tuple[Any, ...]]:
    """Return the columns of ``ClaimedNotification``, in the order of its fields."""
    return (
        select(
            Notification.id,
            Notification.kind,
            Notification.game_id,
            Notification.seq,
            Notification.account_id,
            func.coalesce(Notification.account_id, _recipient.id),
            Notification.dedup_key,
            Notification.message_id,
            Notification.message,
            *_recipient_columns(),
            func.coalesce(SignIn.nonce, Invitation.nonce),
            SignIn.expires_at,
            or_(SignIn.used_at.is_not(None), Invitation.accepted_by.is_not(None)),
            func.coalesce(Seat.name, Game.host_name, _inviter.name),
            _has_newer(),
            _counterpart_sent_at(),
            _opted_out(_address),
        )
        .select_from(_notification_with_its_subject())
        .where(Notification.id == func.any(bindparam("ids", type_=ARRAY(BigInteger))))
        .order_by(Notification.id)
    )


def _recipient_columns() -> tuple[ColumnElement[str], ...]:
    """Return address, name, language and time zone."""
    language = func.coalesce(
        Account.language, _recipient.language, SignIn.language, _inviter.language, "en"
    )
    zone = func.coalesce(Account.zone, _recipient.zone, _inviter.zone, "UTC")
    return _address, func.coalesce(Account.name, ""), language, zone


def _notification_with_its_subject() -> FromClause:
    """Join notifications with their accounts, and with the sign-in or the invitation that they are about."""
    is_sign_in = and_(SignIn.id == Notification.dedup_key, Notification.kind == "sign-in")
    is_invitation = and_(Invitation.id == Notification.dedup_key, Notification.kind == "invitation")
    is_recipient = func.lower(_recipient.address) == func.lower(_given_address)
    return (
        outerjoin(Notification, Account, Account.id == Notification.account_id)
        .outerjoin(SignIn, is_sign_in)
        .outerjoin(Invitation, is_invitation)
        .outerjoin(_recipient, is_recipient)
        .outerjoin(_inviter, _inviter.id == Invitation.invited_by)
        .outerjoin(Seat, _is_seat_of_inviter)
        .outerjoin(Game, _is_hosted_by_inviter)
    )


def _has_newer() -> ColumnElement[bool]:
    newer = aliased(Notification, name="newer")
    return exists().where(
        Notification.kind == "ready-check",
        newer.game_id == Notification.game_id,
        newer.kind == Notification.kind,
        newer.account_id == Notification.account_id,
        newer.dedup_key > Notification.dedup_key,
    )


def _counterpart_sent_at() -> ScalarSelect[datetime | None]:
    other = aliased(Notification, name="other")
    is_reminder_of_turn = and_(Notification.kind == "your-turn", other.kind == "reminder")
    is_turn_of_reminder = and_(Notification.kind == "reminder", other.kind == "your-turn")
    return (
        select(func.max(other.settled_at))
        .where(or_(is_reminder_of_turn, is_turn_of_reminder))
        .where(other.game_id == Notification.game_id, other.seq == Notification.seq)
        .where(other.account_id == Notification.account_id, other.status == "sent")
        .scalar_subquery()
    )


def _opted_out(address: ColumnElement[str]) -> ColumnElement[bool]:
    covers = or_(
        OptOut.scope == "everything",
        and_(OptOut.scope == "game", OptOut.game_id == Notification.game_id),
        and_(OptOut.scope == "reminders", Notification.kind == "reminder"),
    )
    return exists().where(OptOut.address == func.lower(address), covers)


_READ_STATEMENT = Statement(_read_query())
