"""A game read whole, with its seats and whoever asks, in one statement."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Literal, TypeAlias

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
    bindparam,
    cast,
    func,
    null,
    select,
    union_all,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import aliased

from webapp.game_status import GameStatus
from webapp.store.notifications.opt_outs import decode_opt_outs, opt_outs_json
from webapp.store.play.rows import AccountRow, GameRow, SeatRow, SecretRow
from webapp.store.schema.accounts import Account, Session
from webapp.store.schema.lobby import Seat
from webapp.store.schema.play import Game, Secret, has_status
from webapp.store.statements import Statement

AccessMode: TypeAlias = Literal["read", "play", "change"]


def find(
    connection: Connection,
    slug: str,
    *,
    mode: AccessMode,
    token_hash: bytes | None,
    account_id: int | None,
    now: datetime,
) -> tuple[GameRow, AccountRow | None] | None:
    """The game of this name and the person who asks, known by a session or already; None where there is no game."""
    if mode == "change":
        # First the lock, then the look: a statement that waits for a lock sees the other tables as they were before.
        connection.execute(_LOCK, {"slug": slug})
    row = (
        _FIND[mode]
        .run(connection, slug=slug, token_hash=token_hash, account_id=account_id, now=now)
        .first()
    )
    if row is None:
        return None
    me, opt_outs, game = row[:_ME], row[_ME], row[_ME + 1 :]
    viewer = None if me[0] is None else AccountRow(*(*me, decode_opt_outs(opt_outs)))
    return _game_row(game), viewer


def find_listed(
    connection: Connection, account_id: int | None, *, most: int
) -> tuple[GameRow, ...]:
    """The games that a person's home page lists, without their positions; for nobody, the open public ones.

    Of public tables and of finished games there are ``most`` each, the newest.
    """
    rows = _LISTED.run(connection, account_id=account_id, most=most)
    return tuple(map(_game_row, rows))


def secrets_of(connection: Connection, game_id: int) -> SecretRow:
    """The secrets of a game. Only for games that have ended or were cancelled."""
    row = connection.execute(select(*_SECRETS).where(Secret.game_id == game_id)).one()
    return SecretRow(*row)


def find_many(connection: Connection, ids: Sequence[int]) -> dict[int, GameRow]:
    """Games by id, without their secrets."""
    return _by_id(_MANY.run(connection, ids=list(ids)))


def find_many_to_play(connection: Connection, ids: Sequence[int]) -> dict[int, GameRow]:
    """Games by id, with what a deal needs."""
    return _by_id(_MANY_TO_PLAY.run(connection, ids=list(ids)))


def _by_id(rows: Iterable[Sequence[Any]]) -> dict[int, GameRow]:
    games = (_game_row(row) for row in rows)
    return {game.id: game for game in games}


def _game_row(columns: Sequence[Any]) -> GameRow:
    *fields, seats, gold, round_1, round_2, round_3 = columns
    fields[_STATUS] = GameStatus(fields[_STATUS])
    secret = None if gold is None else SecretRow(gold, round_1, round_2, round_3)
    return GameRow(*(*fields, _SEATS.decode(seats), secret))


_SEATS = msgspec.json.Decoder(tuple[SeatRow, ...])
_host = aliased(Account, name="host")
_me = aliased(Account, name="me")
_sitter = aliased(Account, name="sitter")

_ABOUT_ME = (_me.id, _me.address, _me.name, _me.language, _me.zone, _me.picks_gold)
_ME = len(_ABOUT_ME)
_ABOUT_GAME = (
    Game.id,
    Game.slug,
    Game.host_id,
    Game.host_name,
    _host.name,
    Game.rulebook,
    Game.house,
    Game.seats,
    Game.starter,
    Game.allowance,
    Game.public,
    Game.status,
    Game.opened_at,
    Game.record,
    Game.seq,
    Game.state,
    Game.state_format,
    Game.awaiting,
    Game.round,
    Game.turn_seq,
    Game.turn_started_at,
    Game.deadline_at,
    Game.remind_at,
    Game.wake_at,
    Game.warned_for,
    Secret.commitments,
)
_STATUS = [column.key for column in _ABOUT_GAME].index("status")
_SECRETS = (Secret.gold, Secret.round_1, Secret.round_2, Secret.round_3)
_NO_SECRETS = tuple(null().label(column.key) for column in _SECRETS)


def _seats_of_game() -> ColumnElement[str]:
    seat = func.json_build_array(
        Seat.number,
        Seat.account_id,
        func.coalesce(Seat.name, _sitter.name),
        _sitter.picks_gold,
        Seat.bot,
        Seat.ready,
        func.encode(Seat.salt, "hex"),
    )
    return (
        select(cast(func.json_agg(aggregate_order_by(seat, Seat.number)), Text))
        .select_from(Seat)
        .outerjoin(_sitter, _sitter.id == Seat.account_id)
        .where(Seat.game_id == Game.id)
        .scalar_subquery()
    )


def _asker() -> ColumnElement[int | None]:
    by_session = (
        select(Session.account_id)
        .where(Session.token_hash == bindparam("token_hash", type_=LargeBinary))
        .where(Session.expires_at > bindparam("now", type_=DateTime(timezone=True)))
        .scalar_subquery()
    )
    return func.coalesce(bindparam("account_id", type_=BigInteger), by_session)


def _finding(*, secrets: bool) -> Select[Any]:
    # Who is about to play is told nothing of letters.
    opt_outs = null().label("opt_outs") if secrets else opt_outs_json(_me, at_table=True)
    hidden = _SECRETS if secrets else _NO_SECRETS
    return (
        select(*_ABOUT_ME, opt_outs, *_ABOUT_GAME, _seats_of_game(), *hidden)
        .select_from(Game)
        .join(_host, _host.id == Game.host_id)
        .join(Secret, Secret.game_id == Game.id)
        .outerjoin(_me, _me.id == _asker())
        .where(Game.slug == bindparam("slug", type_=Text))
    )


def _many(*, secrets: bool) -> Select[Any]:
    return (
        select(*_ABOUT_GAME, _seats_of_game(), *(_SECRETS if secrets else _NO_SECRETS))
        .select_from(Game)
        .join(_host, _host.id == Game.host_id)
        .join(Secret, Secret.game_id == Game.id)
        .where(Game.id == func.any(bindparam("ids", type_=ARRAY(BigInteger))))
    )


def _listing() -> Select[*tuple[Any, ...]]:
    heavy = {"state", "record"}
    light = (null().label(about.key) if about.key in heavy else about for about in _ABOUT_GAME)
    return (
        select(*light, _seats_of_game(), *_NO_SECRETS)
        .select_from(Game)
        .join(_host, _host.id == Game.host_id)
        .join(Secret, Secret.game_id == Game.id)
        .where(Game.id.in_(union_all(*(select(ids.subquery()) for ids in _listed_ids()))))
    )


def _listed_ids() -> list[Select[Any]]:
    me = bindparam("account_id", type_=BigInteger)
    most = bindparam("most", type_=Integer)
    before_deal = has_status(GameStatus.OPEN, GameStatus.READY_CHECK)
    seated = select(Game.id).join(Seat, Seat.game_id == Game.id).where(Seat.account_id == me)
    public = select(Game.id).where(has_status(GameStatus.OPEN), Game.public)
    return [
        seated.where(has_status(GameStatus.OPEN, GameStatus.READY_CHECK, GameStatus.RUNNING)),
        select(Game.id).where(Game.host_id == me, before_deal),
        public.order_by(Game.opened_at.desc()).limit(most),
        seated.where(has_status(GameStatus.FINISHED)).order_by(Game.ended_at.desc()).limit(most),
    ]


_TO_LOOK = Statement(_finding(secrets=False))
_TO_PLAY = Statement(_finding(secrets=True))
_FIND: dict[AccessMode, Statement] = {"read": _TO_LOOK, "play": _TO_PLAY, "change": _TO_PLAY}
_LOCK = select(Game.id).where(Game.slug == bindparam("slug")).with_for_update()
_LISTED = Statement(_listing())
_MANY = Statement(_many(secrets=False))
_MANY_TO_PLAY = Statement(_many(secrets=True))
