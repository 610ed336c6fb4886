"""What an account has written at tables, for its owner's download: messages, mutes, private notes and marks."""

from sqlalchemy import BigInteger, ColumnElement, Executable, bindparam, select

from webapp.play.schema import Game
from webapp.play.talk_schema import Mark, Message, Mute, Note

_account_id: ColumnElement[int] = bindparam("account_id", type_=BigInteger)


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


def mutes() -> Executable:
    return (
        select(Mute.name, Mute.muted_at)
        .where(Mute.muter_id == _account_id)
        .order_by(Mute.muted_at, Mute.muted_id)
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
