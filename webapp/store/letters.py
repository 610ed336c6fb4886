"""The outbox: letters owed, claimed, read for sending, and settled."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    DateTime,
    Integer,
    LargeBinary,
    Select,
    Text,
    Update,
    and_,
    bindparam,
    exists,
    func,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased

from webapp.store.models import Account, Invitation, Letter, OptOut, Seat, SignIn
from webapp.store.statements import Statement, given_rows

# Written out, not a parameter: only so does a prepared statement find the partial index.
_OWED = literal_column("'owed'", Text)


class NewLetter(msgspec.Struct, frozen=True, kw_only=True):
    """A letter that is owed from now on."""

    kind: str
    game_id: int | None
    account_id: int | None
    occasion: int
    now: datetime
    seq: int | None = None


class ClaimRow(msgspec.Struct, frozen=True):
    """A letter that is ours until ``lease_until``; the number of attempts tells one claim from the next."""

    id: int
    kind: str
    attempts: int
    lease_until: datetime


class LetterRow(msgspec.Struct, frozen=True):
    """A claimed letter with what its kind needs. May hold live tokens; blank in tracebacks."""

    id: int
    kind: str
    game_id: int | None
    seq: int | None
    account_id: int | None
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
    muted: bool
    """The address wants no such letters."""

    def __repr__(self) -> str:
        return f"<LetterRow {self.id} {self.kind}>"


def owe(connection: Connection, letters: Sequence[NewLetter]) -> None:
    """Write letters into the outbox; one that is owed already is not owed twice."""
    if letters:
        connection.execute(
            insert(Letter).on_conflict_do_nothing(),
            [
                {
                    "kind": letter.kind,
                    "game_id": letter.game_id,
                    "seq": letter.seq,
                    "account_id": letter.account_id,
                    "occasion": letter.occasion,
                    "owed_at": letter.now,
                    "due_at": letter.now,
                }
                for letter in letters
            ],
        )


def claim(
    connection: Connection, *, now: datetime, lease_until: datetime, limit: int
) -> tuple[ClaimRow, ...]:
    """Take letters that are due and that nobody else works on, the longest due first."""
    rows = _CLAIM.run(connection, now=now, lease_until=lease_until, limit=limit)
    return tuple(ClaimRow(*row) for row in rows)


def read(connection: Connection, ids: Sequence[int]) -> tuple[LetterRow, ...]:
    """Claimed letters with their recipients, in the order of their ids."""
    return tuple(LetterRow(*row) for row in _READ.run(connection, ids=list(ids)))


def drop(connection: Connection, dropped: Sequence[tuple[int, str]], *, now: datetime) -> None:
    """Settle letters that are no longer true, each with its reason."""
    if dropped:
        ids, reasons = zip(*dropped, strict=True)
        _DROP.run(connection, ids=list(ids), reasons=list(reasons), now=now)


def keep(connection: Connection, kept: Sequence[tuple[ClaimRow, str, bytes]]) -> frozenset[int]:
    """Store the rendered bytes and Message-IDs of claimed letters; the ids of those that are still ours."""
    rows = _KEEP.run(
        connection,
        ids=[claim.id for claim, _, _ in kept],
        attempts=[claim.attempts for claim, _, _ in kept],
        message_ids=[message_id for _, message_id, _ in kept],
        messages=[message for _, _, message in kept],
    )
    return frozenset(row[0] for row in rows)


def settle_sent(connection: Connection, ids: Sequence[int], *, now: datetime) -> None:
    """The relay took them. True even when the lease ran out meanwhile; then a double may follow."""
    _SENT.run(connection, ids=list(ids), now=now)


def put_off(connection: Connection, letter: ClaimRow, *, due_at: datetime, reason: str) -> None:
    """Try again later, with the same bytes."""
    connection.execute(_ours(letter).values(due_at=due_at, lease_until=None, reason=reason))


def settle_dead(connection: Connection, letter: ClaimRow, *, reason: str, now: datetime) -> None:
    """Give up; nobody will need the bytes again."""
    connection.execute(
        _ours(letter).values(
            status="dead", lease_until=None, reason=reason, message=None, settled_at=now
        )
    )


def release(connection: Connection, letter: ClaimRow) -> None:
    """Give a claim back as if it had never been made."""
    connection.execute(_ours(letter).values(lease_until=None, attempts=Letter.attempts - 1))


def owed_since(connection: Connection, letter_id: int) -> datetime:
    return connection.execute(select(Letter.owed_at).where(Letter.id == letter_id)).scalar_one()


def oldest_owed(connection: Connection) -> datetime | None:
    """Since when the oldest unsettled letter has been owed."""
    return connection.execute(
        select(func.min(Letter.owed_at)).where(Letter.status == _OWED)
    ).scalar_one()


def _ours(letter: ClaimRow) -> Update:
    return update(Letter).where(
        Letter.id == letter.id, Letter.status == _OWED, Letter.attempts == letter.attempts
    )


def _claiming() -> Statement:
    now = bindparam("now", type_=DateTime(timezone=True))
    due = (
        select(Letter.id)
        .where(Letter.status == _OWED, Letter.due_at <= now)
        .where(or_(Letter.lease_until.is_(None), Letter.lease_until <= now))
        .order_by(Letter.due_at)
        .limit(bindparam("limit", type_=Integer))
        .with_for_update(skip_locked=True)
    )
    return Statement(
        update(Letter)
        .where(Letter.id.in_(due))
        .values(
            lease_until=bindparam("lease_until", type_=DateTime(timezone=True)),
            attempts=Letter.attempts + 1,
        )
        .returning(Letter.id, Letter.kind, Letter.attempts, Letter.lease_until)
    )


_inviter = aliased(Account, name="inviter")
_is_seat_of_inviter = and_(
    Seat.game_id == Invitation.game_id, Seat.account_id == Invitation.invited_by
)


def _reading() -> Select[*tuple[Any, ...]]:
    address = func.coalesce(Account.address, SignIn.address, Invitation.address, "")
    return (
        select(
            Letter.id,
            Letter.kind,
            Letter.game_id,
            Letter.seq,
            Letter.account_id,
            Letter.occasion,
            Letter.message_id,
            Letter.message,
            address,
            func.coalesce(Account.name, ""),
            func.coalesce(Account.language, SignIn.language, _inviter.language, "en"),
            func.coalesce(Account.zone, _inviter.zone, "UTC"),
            func.coalesce(SignIn.nonce, Invitation.nonce),
            SignIn.expires_at,
            or_(SignIn.used_at.is_not(None), Invitation.accepted_by.is_not(None)),
            func.coalesce(Seat.name, _inviter.name),
            _muted(address),
        )
        .select_from(Letter)
        .outerjoin(Account, Account.id == Letter.account_id)
        .outerjoin(SignIn, and_(SignIn.id == Letter.occasion, Letter.kind == "sign-in"))
        .outerjoin(Invitation, and_(Invitation.id == Letter.occasion, Letter.kind == "invitation"))
        .outerjoin(_inviter, _inviter.id == Invitation.invited_by)
        .outerjoin(Seat, _is_seat_of_inviter)
        .where(Letter.id == func.any(bindparam("ids", type_=ARRAY(BigInteger))))
        .order_by(Letter.id)
    )


def _muted(address: ColumnElement[str]) -> ColumnElement[bool]:
    touches = or_(
        OptOut.scope == "everything",
        and_(OptOut.scope == "game", OptOut.game_id == Letter.game_id),
        and_(OptOut.scope == "reminders", Letter.kind == "reminder"),
    )
    return exists().where(OptOut.address == func.lower(address), touches)


def _dropping() -> Statement:
    given = given_rows(ids=BigInteger(), reasons=Text())
    return Statement(
        update(Letter)
        .where(Letter.id == given.c.ids, Letter.status == _OWED)
        .values(
            status="dropped",
            reason=given.c.reasons,
            message=None,
            lease_until=None,
            settled_at=bindparam("now", type_=DateTime(timezone=True)),
        )
    )


def _keeping() -> Statement:
    given = given_rows(
        ids=BigInteger(), attempts=Integer(), message_ids=Text(), messages=LargeBinary()
    )
    return Statement(
        update(Letter)
        .where(Letter.id == given.c.ids, Letter.attempts == given.c.attempts)
        .where(Letter.status == _OWED)
        .values(message_id=given.c.message_ids, message=given.c.messages)
        .returning(Letter.id)
    )


_CLAIM = _claiming()
_READ = Statement(_reading())
_DROP = _dropping()
_KEEP = _keeping()
_SENT = Statement(
    update(Letter)
    .where(Letter.id == func.any(bindparam("ids", type_=ARRAY(BigInteger))), Letter.status == _OWED)
    .values(
        status="sent",
        message=None,
        lease_until=None,
        settled_at=bindparam("now", type_=DateTime(timezone=True)),
    )
)
