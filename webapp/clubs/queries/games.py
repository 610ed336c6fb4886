"""The games of a club as a list shows them: public facts only, never a position."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Executable,
    ScalarSelect,
    Select,
    Subquery,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import InstrumentedAttribute

from webapp.kernel.game_status import GameStatus
from webapp.kernel.redacted import Redacted
from webapp.kernel.statements import Statement
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Seat
from webapp.play.schema import Game, GameResult, has_status


class ClubGameRow(Redacted, frozen=True):
    """A game of a club. ``group`` is ``open``, ``running`` or ``finished``; ``total`` counts the games of the group."""

    group: str
    slug: str
    host: str
    table_name: str
    rulebook: str
    seats: int
    taken: int
    allowance: timedelta
    status: str
    round: int
    waiting_for: str
    winners: tuple[str, ...]
    ended_at: datetime | None
    is_shown: bool
    """Whether this viewer may see the game; only the number of the others is shown."""
    total: int


def games_of_club(
    tx: Tx, club_id: int, *, account_id: int | None, is_member: bool, limit: int
) -> tuple[ClubGameRow, ...]:
    """Return the newest games of each group; someone who is no member sees public games and their own."""
    rows = _STATEMENT.run(
        tx, club_id=club_id, account_id=account_id, is_member=is_member, most=limit
    )
    return tuple(ClubGameRow(*(*row[:11], tuple(row[11] or ()), *row[12:])) for row in rows)


def _statement() -> Executable:
    group = case(
        (has_status(GameStatus.OPEN, GameStatus.READY_CHECK), "open"),
        (has_status(GameStatus.FINISHED), "finished"),
        else_="running",
    )
    is_shown = or_(bindparam("is_member", type_=Boolean), Game.public, _is_seated())
    latest_time = func.coalesce(Game.ended_at, Game.opened_at)
    games = (
        select(
            Game.id,
            group.label("group"),
            is_shown.label("is_shown"),
            func.count().over(partition_by=group).label("total"),
            func.row_number()
            .over(
                partition_by=group, order_by=(is_shown.desc(), latest_time.desc(), Game.id.desc())
            )
            .label("place"),
        )
        .where(Game.club_id == bindparam("club_id"), Game.status != "cancelled")
        .subquery("listed")
    )
    return _details_query(games)


def _details_query(games: Subquery) -> Select[*tuple[Any, ...]]:
    return (
        select(
            games.c.group,
            Game.slug,
            Game.host_name,
            Game.table_name,
            Game.rulebook,
            Game.seat_count,
            _taken_seat_count(),
            Game.allowance,
            Game.status,
            Game.round,
            _awaited_player_name(),
            _winners(),
            Game.ended_at,
            games.c.is_shown,
            games.c.total,
        )
        .join(games, games.c.id == Game.id)
        .where(games.c.place <= bindparam("most"))
        .order_by(games.c.group, games.c.place)
    )


def _name() -> ColumnElement[str]:
    return func.coalesce(Seat.bot_name, Seat.name, "")


def _awaited_player_name() -> ColumnElement[str]:
    """Return the name in the seat on turn; empty if no one is on turn."""
    return func.coalesce(_value_of_awaited_seat(_name()), "")


def _value_of_awaited_seat(
    value: ColumnElement[Any] | InstrumentedAttribute[Any],
) -> ScalarSelect[Any]:
    return (
        select(value).where(Seat.game_id == Game.id, Seat.number == Game.awaiting).scalar_subquery()
    )


def _winners() -> ColumnElement[list[str]]:
    return (
        select(func.array_agg(aggregate_order_by(_name(), Seat.number)))
        .select_from(Seat)
        .join(GameResult, and_(GameResult.game_id == Seat.game_id, GameResult.seat == Seat.number))
        .where(Seat.game_id == Game.id, GameResult.is_winner)
        .scalar_subquery()
    )


def _taken_seat_count() -> ColumnElement[int]:
    return (
        select(func.count())
        .select_from(Seat)
        .where(Seat.game_id == Game.id)
        .where(or_(Seat.account_id.is_not(None), Seat.bot_name.is_not(None)))
        .scalar_subquery()
    )


def _is_seated() -> ColumnElement[bool]:
    return (
        select(Seat.number)
        .where(
            Seat.game_id == Game.id, Seat.account_id == bindparam("account_id", type_=Game.id.type)
        )
        .exists()
    )


_STATEMENT = Statement(_statement)
