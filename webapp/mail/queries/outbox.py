"""The outbox: notifications are queued, claimed, given their message, and settled. Every update checks the claim."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    DateTime,
    Executable,
    Integer,
    LargeBinary,
    TableValuedAlias,
    Text,
    Update,
    and_,
    bindparam,
    delete,
    exists,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased
from sqlalchemy.types import TypeEngine

from webapp.kernel.database import BinaryArray
from webapp.kernel.keyring import local_part_of
from webapp.kernel.statements import Statement, array_rows, is_one_of
from webapp.kernel.tx import Tx
from webapp.logs.fields import current_request_id
from webapp.mail.schema import Notification, StoredMessage
from webapp.operations.schema import EmailHold

# A literal, not a parameter: only then does a prepared statement use the partial index.
_PENDING = literal_column("'pending'", Text)
_CLAIM_COLUMNS: Final[dict[str, TypeEngine[Any]]] = {
    "ids": BigInteger(),
    "attempts": Integer(),
    "leases": DateTime(timezone=True),
}
"""The columns that identify one claim. The attempts alone do not: a released claim leaves their number to the next."""


class NewNotification(msgspec.Struct, frozen=True, kw_only=True):
    """An email to be sent at ``due_at`` or later."""

    kind: str
    game_id: int | None
    account_id: int | None
    dedup_key: int
    due_at: datetime
    seq: int | None = None


class Claim(msgspec.Struct, frozen=True):
    """A notification that one worker may deliver until ``lease_until``. See ``_CLAIM_COLUMNS``."""

    id: int
    kind: str
    attempts: int
    lease_until: datetime
    request_id: str | None = None
    """The id of the request that caused it, for the log."""


class Delay(NamedTuple):
    """Why an email was not sent, and when that was tried."""

    cause: str
    reason: str
    at: datetime


def enqueue(tx: Tx, notifications: Sequence[NewNotification]) -> None:
    """Insert notifications, and nudge workers if one is due now; one that is already there is not inserted again."""
    if any(notification.due_at <= tx.now for notification in notifications):
        tx.nudges.add("emails")
    if notifications:
        tx.execute(
            insert(Notification).on_conflict_do_nothing(),
            [
                {
                    "kind": notification.kind,
                    "game_id": notification.game_id,
                    "seq": notification.seq,
                    "account_id": notification.account_id,
                    "dedup_key": notification.dedup_key,
                    "first_due_at": notification.due_at,
                    "due_at": notification.due_at,
                    "request_id": current_request_id(),
                }
                for notification in notifications
            ],
        )


def claim(tx: Tx, *, lease_until: datetime, limit: int) -> tuple[Claim, ...]:
    """Claim notifications that are due and not leased, the longest due first; a turn's email goes before its reminder."""
    rows = _CLAIM_STATEMENT.run(tx, now=tx.now, lease_until=lease_until, limit=limit)
    return tuple(Claim(*row) for row in rows)


def store_messages(tx: Tx, messages: Sequence[tuple[Claim, bytes]]) -> frozenset[int]:
    """Store the messages of claimed notifications; return the ids of those whose claims still hold."""
    rows = _STORE_MESSAGES_STATEMENT.run(
        tx,
        **_claim_parameters([claim for claim, _ in messages]),
        messages=BinaryArray(message for _, message in messages),
    )
    return frozenset(row[0] for row in rows)


def mark_dropped(tx: Tx, dropped_claims: Sequence[tuple[Claim, str]]) -> None:
    """Settle claimed notifications that are superseded, each with its reason."""
    if dropped_claims:
        claims, reasons = zip(*dropped_claims, strict=True)
        _MARK_DROPPED_STATEMENT.run(
            tx, **_claim_parameters(claims), reasons=list(reasons), now=tx.now
        )


def mark_sent(tx: Tx, sent_claims: Sequence[tuple[Claim, str]]) -> None:
    """Settle notifications that the relay accepted, each with its Message-ID, even if their leases have expired; then a duplicate may follow."""
    ids = [claim.id for claim, _ in sent_claims]
    _MARK_SENT_STATEMENT.run(
        tx,
        ids=ids,
        message_ids=[local_part_of(message_id) for _, message_id in sent_claims],
        now=tx.now,
    )
    # A statement of its own: it sees what another worker has stored while that one waited for its rows.
    erase_messages(tx, ids)


def erase_messages(tx: Tx, ids: Sequence[int]) -> None:
    """Erase the messages of these emails, if there are any."""
    _ERASE_MESSAGES_STATEMENT.run(tx, ids=list(ids))


def mark_failed(tx: Tx, claim: Claim, *, reason: str) -> None:
    """Settle a notification that is given up, and erase its message."""
    tx.execute(
        _erasing_messages(
            _update_claimed(claim).values(
                status="failed", lease_until=None, reason=reason, settled_at=tx.now
            )
        )
    )


def postpone(tx: Tx, claim: Claim, delay: Delay, *, attempts: int, due_at: datetime) -> None:
    """Retry later with the same message; ``attempts`` is the number that counts from now on."""
    tx.execute(
        _update_claimed(claim).values(
            attempts=attempts,
            due_at=due_at,
            lease_until=None,
            reason=delay.reason,
            delay_cause=delay.cause,
            attempted_at=delay.at,
        )
    )


def postpone_for_recipients(tx: Tx, rows: Sequence[tuple[Claim, datetime]]) -> None:
    """Undo claims, and let each email wait for its recipient; one statement for all."""
    if rows:
        claims, instants = zip(*rows, strict=True)
        _POSTPONE_FOR_RECIPIENTS_STATEMENT.run(
            tx, **_claim_parameters(claims), quiet_until=list(instants)
        )


def release_claim(tx: Tx, claim: Claim) -> None:
    """Undo a claim."""
    tx.execute(_update_claimed(claim).values(lease_until=None, attempts=Notification.attempts - 1))


def _claim_parameters(claims: Sequence[Claim]) -> dict[str, list[Any]]:
    return {
        "ids": [claim.id for claim in claims],
        "attempts": [claim.attempts for claim in claims],
        "leases": [claim.lease_until for claim in claims],
    }


def _is_still_claimed(parameter_rows: TableValuedAlias) -> ColumnElement[bool]:
    return and_(
        Notification.id == parameter_rows.c.ids,
        Notification.status == _PENDING,
        Notification.attempts == parameter_rows.c.attempts,
        Notification.lease_until == parameter_rows.c.leases,
    )


def _update_claimed(claim: Claim) -> Update:
    return update(Notification).where(
        Notification.id == claim.id,
        Notification.status == _PENDING,
        Notification.attempts == claim.attempts,
        Notification.lease_until == claim.lease_until,
    )


def _erasing_messages(settlement: Update) -> Executable:
    """Return a statement that settles claimed emails and erases their messages."""
    settled = settlement.returning(Notification.id).cte("settled")
    return delete(StoredMessage).where(StoredMessage.notification_id == settled.c.id)


def _claim_statement() -> Executable:
    now = bindparam("now", type_=DateTime(timezone=True))
    due_notifications = (
        select(Notification.id)
        .where(Notification.status == _PENDING, Notification.due_at <= now, ~exists(EmailHold.id))
        .where(or_(Notification.lease_until.is_(None), Notification.lease_until <= now))
        .where(or_(Notification.kind != "reminder", ~_turn_email_is_due(now)))
        .order_by(Notification.due_at, Notification.id)
        .limit(bindparam("limit", type_=Integer))
        .with_for_update(skip_locked=True)
    )
    return (
        update(Notification)
        .where(Notification.id.in_(due_notifications))
        .values(
            lease_until=bindparam("lease_until", type_=DateTime(timezone=True)),
            attempts=Notification.attempts + 1,
        )
        .returning(*(Notification.__table__.c[name] for name in Claim.__struct_fields__))
    )


def _turn_email_is_due(now: ColumnElement[datetime]) -> ColumnElement[bool]:
    """Return whether the turn's first email is due as well or being sent: if it is sent now, the reminder is superfluous."""
    first_email = aliased(Notification, name="first_email")
    return exists().where(
        first_email.game_id == Notification.game_id,
        first_email.seq == Notification.seq,
        first_email.kind == "your-turn",
        first_email.account_id == Notification.account_id,
        first_email.status == _PENDING,
        first_email.due_at <= now,
    )


def _mark_dropped_statement() -> Executable:
    parameter_rows = array_rows(**_CLAIM_COLUMNS, reasons=Text())
    return _erasing_messages(
        update(Notification)
        .where(_is_still_claimed(parameter_rows))
        .values(
            status="dropped",
            reason=parameter_rows.c.reasons,
            lease_until=None,
            settled_at=bindparam("now", type_=DateTime(timezone=True)),
        )
    )


def _postpone_for_recipients_statement() -> Executable:
    parameter_rows = array_rows(**_CLAIM_COLUMNS, quiet_until=DateTime(timezone=True))
    quiet_until = parameter_rows.c.quiet_until
    return (
        update(Notification)
        .where(_is_still_claimed(parameter_rows))
        .values(
            due_at=quiet_until,
            quiet_until=quiet_until,
            lease_until=None,
            attempts=Notification.attempts - 1,
        )
    )


def _store_messages_statement() -> Executable:
    parameter_rows = array_rows(**_CLAIM_COLUMNS, messages=LargeBinary())
    held_claims = (
        select(Notification.id, parameter_rows.c.messages)
        .where(_is_still_claimed(parameter_rows))
        .with_for_update(of=Notification, key_share=True)
    )
    stored = insert(StoredMessage).from_select(["notification_id", "message"], held_claims)
    return stored.on_conflict_do_update(
        index_elements=["notification_id"], set_={"message": stored.excluded.message}
    ).returning(StoredMessage.notification_id)


def _mark_sent_statement() -> Executable:
    parameter_rows = array_rows(ids=BigInteger(), message_ids=Text())
    return (
        update(Notification)
        .where(Notification.id == parameter_rows.c.ids, Notification.status == _PENDING)
        .values(
            status="sent",
            message_id=parameter_rows.c.message_ids,
            lease_until=None,
            settled_at=bindparam("now", type_=DateTime(timezone=True)),
        )
    )


_CLAIM_STATEMENT = Statement(_claim_statement)
_ERASE_MESSAGES_STATEMENT = Statement(
    lambda: delete(StoredMessage).where(is_one_of(StoredMessage.notification_id, "ids"))
)
_MARK_DROPPED_STATEMENT = Statement(_mark_dropped_statement)
_POSTPONE_FOR_RECIPIENTS_STATEMENT = Statement(_postpone_for_recipients_statement)
_STORE_MESSAGES_STATEMENT = Statement(_store_messages_statement)
_MARK_SENT_STATEMENT = Statement(_mark_sent_statement)
