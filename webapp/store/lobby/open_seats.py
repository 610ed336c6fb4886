"""Seats of running games that volunteers may take, because their players have missed too many turns."""

from datetime import datetime

import msgspec
from sqlalchemy import ColumnElement, Connection, and_, exists, false, func, or_, select
from sqlalchemy.orm import aliased

from webapp.game_status import GameStatus
from webapp.store.schema.clubs import Membership
from webapp.store.schema.lobby import Seat, Sitting
from webapp.store.schema.play import Game, has_status


class OpenSeatRow(msgspec.Struct, frozen=True):
    """An open seat and its game, in public."""

    slug: str
    host_name: str
    rulebook: str
    seat_count: int
    round: int
    opened_at: datetime


def open_seats(
    connection: Connection, account_id: int | None, *, limit: int
) -> tuple[OpenSeatRow, ...]:
    """Return the open seats that an account may take, or anyone without one, the longest open first.

    They are those of public tables and of the account's clubs, but not of games in which the person plays or has played.
    """
    rows = connection.execute(
        select(
            Game.slug,
            Game.host_name,
            Game.rulebook,
            Game.seat_count,
            Game.round,
            func.min(Seat.opened_at),
        )
        .join(Seat, and_(Seat.game_id == Game.id, Seat.is_lost))
        .where(has_status(GameStatus.RUNNING, GameStatus.PAUSED))
        .where(func.coalesce(Game.late_rules["replacement"].astext, "volunteers") == "volunteers")
        .where(or_(Game.public, _is_in_club(account_id)), ~_has_played(account_id))
        .group_by(Game.id)
        .order_by(func.min(Seat.opened_at), Game.id)
        .limit(limit)
    )
    return tuple(
        OpenSeatRow(slug, host_name, rulebook, seat_count, round_number, opened_at)
        for slug, host_name, rulebook, seat_count, round_number, opened_at in rows
        if opened_at is not None
    )


def _is_in_club(account_id: int | None) -> ColumnElement[bool]:
    if account_id is None:
        return false()
    return exists().where(
        Membership.club_id == Game.club_id,
        Membership.account_id == account_id,
        Membership.status == "member",
    )


def _has_played(account_id: int | None) -> ColumnElement[bool]:
    own_seat = aliased(Seat)
    sits = exists().where(own_seat.game_id == Game.id, own_seat.account_id == account_id)
    sat = exists().where(Sitting.game_id == Game.id, Sitting.account_id == account_id)
    return false() if account_id is None else or_(sits, sat)
