"""Emails that the server receives, and the tokens of the addresses to which they are sent."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec
from sqlalchemy import Row, delete, func, join, select, update
from sqlalchemy.dialects.postgresql import insert

from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.mail.queries.email_facts import DEDUP_KEY, FactsQuery
from webapp.mail.schema import InboundEmail, Notification, ReplyToken
from webapp.play.schema import Game


class ReplyTokenRow(Redacted, frozen=True, kw_only=True):
    """The player who answers, the game, and the turn."""

    token_hash: bytes
    account_id: int
    game_id: int
    seq: int


class NewInboundEmail(Redacted, frozen=True, kw_only=True):
    """A received email that is to be stored; the digests are those of its recipient with the whole message, and with the Message-ID."""

    digest: bytes
    message_id_digest: bytes | None
    token_hash: bytes | None
    notification_id: int | None
    is_vouched: bool
    message: bytes
    received_at: datetime


class InboundEmailRow(Redacted, frozen=True):
    """A received email that is not settled yet."""

    id: int
    token_hash: bytes | None
    """The hash of the token in the address for answers to which it was sent."""
    notification_id: int | None
    """The email whose delivery it is about, if it was sent to the envelope sender."""
    received_at: datetime
    is_vouched: bool
    message: bytes


def store_tokens(tx: Tx, rows: Sequence[ReplyTokenRow]) -> None:
    """Store the tokens of emails that are about to be sent; those already stored stay unchanged."""
    if rows:
        # In one order: two senders may store the same tokens, and would deadlock.
        ordered_rows = sorted(rows, key=lambda row: row.token_hash)
        values = [{name: getattr(row, name) for name in _TOKEN_FIELDS} for row in ordered_rows]
        tx.execute(insert(ReplyToken).values(values).on_conflict_do_nothing())


def find_token(tx: Tx, token_hash: bytes) -> tuple[ReplyTokenRow, str] | None:
    """Return what a token for answers is for, and the slug of its game; None if it was never issued, or its game ended long ago."""
    row = tx.execute(
        select(*(getattr(ReplyToken, name) for name in _TOKEN_FIELDS), Game.slug)
        .join(Game, Game.id == ReplyToken.game_id)
        .where(ReplyToken.token_hash == token_hash)
    ).first()
    if row is None:
        return None
    return ReplyTokenRow(**dict(zip(_TOKEN_FIELDS, row[:-1], strict=True))), row[-1]


def add(tx: Tx, email: NewInboundEmail) -> bool:
    """Store a received email, and return whether it is new: one that comes again changes nothing, not even while the first is being stored."""
    statement = insert(InboundEmail).values(msgspec.structs.asdict(email))
    new_rows = tx.execute(statement.on_conflict_do_nothing().returning(InboundEmail.id))
    return new_rows.first() is not None


def next_waiting(tx: Tx) -> InboundEmailRow | None:
    """Return the oldest email that waits and that no other transaction settles; None if there is none."""
    query = _WAITING.order_by(InboundEmail.id).limit(1).with_for_update(skip_locked=True)
    return _waiting_row(tx.execute(query).first())


def lock(tx: Tx, email_id: int) -> InboundEmailRow | None:
    """Lock an email that waits; None if it is settled, or another transaction settles it."""
    query = _WAITING.where(InboundEmail.id == email_id).with_for_update(skip_locked=True)
    return _waiting_row(tx.execute(query).first())


def _waiting_row(
    row: Row[int, bytes | None, int | None, datetime, bool, bytes | None] | None,
) -> InboundEmailRow | None:
    return None if row is None else InboundEmailRow(*row[:-1], row[-1] or b"")


def settle(
    tx: Tx,
    email_id: int,
    *,
    account_id: int | None,
    is_proven: bool | None,
    outcome: str,
) -> None:
    """Record the outcome of a locked email, and erase its message."""
    tx.execute(
        update(InboundEmail)
        .where(InboundEmail.id == email_id)
        .values(
            message=None,
            settled_at=tx.now,
            account_id=account_id,
            is_proven=is_proven,
            outcome=outcome,
        )
    )


def count_answered(tx: Tx, account_id: int, *, is_proven: bool, since: datetime) -> int:
    """Return how many emails were answered to this person since then: those proven to come from them, or the others."""
    query = select(func.count()).where(
        InboundEmail.account_id == account_id,
        InboundEmail.settled_at >= since,
        InboundEmail.is_proven.is_not(False) if is_proven else InboundEmail.is_proven.is_(False),
    )
    return tx.execute(query).scalar_one()


def read_outcomes(tx: Tx, ids: Sequence[int]) -> dict[int, str]:
    """Return the outcomes of the emails that notifications answer."""
    return _OUTCOMES.run(tx, ids, str)


def delete_old_emails(tx: Tx, before: datetime) -> int:
    """Delete emails that were settled before this instant; return how many there were."""
    return tx.execute(delete(InboundEmail).where(InboundEmail.settled_at < before)).rowcount


def delete_old_tokens(tx: Tx, before: datetime) -> int:
    """Delete the tokens of games that ended before this instant; return how many there were."""
    ended_games = select(Game.id).where(Game.ended_at < before)
    return tx.execute(delete(ReplyToken).where(ReplyToken.game_id.in_(ended_games))).rowcount


_WAITING: Final = select(
    InboundEmail.id,
    InboundEmail.token_hash,
    InboundEmail.notification_id,
    InboundEmail.received_at,
    InboundEmail.is_vouched,
    InboundEmail.message,
).where(InboundEmail.settled_at.is_(None))
_TOKEN_FIELDS: Final = ReplyTokenRow.__struct_fields__
_OUTCOMES: Final = FactsQuery(
    lambda: select(Notification.id, InboundEmail.outcome).select_from(
        join(Notification, InboundEmail, InboundEmail.id == DEDUP_KEY)
    )
)
