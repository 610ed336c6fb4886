"""The outbox: letters owed, claimed, read for sending, and settled."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import msgspec
from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    DateTime,
    Integer,
    LargeBinary,
    TableValuedAlias,
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
from sqlalchemy.types import TypeEngine

from webapp.store.schema.notifications import Notification
from webapp.store.statements import BinaryArray, Statement, given_rows

# Written out, not a parameter: only so does a prepared statement find the partial index.
_OWED = literal_column("'owed'", Text)
_FENCE: Final[dict[str, TypeEngine[Any]]] = {
    "ids": BigInteger(),
    "attempts": Integer(),
    "leases": DateTime(timezone=True),
}
"""What tells one claim from every other: a claim that was given back leaves its number of attempts to the next."""


class NewNotification(msgspec.Struct, frozen=True, kw_only=True):
    """A letter that is owed from now on."""

    kind: str
    game_id: int | None
    account_id: int | None
    occasion: int
    now: datetime
    seq: int | None = None


class ClaimRow(msgspec.Struct, frozen=True):
    """A letter that is ours until ``lease_until``. See ``_FENCE``."""

    id: int
    kind: str
    attempts: int
    lease_until: datetime


def owe(connection: Connection, letters: Sequence[NewNotification]) -> None:
    """Write letters into the outbox; one that is owed already is not owed twice."""
    if letters:
        connection.execute(
            insert(Notification).on_conflict_do_nothing(),
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


def last_dedup_key(connection: Connection, game_id: int, kind: str) -> int:
    """The highest number of an occasion on which a game owed letters of this kind; 0 when there was none."""
    number: int = connection.execute(
        select(func.coalesce(func.max(Notification.occasion), 0)).where(
            Notification.game_id == game_id, Notification.kind == kind
        )
    ).scalar_one()
    return number


def waiting(
    connection: Connection, game_id: int, kind: str, *, until: datetime
) -> frozenset[int | None]:
    """The accounts that are owed a letter of this kind which nobody has written yet, nor will before then."""
    rows = connection.execute(
        select(Notification.account_id)
        .where(
            Notification.game_id == game_id, Notification.kind == kind, Notification.status == _OWED
        )
        .where(Notification.message.is_(None), Notification.due_at > until)
    )
    return frozenset(rows.scalars())


def claim(
    connection: Connection, *, now: datetime, lease_until: datetime, limit: int
) -> tuple[ClaimRow, ...]:
    """Take letters that are due and that nobody else works on, the longest due first; a call goes before its reminder."""
    rows = _CLAIM.run(connection, now=now, lease_until=lease_until, limit=limit)
    return tuple(ClaimRow(*row) for row in rows)


def drop(connection: Connection, dropped: Sequence[tuple[ClaimRow, str]], *, now: datetime) -> None:
    """Settle claimed letters that are no longer true, each with its reason."""
    if dropped:
        claims, reasons = zip(*dropped, strict=True)
        _DROP.run(connection, **_fence(claims), reasons=list(reasons), now=now)


def keep(connection: Connection, kept: Sequence[tuple[ClaimRow, str, bytes]]) -> frozenset[int]:
    """Store the rendered bytes and Message-IDs of claimed letters; the ids of those that are still ours."""
    rows = _KEEP.run(
        connection,
        **_fence([claim for claim, _, _ in kept]),
        message_ids=[message_id for _, message_id, _ in kept],
        messages=BinaryArray(message for _, _, message in kept),
    )
    return frozenset(row[0] for row in rows)


def mark_sent(connection: Connection, ids: Sequence[int], *, now: datetime) -> None:
    """The relay took them. True even when the lease ran out meanwhile; then a double may follow."""
    _SENT.run(connection, ids=list(ids), now=now)


def postpone(
    connection: Connection, letter: ClaimRow, *, attempts: int, due_at: datetime, reason: str
) -> None:
    """Try again later, with the same bytes; ``attempts`` is how many of them count from now on."""
    connection.execute(
        _ours(letter).values(attempts=attempts, due_at=due_at, lease_until=None, reason=reason)
    )


def mark_dead(connection: Connection, letter: ClaimRow, *, reason: str, now: datetime) -> None:
    """Give up; nobody will need the bytes again."""
    connection.execute(
        _ours(letter).values(
            status="dead", lease_until=None, reason=reason, message=None, settled_at=now
        )
    )


def release(connection: Connection, letter: ClaimRow) -> None:
    """Give a claim back as if it had never been made."""
    connection.execute(_ours(letter).values(lease_until=None, attempts=Notification.attempts - 1))


def oldest_pending_since(connection: Connection) -> datetime | None:
    """Since when the oldest unsettled letter has been owed."""
    return connection.execute(
        select(func.min(Notification.owed_at)).where(Notification.status == _OWED)
    ).scalar_one()


def _fence(claims: Sequence[ClaimRow]) -> dict[str, list[Any]]:
    return {
        "ids": [claim.id for claim in claims],
        "attempts": [claim.attempts for claim in claims],
        "leases": [claim.lease_until for claim in claims],
    }


def _are_ours(given: TableValuedAlias) -> ColumnElement[bool]:
    return and_(
        Notification.id == given.c.ids,
        Notification.status == _OWED,
        Notification.attempts == given.c.attempts,
        Notification.lease_until == given.c.leases,
    )


def _ours(letter: ClaimRow) -> Update:
    return update(Notification).where(
        Notification.id == letter.id,
        Notification.status == _OWED,
        Notification.attempts == letter.attempts,
        Notification.lease_until == letter.lease_until,
    )


def _claiming() -> Statement:
    now = bindparam("now", type_=DateTime(timezone=True))
    due = (
        select(Notification.id)
        .where(Notification.status == _OWED, Notification.due_at <= now)
        .where(or_(Notification.lease_until.is_(None), Notification.lease_until <= now))
        .where(or_(Notification.kind != "reminder", ~_is_being_called(now)))
        .order_by(Notification.due_at)
        .limit(bindparam("limit", type_=Integer))
        .with_for_update(skip_locked=True)
    )
    return Statement(
        update(Notification)
        .where(Notification.id.in_(due))
        .values(
            lease_until=bindparam("lease_until", type_=DateTime(timezone=True)),
            attempts=Notification.attempts + 1,
        )
        .returning(
            Notification.id, Notification.kind, Notification.attempts, Notification.lease_until
        )
    )


def _is_being_called(now: ColumnElement[datetime]) -> ColumnElement[bool]:
    """Whether the call for the turn that a reminder is about is due as well, or in hand: it may remind well enough."""
    call = aliased(Notification, name="call")
    return exists().where(
        call.game_id == Notification.game_id,
        call.seq == Notification.seq,
        call.kind == "your-turn",
        call.account_id == Notification.account_id,
        call.status == _OWED,
        call.due_at <= now,
    )


def _dropping() -> Statement:
    given = given_rows(**_FENCE, reasons=Text())
    return Statement(
        update(Notification)
        .where(_are_ours(given))
        .values(
            status="dropped",
            reason=given.c.reasons,
            message=None,
            lease_until=None,
            settled_at=bindparam("now", type_=DateTime(timezone=True)),
        )
    )


def _keeping() -> Statement:
    given = given_rows(**_FENCE, message_ids=Text(), messages=LargeBinary())
    return Statement(
        update(Notification)
        .where(_are_ours(given))
        .values(message_id=given.c.message_ids, message=given.c.messages)
        .returning(Notification.id)
    )


_CLAIM = _claiming()
_DROP = _dropping()
_KEEP = _keeping()
_SENT = Statement(
    update(Notification)
    .where(
        Notification.id == func.any(bindparam("ids", type_=ARRAY(BigInteger))),
        Notification.status == _OWED,
    )
    .values(
        status="sent",
        message=None,
        lease_until=None,
        settled_at=bindparam("now", type_=DateTime(timezone=True)),
    )
)
