"""Seats of running games that volunteers may take, because their players have missed too many turns."""

from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    SQLColumnExpression,
    and_,
    exists,
    func,
    or_,
    select,
)
from sqlalchemy.orm import aliased

from webapp.game_status import GameStatus
from webapp.store.schema.accounts import Block
from webapp.store.schema.clubs import Membership
from webapp.store.schema.lobby import Seat, Sitting
from webapp.store.schema.moderation import Peek
from webapp.store.schema.play import Game, has_status


class OpenSeatRow(msgspec.Struct, frozen=True):
    """An open seat and its game, in public."""

    game_id: int
    slug: str
    host_name: str
    table_name: str
    rulebook: str
    seat_count: int
    round: int
    opened_at: datetime
    lowest_reliability: int
    """The share of turns in time, in percent, that anyone who takes the seat needs; 0 for none."""


def open_seats(
    connection: Connection, account_id: int | None, *, limit: int
) -> tuple[OpenSeatRow, ...]:
    """Return the open seats that an account may take, or anyone without one, the longest open first.

    They are those of public tables and of the account's clubs, but not of games in which the person plays or has played.
    """
    query = _open_seats_query().where(may_know_of_table(account_id)).limit(limit)
    return _rows(connection, query if account_id is None else query.where(~has_played(account_id)))


def open_seats_for_volunteer(
    connection: Connection, account_id: int, *, limit: int
) -> tuple[OpenSeatRow, ...]:
    """Return the open seats about which a volunteer is emailed: no one there has blocked or is blocked by them."""
    query = _open_seats_query().where(may_volunteer(account_id)).limit(limit)
    return _rows(connection, query)


def is_for_volunteers() -> ColumnElement[bool]:
    """Return the condition that volunteers may take the open seats of a game."""
    replacement = func.coalesce(Game.late_rules["replacement"].astext, "volunteers")
    is_under_way = has_status(GameStatus.RUNNING, GameStatus.PAUSED)
    return and_(is_under_way, replacement == "volunteers")


def may_volunteer(account_id: int | SQLColumnExpression[int]) -> ColumnElement[bool]:
    """Return the condition that an account may hear of a game, has had no part in it, and avoids no one there."""
    has_peeked = exists().where(Peek.game_id == Game.id, Peek.account_id == account_id)
    return and_(
        may_know_of_table(account_id),
        ~has_played(account_id),
        ~has_peeked,
        ~_has_block_with_player(account_id),
    )


def may_know_of_table(account_id: int | SQLColumnExpression[int] | None) -> ColumnElement[bool]:
    is_in_club = exists().where(
        Membership.club_id == Game.club_id,
        Membership.account_id == account_id,
        Membership.status == "member",
    )
    return Game.public.is_(True) if account_id is None else or_(Game.public, is_in_club)


def has_played(account_id: int | SQLColumnExpression[int]) -> ColumnElement[bool]:
    own_seat = aliased(Seat)
    sits = exists().where(own_seat.game_id == Game.id, own_seat.account_id == account_id)
    sat = exists().where(Sitting.game_id == Game.id, Sitting.account_id == account_id)
    return or_(sits, sat)


def _open_seats_query() -> Select[*tuple[Any, ...]]:
    """Return the columns of ``OpenSeatRow`` of all games with an open seat for volunteers."""
    lowest_reliability = func.coalesce(Game.late_rules["lowest_reliability"].as_integer(), 0)
    return (
        select(
            Game.id,
            Game.slug,
            Game.host_name,
            Game.table_name,
            Game.rulebook,
            Game.seat_count,
            Game.round,
            func.min(Seat.opened_at),
            lowest_reliability,
        )
        .join(Seat, and_(Seat.game_id == Game.id, Seat.is_lost))
        .where(is_for_volunteers())
        .group_by(Game.id)
        .order_by(func.min(Seat.opened_at), Game.id)
    )


def _rows(connection: Connection, query: Select[*tuple[Any, ...]]) -> tuple[OpenSeatRow, ...]:
    return tuple(OpenSeatRow(*row) for row in connection.execute(query))


def _has_block_with_player(account_id: int | SQLColumnExpression[int]) -> ColumnElement[bool]:
    """Return whether the account has blocked someone who plays in the game or hosts it, or the other way around."""
    seat = aliased(Seat, name="seat_of_other")
    others = select(seat.account_id).where(seat.game_id == Game.id, seat.account_id.is_not(None))
    return or_(
        *(
            exists().where(
                own_end == account_id, or_(other_end == Game.host_id, other_end.in_(others))
            )
            for own_end, other_end in (
                (Block.blocker_id, Block.blocked_id),
                (Block.blocked_id, Block.blocker_id),
            )
        )
    )
