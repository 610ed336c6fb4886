"""Messages to a table: the latest ones as a column of its page, and each of them stored, changed and read."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Executable,
    SQLColumnExpression,
    Text,
    and_,
    bindparam,
    cast,
    exists,
    func,
    insert,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by

from webapp.accounts.schema import Account, Mute
from webapp.kernel.json_columns import decode_rows
from webapp.kernel.redacted import Redacted
from webapp.kernel.rights import SiteRight
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Seat
from webapp.moderation.schema import LedgerEntry
from webapp.play.schema import Game, Message

_account_id: ColumnElement[int] = bindparam("account_id", type_=BigInteger)


LATEST_COUNT: Final = 10
"""How many messages a table page and an email show."""


class MessageRow(Redacted, frozen=True, array_like=True):
    """A message; the fields mean what the columns of ``Message`` mean."""

    number: int
    account_id: int
    seat: int
    name: str
    seq: int
    text: str
    at: datetime
    edited_at: datetime | None
    removed_at: datetime | None


class NewMessage(Redacted, frozen=True, kw_only=True):
    """A message to be stored."""

    game_id: int
    number: int
    account_id: int
    seat: int
    name: str
    seq: int
    text: str
    at: datetime
    form_id: str


class AuthorRow(Redacted, frozen=True):
    """Who wrote a message; the name is empty once their account is deleted."""

    account_id: int
    name: str


class TalkFacts(Redacted, frozen=True):
    """What decides whether one more message of a person is stored."""

    newest_number: int
    recent_count: int
    """How many the person has sent to this table lately."""
    is_repeated: bool
    """Whether the same form was sent before."""
    muted_until: datetime | None
    """The time until which a moderator lets the person write nothing."""
    ended_at: datetime | None
    """When the game ended."""


_COLUMNS: Final = (
    Message.number,
    Message.account_id,
    Message.seat,
    Message.name,
    Message.seq,
    Message.text,
    Message.at,
    Message.edited_at,
    Message.removed_at,
)


def latest_messages_json(
    game_id: SQLColumnExpression[int], viewer_id: SQLColumnExpression[Any]
) -> ColumnElement[str | None]:
    """Return a subquery for the latest messages of a game that a viewer reads."""
    latest = (
        select(*_COLUMNS)
        .where(Message.game_id == game_id, _is_shown_to(viewer_id))
        .order_by(Message.number.desc())
        .limit(LATEST_COUNT)
        .correlate_except(Message, Mute)
        .lateral("latest_message")
    )
    rows = func.json_agg(aggregate_order_by(func.json_build_array(*latest.c), latest.c.number))
    return select(cast(rows, Text)).select_from(latest).scalar_subquery()


def latest_messages_at(
    tx: Tx, readers: Collection[tuple[int, int]]
) -> dict[tuple[int, int], tuple[MessageRow, ...]]:
    """Return the latest messages for each of these pairs of a game and an account that has a seat in it, in one statement."""
    if not readers:
        return {}
    rows = tx.execute(
        select(
            Seat.game_id, Seat.account_id, latest_messages_json(Seat.game_id, Seat.account_id)
        ).where(tuple_(Seat.game_id, Seat.account_id).in_(readers))
    )
    return {
        (game_id, account_id or 0): decode_rows(text, MessageRow)
        for game_id, account_id, text in rows
    }


def messages_between(
    tx: Tx, game_id: int, viewer_id: int, *, first_seq: int, last_seq: int
) -> tuple[MessageRow, ...]:
    """Return the messages that were written after these turns and that the viewer reads, oldest first."""
    rows = tx.execute(
        select(*_COLUMNS)
        .where(Message.game_id == game_id, Message.seq.between(first_seq, last_seq))
        .where(_is_shown_to(viewer_id))
        .order_by(Message.seq, Message.number)
    )
    return tuple(MessageRow(*row) for row in rows)


def find(tx: Tx, game_id: int, viewer_id: int, number: int) -> MessageRow | None:
    """Return one message that the viewer reads."""
    row = tx.execute(
        select(*_COLUMNS)
        .where(Message.game_id == game_id, Message.number == number)
        .where(_is_shown_to(viewer_id))
    ).first()
    return None if row is None else MessageRow(*row)


def find_own(tx: Tx, game_id: int, account_id: int, number: int) -> MessageRow | None:
    """Return a message of this author, also one that was deleted or removed."""
    row = tx.execute(
        select(*_COLUMNS)
        .where(Message.game_id == game_id, Message.number == number)
        .where(Message.account_id == account_id)
    ).first()
    return None if row is None else MessageRow(*row)


def find_author(tx: Tx, game_id: int, number: int) -> AuthorRow | None:
    """Return who wrote a message, for anyone who could read it if they had not muted its author."""
    row = tx.execute(
        select(Message.account_id, Message.name).where(
            Message.game_id == game_id, Message.number == number
        )
    ).first()
    return None if row is None else AuthorRow(*row)


def facts_for(tx: Tx, game_id: int, account_id: int, *, form_id: str, since: datetime) -> TalkFacts:
    """Return what decides whether one more message is stored; the caller holds the lock under which they are counted."""
    is_own = Message.account_id == account_id
    row = tx.execute(
        select(
            func.coalesce(func.max(Message.number), 0),
            func.count().filter(is_own, Message.at > since),
            func.coalesce(func.bool_or(and_(is_own, Message.form_id == form_id)), False),
            select(Account.muted_until).where(Account.id == account_id).scalar_subquery(),
            select(Game.ended_at).where(Game.id == game_id).scalar_subquery(),
        ).where(Message.game_id == game_id)
    ).one()
    return TalkFacts(*row)


def add(tx: Tx, message: NewMessage) -> None:
    tx.execute(insert(Message).values(msgspec.structs.asdict(message)))


def change_text(tx: Tx, game_id: int, number: int, text: str) -> None:
    """Replace the text of a message that is still there."""
    _change(tx, game_id, number, {"text": text, "edited_at": tx.now})


def delete_text(tx: Tx, game_id: int, number: int) -> None:
    """Store that its author has deleted a message."""
    _change(tx, game_id, number, {"text": "", "deleted_at": tx.now})


def remove_text(tx: Tx, game_id: int, number: int, *, author_id: int) -> bool:
    """Store that a moderator has removed a message of this author; return False if it is gone already.

    Once an author has deleted their account, someone else's message may have the number.
    """
    removed_message = tx.execute(
        update(Message)
        .where(Message.game_id == game_id, Message.number == number, Message.text != "")
        .where(Message.account_id == author_id)
        .values(text="", removed_at=tx.now)
    )
    return removed_message.rowcount == 1


def removal_reason(tx: Tx, game_id: int, author_id: int, number: int) -> str | None:
    """Return why a moderator has removed a message of this author, as the ledger has it; None if no one has."""
    return tx.execute(
        select(LedgerEntry.reason)
        .where(LedgerEntry.game_id == game_id, LedgerEntry.act == SiteRight.REMOVE_MESSAGE)
        .where(LedgerEntry.account_id == author_id)
        .where(LedgerEntry.after["message"].as_integer() == number)
    ).scalar_one_or_none()


def _change(tx: Tx, game_id: int, number: int, values: dict[str, Any]) -> None:
    tx.execute(
        update(Message)
        .where(Message.game_id == game_id, Message.number == number, Message.text != "")
        .values(values)
    )


def _is_shown_to(viewer_id: SQLColumnExpression[Any] | int) -> ColumnElement[bool]:
    """Return the condition that a message was not deleted, and its author is not muted by the viewer."""
    is_muted = (
        exists()
        .where(Mute.muter_id == viewer_id, Mute.muted_id == Message.account_id)
        .correlate_except(Mute)
    )
    return and_(or_(Message.text != "", Message.removed_at.is_not(None)), ~is_muted)


def messages() -> Executable:
    return (
        select(
            Game.slug.label("game"),
            Message.text,
            Message.at,
            Message.edited_at,
            Message.deleted_at,
            Message.removed_at,
        )
        .join(Game, Game.id == Message.game_id)
        .where(Message.account_id == _account_id)
        .order_by(Message.game_id, Message.number)
    )
