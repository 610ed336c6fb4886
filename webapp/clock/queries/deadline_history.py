"""What became of the deadlines of a game, read: the events and emails of one turn, and the turns that had a deadline."""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, func, select

from webapp.clock.schema import DeadlineEvent
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Seat, Sitting
from webapp.mail.schema import Notification

_EMAIL_KINDS: Final = ("your-turn", "reminder", "nudge")
_START_KIND: Final = "started"
_END_KINDS: Final = ("played", "late", "missed")
_UNDONE_KIND: Final = "undone"


class TurnEventRow(Redacted, frozen=True, kw_only=True):
    """One event of a turn's clock, with the name of the person who had the seat then."""

    turn_seq: int
    at: datetime
    kind: str
    seat: int | None
    has_player: bool
    """False for an open seat."""
    name: str
    """Empty for an open seat, and for a person whose account was deleted."""
    by: str
    deadline_at: datetime | None
    bank: timedelta | None
    cause: str


class TurnEmailRow(Redacted, frozen=True, kw_only=True):
    """What everyone at a table may know of an email about a turn: neither its address nor an answer of a mail server."""

    kind: str
    status: str
    first_due_at: datetime
    settled_at: datetime | None


def events_of_turn(tx: Tx, game_id: int, *, at_seq: int) -> tuple[TurnEventRow, ...]:
    """Return the events of the latest turn that began with a deadline at this position or before, the earliest first."""
    event = DeadlineEvent
    turn_seq = (
        select(func.max(event.turn_seq))
        .where(event.game_id == game_id, event.turn_seq <= at_seq, event.kind == _START_KIND)
        .scalar_subquery()
    )
    return _event_rows(tx, (event.game_id == game_id, event.turn_seq == turn_seq))


def events_of_game(tx: Tx, game_id: int, *, limit: int) -> tuple[TurnEventRow, ...]:
    """Return the latest events of a game, the latest first."""
    return _event_rows(tx, (DeadlineEvent.game_id == game_id,), latest_count=limit)


def turn_starts_and_ends(
    tx: Tx, game_id: int, *, before_seq: int, limit: int
) -> tuple[TurnEventRow, ...]:
    """Return how the latest turns before a position began and ended, and which were taken back, the latest first."""
    event = DeadlineEvent
    conditions = (
        event.game_id == game_id,
        event.turn_seq < before_seq,
        event.kind.in_((_START_KIND, *_END_KINDS, _UNDONE_KIND)),
    )
    return _event_rows(tx, conditions, latest_count=limit)


def emails_of_turn(tx: Tx, game_id: int, turn_seq: int) -> tuple[TurnEmailRow, ...]:
    """Return the emails that called a player to this turn or reminded them of it, in the order of their numbers."""
    row = Notification
    rows = tx.execute(
        select(row.kind, row.status, row.first_due_at, row.settled_at)
        .where(row.game_id == game_id, row.seq == turn_seq, row.kind.in_(_EMAIL_KINDS))
        .order_by(row.id)
    )
    return tuple(TurnEmailRow(**mapping) for mapping in rows.mappings())


def _event_rows(
    tx: Tx,
    conditions: tuple[ColumnElement[bool], ...],
    *,
    latest_count: int | None = None,
) -> tuple[TurnEventRow, ...]:
    event = DeadlineEvent
    query = select(
        event.turn_seq,
        event.at,
        event.kind,
        event.seat,
        event.account_id.is_not(None).label("has_player"),
        _name_at_that_time().label("name"),
        event.by,
        event.deadline_at,
        event.bank,
        event.cause,
    ).where(*conditions)
    ordered_query = (
        query.order_by(event.at, event.id)
        if latest_count is None
        else query.order_by(event.turn_seq.desc(), event.id.desc()).limit(latest_count)
    )
    return tuple(TurnEventRow(**row) for row in tx.execute(ordered_query).mappings())


def _name_at_that_time() -> ColumnElement[str]:
    """Return the name of the person whom an event is about, who may have left the seat since."""
    event = DeadlineEvent
    seated_name = select(Seat.name).where(
        Seat.game_id == event.game_id,
        Seat.number == event.seat,
        Seat.account_id == event.account_id,
    )
    former_name = (
        select(Sitting.name)
        .where(
            Sitting.game_id == event.game_id,
            Sitting.seat == event.seat,
            Sitting.account_id == event.account_id,
        )
        .limit(1)
    )
    return func.coalesce(seated_name.scalar_subquery(), former_name.scalar_subquery(), "")
