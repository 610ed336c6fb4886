"""What emails about moved deadlines are about: the maintenance or the outage, and the games that wait for the recipient."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import msgspec
from sqlalchemy import (
    ColumnElement,
    Select,
    SQLColumnExpression,
    Text,
    and_,
    cast,
    exists,
    func,
    select,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import aliased

from webapp.accounts.schema import Account
from webapp.clock.schema import DeadlineEvent, Maintenance
from webapp.kernel.game_status import GameStatus
from webapp.kernel.json_columns import decode_row
from webapp.kernel.schema import folded
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Seat
from webapp.mail.queries.email_facts import DEDUP_KEY, FactsQuery
from webapp.mail.schema import Notification, OptOut
from webapp.play.schema import Game, has_status


class MovedDeadline(msgspec.Struct, frozen=True, array_like=True):
    """The deadline of a game as it is now."""

    slug: str
    host_name: str
    table_name: str
    deadline_at: datetime


class MovedDeadlines(msgspec.Struct, frozen=True, array_like=True):
    """When the clocks stood still and why, and the games, the first deadline first."""

    cause: str
    began_at: datetime
    ended_at: datetime
    games: tuple[MovedDeadline, ...] | None


def read_moved_deadlines(tx: Tx, ids: Sequence[int]) -> dict[int, MovedDeadlines | None]:
    """Return the maintenance or the outage that each notification is about, and the games of its recipient."""
    return _MOVED_DEADLINES.run(tx, ids, lambda text: decode_row(text, MovedDeadlines))


def _games() -> Select[tuple[object]]:
    """Return the games that wait for the recipient since before the deadline moved, and about which they had an email with the old one.

    An email that had not been sent by then says the new deadline itself.
    """
    shift = aliased(DeadlineEvent, name="shift")
    is_shift_of_turn = and_(
        shift.game_id == Game.id,
        shift.turn_seq == Game.turn_seq,
        shift.kind == "shifted",
        shift.at >= Maintenance.ended_at,
    )
    is_own_turn = and_(
        Seat.game_id == Game.id,
        Seat.number == Game.awaiting,
        Seat.account_id == Notification.account_id,
    )
    call = aliased(Notification, name="call")
    game = func.json_build_array(Game.slug, Game.host_name, Game.table_name, Game.deadline_at)
    return (
        select(func.json_agg(aggregate_order_by(game, Game.deadline_at, Game.id)))
        .select_from(Seat)
        .join(Game, is_own_turn)
        .where(has_status(GameStatus.RUNNING), Game.deadline_at.is_not(None))
        .where(exists().where(is_shift_of_turn, _was_sent_before(call, shift.at)))
        .where(~exists().where(_is_stopped_game()))
        .correlate(Notification, Maintenance)
    )


def _was_sent_before(
    call: type[Notification], at: SQLColumnExpression[datetime]
) -> ColumnElement[bool]:
    """Return whether an email about the running turn was sent to the recipient by then."""
    return and_(
        call.game_id == Game.id,
        call.seq == Game.turn_seq,
        call.account_id == Notification.account_id,
        call.status == "sent",
        call.settled_at <= at,
    )


def _is_stopped_game() -> ColumnElement[bool]:
    """Return whether the recipient has stopped the emails of a game."""
    return and_(
        OptOut.game_id == Game.id,
        OptOut.scope == "game",
        OptOut.address == folded(Account.address),
        Account.id == Notification.account_id,
    )


def _moved_deadlines_query() -> Select[*tuple[Any, ...]]:
    row = func.json_build_array(
        Maintenance.cause, Maintenance.began_at, Maintenance.ended_at, _games().scalar_subquery()
    )
    maintenance = (
        select(cast(row, Text))
        .where(Maintenance.id == DEDUP_KEY)
        .correlate(Notification)
        .scalar_subquery()
    )
    return select(Notification.id, maintenance)


_MOVED_DEADLINES: Final = FactsQuery(_moved_deadlines_query)
