"""Private notes and marks: those of the viewer as a column of the pages of a game, and how they are stored."""

from typing import Any, Final, Literal, TypeAlias

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Executable,
    SQLColumnExpression,
    Text,
    bindparam,
    cast,
    delete,
    func,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by, insert

from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.play.schema import Game, Mark, Note

Suspicion: TypeAlias = Literal["trust", "suspect"]
_account_id: ColumnElement[int] = bindparam("account_id", type_=BigInteger)


class MarkRow(Redacted, frozen=True, array_like=True):
    """What a person thinks of the player in a seat in a round."""

    round: int
    seat: int
    suspicion: Suspicion


class NotesRow(Redacted, frozen=True, array_like=True):
    """What one person has noted about a game."""

    text: str | None = None
    marks: tuple[MarkRow, ...] | None = None


NO_NOTES: Final = NotesRow()
_DECODER: Final = msgspec.json.Decoder(NotesRow)


def notes_json(
    game_id: SQLColumnExpression[int], viewer_id: SQLColumnExpression[Any]
) -> ColumnElement[str]:
    """Return a subquery for what the viewer has noted about a game, as ``decode_notes`` reads it."""
    note = (
        select(Note.text)
        .where(Note.game_id == game_id, Note.account_id == viewer_id)
        .correlate_except(Note)
        .scalar_subquery()
    )
    row = func.json_build_array(Mark.round, Mark.seat, Mark.suspicion)
    marks = (
        select(func.json_agg(aggregate_order_by(row, Mark.round, Mark.seat)))
        .where(Mark.game_id == game_id, Mark.account_id == viewer_id)
        .correlate_except(Mark)
        .scalar_subquery()
    )
    return cast(func.json_build_array(note, marks), Text)


def decode_notes(stored_text: str | None) -> NotesRow:
    return NO_NOTES if stored_text is None else _DECODER.decode(stored_text)


def replace_note(tx: Tx, game_id: int, account_id: int, *, old_text: str, new_text: str) -> bool:
    """Replace a note by another text, either of which may be empty; return whether it still had the old one, or has the new one already."""
    is_old_note = (
        Note.game_id == game_id,
        Note.account_id == account_id,
        Note.text.in_((old_text, new_text)),
    )
    keys = {"game_id": game_id, "account_id": account_id}
    values = {"text": new_text, "changed_at": tx.now}
    if not old_text:
        statement: Executable = (
            insert(Note)
            .values(keys | values)
            .on_conflict_do_update(
                index_elements=list(keys), set_=values, where=Note.text == new_text
            )
            .returning(Note.game_id)
        )
    elif new_text:
        statement = update(Note).where(*is_old_note).values(values).returning(Note.game_id)
    else:
        statement = delete(Note).where(*is_old_note).returning(Note.game_id)
    return tx.execute(statement).first() is not None


def set_mark(tx: Tx, game_id: int, account_id: int, mark: MarkRow) -> None:
    values = {"suspicion": mark.suspicion, "changed_at": tx.now}
    keys = {
        "game_id": game_id,
        "account_id": account_id,
        "round": mark.round,
        "seat": mark.seat,
    }
    statement = insert(Mark).values(keys | values)
    tx.execute(statement.on_conflict_do_update(index_elements=list(keys), set_=values))


def remove_mark(tx: Tx, game_id: int, account_id: int, *, round_number: int, seat: int) -> None:
    tx.execute(
        delete(Mark)
        .where(Mark.game_id == game_id, Mark.account_id == account_id)
        .where(Mark.round == round_number, Mark.seat == seat)
    )


def notes() -> Executable:
    return (
        select(Game.slug.label("game"), Note.text, Note.changed_at)
        .join(Game, Game.id == Note.game_id)
        .where(Note.account_id == _account_id)
        .order_by(Note.game_id)
    )


def marks() -> Executable:
    return (
        select(Game.slug.label("game"), Mark.round, Mark.seat, Mark.suspicion, Mark.changed_at)
        .join(Game, Game.id == Mark.game_id)
        .where(Mark.account_id == _account_id)
        .order_by(Mark.game_id, Mark.round, Mark.seat)
    )
