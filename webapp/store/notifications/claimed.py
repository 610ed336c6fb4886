"""Claimed letters, with their recipients and what each kind needs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    ScalarSelect,
    Select,
    and_,
    bindparam,
    exists,
    func,
    or_,
    select,
)
from sqlalchemy.orm import aliased

from webapp.store.schema.accounts import Account, SignIn
from webapp.store.schema.lobby import Invitation, Seat
from webapp.store.schema.notifications import Notification, OptOut
from webapp.store.schema.play import Game
from webapp.store.statements import Statement


class ClaimedNotification(msgspec.Struct, frozen=True):
    """A claimed letter with what its kind needs. May hold live tokens; blank in tracebacks."""

    id: int
    kind: str
    game_id: int | None
    seq: int | None
    account_id: int | None
    reader_id: int | None
    """The account that reads it: also where the letter names none, and the address turns out to have one."""
    occasion: int
    message_id: str | None
    message: bytes | None
    address: str
    """Empty when there is nobody to write to any more."""
    name: str
    language: str
    zone: str
    nonce: bytes | None
    """Of the sign-in or the invitation that the letter is about."""
    expires_at: datetime | None
    spent: bool
    """The sign-in was used, or the invitation accepted."""
    inviter: str | None
    superseded: bool
    """A newer ready-check was called, and its letter is owed to the same person."""
    told_at: datetime | None
    """When the other letter about the same turn was sent, if this is a call for it or a reminder."""
    muted: bool
    """The address wants no such letters."""

    def __repr__(self) -> str:
        return f"<ClaimedNotification {self.id} {self.kind}>"


def read(connection: Connection, ids: Sequence[int]) -> tuple[ClaimedNotification, ...]:
    """Claimed letters with their recipients, in the order of their ids."""
    return tuple(ClaimedNotification(*row) for row in _READ.run(connection, ids=list(ids)))


_inviter = aliased(Account, name="inviter")
_reader = aliased(Account, name="reader")
_is_seat_of_inviter = and_(
    Seat.game_id == Invitation.game_id, Seat.account_id == Invitation.invited_by
)
_is_hosted_by_inviter = and_(Game.id == Invitation.game_id, Game.host_id == Invitation.invited_by)


def _reading() -> Select[*tuple[Any, ...]]:
    written = func.coalesce(SignIn.address, Invitation.address)
    address = func.coalesce(Account.address, written, "")
    return (
        select(
            Notification.id,
            Notification.kind,
            Notification.game_id,
            Notification.seq,
            Notification.account_id,
            func.coalesce(Notification.account_id, _reader.id),
            Notification.occasion,
            Notification.message_id,
            Notification.message,
            address,
            func.coalesce(Account.name, ""),
            func.coalesce(
                Account.language, _reader.language, SignIn.language, _inviter.language, "en"
            ),
            func.coalesce(Account.zone, _reader.zone, _inviter.zone, "UTC"),
            func.coalesce(SignIn.nonce, Invitation.nonce),
            SignIn.expires_at,
            or_(SignIn.used_at.is_not(None), Invitation.accepted_by.is_not(None)),
            func.coalesce(Seat.name, Game.host_name, _inviter.name),
            _is_superseded(),
            _told_at(),
            _muted(address),
        )
        .select_from(Notification)
        .outerjoin(Account, Account.id == Notification.account_id)
        .outerjoin(SignIn, and_(SignIn.id == Notification.occasion, Notification.kind == "sign-in"))
        .outerjoin(
            Invitation,
            and_(Invitation.id == Notification.occasion, Notification.kind == "invitation"),
        )
        .outerjoin(_reader, func.lower(_reader.address) == func.lower(written))
        .outerjoin(_inviter, _inviter.id == Invitation.invited_by)
        .outerjoin(Seat, _is_seat_of_inviter)
        .outerjoin(Game, _is_hosted_by_inviter)
        .where(Notification.id == func.any(bindparam("ids", type_=ARRAY(BigInteger))))
        .order_by(Notification.id)
    )


def _is_superseded() -> ColumnElement[bool]:
    newer = aliased(Notification, name="newer")
    return exists().where(
        Notification.kind == "ready-check",
        newer.game_id == Notification.game_id,
        newer.kind == Notification.kind,
        newer.account_id == Notification.account_id,
        newer.occasion > Notification.occasion,
    )


def _told_at() -> ScalarSelect[datetime | None]:
    other = aliased(Notification, name="other")
    call_and_reminder = and_(Notification.kind == "your-turn", other.kind == "reminder")
    reminder_and_call = and_(Notification.kind == "reminder", other.kind == "your-turn")
    return (
        select(func.max(other.settled_at))
        .where(or_(call_and_reminder, reminder_and_call))
        .where(other.game_id == Notification.game_id, other.seq == Notification.seq)
        .where(other.account_id == Notification.account_id, other.status == "sent")
        .scalar_subquery()
    )


def _muted(address: ColumnElement[str]) -> ColumnElement[bool]:
    touches = or_(
        OptOut.scope == "everything",
        and_(OptOut.scope == "game", OptOut.game_id == Notification.game_id),
        and_(OptOut.scope == "reminders", Notification.kind == "reminder"),
    )
    return exists().where(OptOut.address == func.lower(address), touches)


_READ = Statement(_reading())
