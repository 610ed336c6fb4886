"""What happened to every deadline: rows that are only appended, by the statement of a turn or by themselves, and read for the page that explains a deadline.

They are deleted long after the end of their game.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec
from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    DateTime,
    Executable,
    Interval,
    SmallInteger,
    Subquery,
    Text,
    and_,
    delete,
    exists,
    func,
    insert,
    select,
)
from sqlalchemy.orm import aliased
from sqlalchemy.types import TypeEngine

from webapp.clock.schema import DeadlineEvent
from webapp.clock.turn import END_KINDS, START_KIND, ClockEvent, EventKind
from webapp.kernel.redacted import Redacted
from webapp.kernel.statements import Statement, is_one_of, json_rows, rows_json
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Seat, Sitting
from webapp.mail.schema import Notification
from webapp.play.schema import Game

_MOST_EMPTIED_GAMES: Final = 500
_EMAIL_KINDS: Final = ("your-turn", "reminder", "nudge")


class TurnEventRow(Redacted, frozen=True, kw_only=True):
    """One event of a turn's clock, with the name of the person who had the seat then."""

    turn_seq: int
    at: datetime
    kind: EventKind
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


_COLUMN_TYPES: Final[dict[str, TypeEngine[Any]]] = {
    "turn_seq": BigInteger(),
    "at": DateTime(timezone=True),
    "kind": Text(),
    "seat": SmallInteger(),
    "account_id": BigInteger(),
    "by": Text(),
    "deadline_at": DateTime(timezone=True),
    "cause": Text(),
    "bank": Interval(),
    "absence_used": Interval(),
}
_GIVEN_COLUMNS: Final = ["game_id", *_COLUMN_TYPES]


class GameEvent(ClockEvent, frozen=True, kw_only=True):
    """An event together with its game."""

    game_id: int


class ClockSwitch(msgspec.Struct, frozen=True):
    """What started or stopped the clock of a running turn."""

    at: datetime
    kind: str


def clock_switches(tx: Tx, game_ids: Sequence[int]) -> dict[int, list[ClockSwitch]]:
    """Return when the clocks of the running turns of these games were started, paused and resumed, in this order."""
    query = (
        select(DeadlineEvent.game_id, DeadlineEvent.at, DeadlineEvent.kind)
        .join(
            Game,
            and_(Game.id == DeadlineEvent.game_id, Game.turn_seq == DeadlineEvent.turn_seq),
        )
        .where(is_one_of(Game.id, "game_ids"))
        .where(DeadlineEvent.kind.in_(("started", "undelivered", "paused", "resumed")))
        .order_by(DeadlineEvent.id)
    )
    events: dict[int, list[ClockSwitch]] = {game_id: [] for game_id in game_ids}
    for game_id, at, kind in tx.execute(query, {"game_ids": list(game_ids)}):
        events[game_id].append(ClockSwitch(at, kind))
    return events


def append(tx: Tx, events: Sequence[GameEvent]) -> None:
    """Store events of any games, in this order."""
    if events:
        _APPEND_STATEMENT.run(tx, deadline_events=events_json(events))


def delete_old(tx: Tx, before: datetime) -> int:
    """Delete the events of some games that ended before this instant; return how many there were. The other games are for the next call."""
    has_events = exists().where(DeadlineEvent.game_id == Game.id)
    ended_games = (
        select(Game.id).where(Game.ended_at < before, has_events).limit(_MOST_EMPTIED_GAMES)
    )
    return tx.execute(delete(DeadlineEvent).where(DeadlineEvent.game_id.in_(ended_games))).rowcount


def last_nudged_at(
    tx: Tx, game_id: int, seat: int, *, account_id: int | None, before_seq: int
) -> datetime | None:
    """Return when this player was last nudged in a turn that began before ``before_seq``."""
    latest_nudge = (
        select(func.max(DeadlineEvent.at))
        .where(DeadlineEvent.game_id == game_id, DeadlineEvent.turn_seq < before_seq)
        .where(DeadlineEvent.kind == "nudged", DeadlineEvent.seat == seat)
        .where(DeadlineEvent.account_id == account_id)
    )
    nudged_at: datetime | None = tx.execute(latest_nudge).scalar_one()
    return nudged_at


def game_events(game_id: int, events: Iterable[ClockEvent]) -> list[GameEvent]:
    """Return events of a clock together with its game."""
    return [GameEvent(game_id=game_id, **msgspec.structs.asdict(event)) for event in events]


def events_json(events: Iterable[GameEvent]) -> str:
    """Return events as the one parameter that statements read with ``_given_events``."""
    return rows_json(
        msgspec.structs.asdict(event)
        | {
            "bank": interval_text(event.bank),
            "absence_used": interval_text(event.absence_used),
        }
        for event in events
    )


def interval_text(length: timedelta | None) -> str | None:
    """Return a length of time as Postgres reads it from JSON; it refuses the ISO form of a negative one."""
    if length is None:
        return None
    return f"{length.days} days {length.seconds}.{length.microseconds:06} seconds"


def insert_deadline_events(moved_games: CTE) -> CTE:
    """Return the part of a statement that stores the parameter ``deadline_events`` for the games that it has moved."""
    rows = _given_events()
    query = (
        select(*(rows.c[name] for name in _GIVEN_COLUMNS))
        .where(rows.c.game_id.in_(select(moved_games.c.id)))
        .order_by(rows.c.ordinal)
    )
    return insert(DeadlineEvent).from_select(_GIVEN_COLUMNS, query).cte("added_deadline_events")


def _given_events() -> Subquery:
    return json_rows("deadline_events", game_id=BigInteger(), **_COLUMN_TYPES)


def _append_statement() -> Executable:
    rows = _given_events()
    query = select(*(rows.c[name] for name in _GIVEN_COLUMNS)).order_by(rows.c.ordinal)
    return insert(DeadlineEvent).from_select(_GIVEN_COLUMNS, query)


_APPEND_STATEMENT = Statement(_append_statement)


def turn_starts_and_ends_since(
    tx: Tx, game_id: int, seq: int, *, includes_turn_before: bool
) -> tuple[ClockEvent, ...]:
    """Return how the turns began and ended that began at a position or later, the earliest first, without those taken back before.

    With ``includes_turn_before`` also the last turn that began before it.
    """
    event, undoing = DeadlineEvent, aliased(DeadlineEvent)
    was_undone = (
        select(undoing.id)
        .where(undoing.game_id == event.game_id, undoing.turn_seq == event.turn_seq)
        .where(undoing.kind == "undone")
        .exists()
    )
    turn_before = (
        select(func.max(undoing.turn_seq))
        .where(undoing.game_id == game_id, undoing.turn_seq < seq)
        .scalar_subquery()
    )
    first_turn = func.coalesce(turn_before, seq) if includes_turn_before else seq
    rows = tx.execute(
        select(*(getattr(event, name) for name in ClockEvent.__struct_fields__))
        .where(event.game_id == game_id, event.turn_seq >= first_turn)
        .where(event.kind.in_((START_KIND, *END_KINDS)), ~was_undone)
        .order_by(event.id)
    )
    return tuple(ClockEvent(**row) for row in rows.mappings())


def events_of_turn(tx: Tx, game_id: int, *, at_seq: int) -> tuple[TurnEventRow, ...]:
    """Return the events of the latest turn that began with a deadline at this position or before, the earliest first."""
    event = DeadlineEvent
    turn_seq = (
        select(func.max(event.turn_seq))
        .where(event.game_id == game_id, event.turn_seq <= at_seq, event.kind == START_KIND)
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
        event.kind.in_((START_KIND, *END_KINDS, "undone")),
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
