"""Open seats of running games whose players have missed too many turns, and the volunteers who want an email about one."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec
from sqlalchemy import (
    ColumnElement,
    Select,
    SQLColumnExpression,
    and_,
    exists,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.orm import aliased

from webapp.accounts.schema import Account, Block
from webapp.clock.schema import Absence
from webapp.clubs.schema import Membership
from webapp.kernel.game_status import GameStatus
from webapp.kernel.schema import folded
from webapp.kernel.tx import Tx
from webapp.lobby.queries.tables import has_room
from webapp.lobby.schema import Seat, Sitting
from webapp.mail.queries.pending_emails import day_number
from webapp.mail.schema import Notification, OptOut
from webapp.moderation.schema import Peek
from webapp.play.schema import Game, has_status

EMAIL_INTERVAL: Final = timedelta(days=1)
"""How long after an email about open seats a person gets no other one."""
_MAX_DAYS_PENDING: Final = 7
"""The number of days back for which to look for an email that has not been sent yet."""


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


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """The open seats of one game, as one: since when the newest is open, and how many volunteers were informed of it."""

    game_id: int
    opened_at: datetime
    informed_volunteers: int
    lowest_reliability: int


class GameLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The number of games in which one person may be: a newcomer, and anyone."""

    max_of_newcomer: int
    max_games: int


def open_seats(tx: Tx, account_id: int | None, *, limit: int) -> tuple[OpenSeatRow, ...]:
    """Return the open seats that an account may take, or anyone without one, the longest open first.

    They are those of public tables and of the account's clubs, but not of games in which the person plays or has played.
    """
    query = _open_seats_query().where(_may_know_of_table(account_id)).limit(limit)
    return _rows(tx, query if account_id is None else query.where(~_has_played(account_id)))


def open_seats_for_volunteer(tx: Tx, account_id: int, *, limit: int) -> tuple[OpenSeatRow, ...]:
    """Return the open seats about which a volunteer is emailed: no one there has blocked or is blocked by them."""
    query = _open_seats_query().where(_may_volunteer(account_id)).limit(limit)
    return _rows(tx, query)


def is_volunteer(tx: Tx, account_id: int) -> bool:
    return tx.execute(select(Account.wants_open_seats).where(Account.id == account_id)).scalar_one()


def change_volunteer(tx: Tx, account_id: int, *, wants_open_seats: bool) -> None:
    """Store whether a person wants emails about open seats."""
    tx.execute(
        update(Account).where(Account.id == account_id).values(wants_open_seats=wants_open_seats)
    )


def games_to_announce(
    tx: Tx, *, opened_after: datetime, max_informed: int, limit: int
) -> tuple[int, ...]:
    """Return games with open seats of which fewer volunteers were informed than may be, the newest opening first."""
    rows = tx.execute(
        select(Game.id)
        .join(Seat, and_(Seat.game_id == Game.id, _is_to_announce(opened_after, max_informed)))
        .where(_is_for_volunteers())
        .group_by(Game.id)
        .order_by(func.max(Seat.opened_at).desc(), Game.id)
        .limit(limit)
    )
    return tuple(rows.scalars())


def lock_opening(
    tx: Tx, game_id: int, *, opened_after: datetime, max_informed: int
) -> Opening | None:
    """Lock a game, and return its opening if there still is one to announce. A game that is locked already is skipped."""
    is_locked = tx.execute(
        select(Game.id).where(Game.id == game_id).with_for_update(skip_locked=True)
    ).scalar_one_or_none()
    if is_locked is None:
        return None
    row = tx.execute(
        select(
            func.max(Seat.opened_at),
            func.min(Seat.informed_volunteers),
            func.coalesce(Game.late_rules["lowest_reliability"].as_integer(), 0),
        )
        .select_from(Game)
        .join(Seat, and_(Seat.game_id == Game.id, _is_to_announce(opened_after, max_informed)))
        .where(Game.id == game_id, _is_for_volunteers())
        .group_by(Game.id)
    ).first()
    if row is None:
        return None
    return Opening(
        game_id=game_id, opened_at=row[0], informed_volunteers=row[1], lowest_reliability=row[2]
    )


def uninformed_volunteers(
    tx: Tx, opening: Opening, limits: GameLimits, *, limit: int
) -> tuple[int, ...]:
    """Return volunteers who may take a seat of this game and have not been informed of it, the longest uninformed first.

    Leaves out people who are away or banned, have no room for another game, or got another such email within a day.
    """
    is_banned = and_(Account.banned_until.is_not(None), Account.banned_until > tx.now)
    rows = tx.execute(
        select(Account.id)
        .join(Game, Game.id == opening.game_id)
        .where(Account.wants_open_seats, Account.address.is_not(None), Account.name != "")
        .where(_is_uninformed(opening), ~is_banned)
        .where(
            _may_volunteer(Account.id),
            ~_has_recent_email(tx.now),
            ~_is_away(tx.now),
            ~_has_stopped(),
        )
        .where(has_room(max_of_newcomer=limits.max_of_newcomer, max_games=limits.max_games))
        .order_by(Account.informed_of_seats_at.nulls_first(), Account.id)
        .limit(limit)
    )
    return tuple(rows.scalars())


def lock_uninformed(tx: Tx, opening: Opening, account_ids: Sequence[int]) -> tuple[int, ...]:
    """Lock these accounts, and return those that no one else locks, or has informed of open seats meanwhile."""
    if not account_ids:
        return ()
    rows = tx.execute(
        select(Account.id)
        .where(Account.id.in_(account_ids), Account.wants_open_seats, _is_uninformed(opening))
        .order_by(Account.id)
        .with_for_update(skip_locked=True)
    )
    return tuple(rows.scalars())


def mark_informed(tx: Tx, game_id: int, account_ids: Sequence[int]) -> None:
    """Record that these volunteers are informed of the open seats of a game."""
    tx.execute(
        update(Account).where(Account.id.in_(account_ids)).values(informed_of_seats_at=tx.now)
    )
    tx.execute(
        update(Seat)
        .where(Seat.game_id == game_id, Seat.is_lost)
        .values(informed_volunteers=Seat.informed_volunteers + len(account_ids))
    )


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
        .where(_is_for_volunteers())
        .group_by(Game.id)
        .order_by(func.min(Seat.opened_at), Game.id)
    )


def _rows(tx: Tx, query: Select[*tuple[Any, ...]]) -> tuple[OpenSeatRow, ...]:
    return tuple(OpenSeatRow(*row) for row in tx.execute(query))


def _is_for_volunteers() -> ColumnElement[bool]:
    """Return the condition that volunteers may take the open seats of a game."""
    replacement = func.coalesce(Game.late_rules["replacement"].astext, "volunteers")
    is_under_way = has_status(GameStatus.RUNNING, GameStatus.PAUSED)
    return and_(is_under_way, replacement == "volunteers")


def _may_volunteer(account_id: int | SQLColumnExpression[int]) -> ColumnElement[bool]:
    """Return the condition that an account may hear of a game, has had no part in it, and avoids no one there."""
    has_peeked = exists().where(Peek.game_id == Game.id, Peek.account_id == account_id)
    return and_(
        _may_know_of_table(account_id),
        ~_has_played(account_id),
        ~has_peeked,
        ~_has_block_with_player(account_id),
    )


def _may_know_of_table(account_id: int | SQLColumnExpression[int] | None) -> ColumnElement[bool]:
    is_in_club = exists().where(
        Membership.club_id == Game.club_id,
        Membership.account_id == account_id,
        Membership.status == "member",
    )
    return Game.public.is_(True) if account_id is None else or_(Game.public, is_in_club)


def _has_played(account_id: int | SQLColumnExpression[int]) -> ColumnElement[bool]:
    own_seat = aliased(Seat)
    sits = exists().where(own_seat.game_id == Game.id, own_seat.account_id == account_id)
    sat = exists().where(Sitting.game_id == Game.id, Sitting.account_id == account_id)
    return or_(sits, sat)


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


def _is_to_announce(opened_after: datetime, max_informed: int) -> ColumnElement[bool]:
    return and_(
        Seat.is_lost, Seat.opened_at > opened_after, Seat.informed_volunteers < max_informed
    )


def _is_uninformed(opening: Opening) -> ColumnElement[bool]:
    informed_at = Account.informed_of_seats_at
    return or_(informed_at.is_(None), informed_at < opening.opened_at)


def _has_recent_email(now: datetime) -> ColumnElement[bool]:
    """Return whether an email about open seats waits to be sent to an account, or was sent within a day."""
    today = day_number(now)
    return exists().where(
        Notification.game_id.is_(None),
        Notification.seq.in_(range(today - _MAX_DAYS_PENDING, today + 2)),
        Notification.kind == "open-seats",
        Notification.account_id == Account.id,
        or_(
            Notification.status == "pending",
            and_(Notification.status == "sent", Notification.settled_at > now - EMAIL_INTERVAL),
        ),
    )


def _is_away(now: datetime) -> ColumnElement[bool]:
    return exists().where(
        Absence.account_id == Account.id,
        Absence.from_at <= now,
        func.coalesce(Absence.ended_at, Absence.until_at) > now,
    )


def _has_stopped() -> ColumnElement[bool]:
    """Return whether an account has stopped all email."""
    return exists().where(OptOut.address == folded(Account.address), OptOut.scope == "everything")
