"""Find clocks that have run out, and write clocks: columns of a game and its seats, and the events of every change.

No other module writes clocks.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final, NamedTuple

import msgspec
from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    DateTime,
    Executable,
    Integer,
    Interval,
    SmallInteger,
    Text,
    bindparam,
    exists,
    func,
    literal_column,
    select,
    update,
)

from webapp.clock.held_turn import encode_held_turn
from webapp.clock.queries.deadline_events import (
    events_json,
    game_events,
    insert_deadline_events,
    interval_text,
)
from webapp.clock.turn import Clock, ClockChange, Player
from webapp.kernel.game_status import GameStatus
from webapp.kernel.redacted import Redacted, RedactedBytes
from webapp.kernel.statements import Statement, array_rows, json_rows, rows_json
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Seat
from webapp.operations.schema import RecordedInconsistency
from webapp.play.queries.rows import GameRow
from webapp.play.schema import Game, has_status

_IS_RUNNING = has_status(GameStatus.RUNNING)
_PERSON_IS_ON_TURN = (_IS_RUNNING, Game.awaiting_bot == literal_column("false"))
_BOT_IS_ON_TURN = (_IS_RUNNING, Game.awaiting_bot)
# While the audit's findings stand, no turn is played for anyone: the position may be wrong.
_IS_CONSISTENT = ~exists().where(RecordedInconsistency.game_id == Game.id)


def is_any_due() -> ColumnElement[bool]:
    """Return a condition: any game is due for a reminder or past its deadline at the parameter ``now``.

    Postgres would ignore the order in EXISTS, and read the whole table because it expects a third of the games to be due.
    """
    is_due_now = Game.wake_at <= bindparam("now", type_=DateTime(timezone=True))
    first_due = select(Game.wake_at).where(*_PERSON_IS_ON_TURN, is_due_now).order_by(Game.wake_at)
    return first_due.limit(literal_column("1", Integer)).scalar_subquery().is_not(None)


def lock_due(tx: Tx, *, limit: int, is_held_only: bool = False) -> list[int]:
    """Lock and return games that are due, the longest due first, but skip games that are locked already.

    With ``is_held_only`` only those in which a player holds a turn.
    """
    statement = _LOCK_HELD_STATEMENT if is_held_only else _LOCK_DUE_STATEMENT
    return [row[0] for row in statement.run(tx, now=tx.now, limit=limit)]


def lock_bot_turn(tx: Tx, *, due_before: datetime) -> int | None:
    """Lock and return the game whose bot has waited longest, if one has waited since ``due_before``."""
    rows = _LOCK_BOT_STATEMENT.run(tx, due_before=due_before)
    return rows[0][0] if rows else None


def oldest_overdue_times(
    tx: Tx, *, games_due_by: datetime
) -> tuple[datetime | None, datetime | None]:
    """Return the oldest open deadline of a person and the oldest turn of a waiting bot, in games that are due by then."""
    is_due_by_then = Game.wake_at <= games_due_by
    person_deadline = tx.execute(
        select(func.min(Game.deadline_at)).where(*_PERSON_IS_ON_TURN, is_due_by_then)
    )
    bot_turn_start = tx.execute(
        select(func.min(Game.turn_started_at)).where(*_BOT_IS_ON_TURN, is_due_by_then)
    )
    return person_deadline.scalar_one(), bot_turn_start.scalar_one()


def _lock_due_statement(*conditions: ColumnElement[bool]) -> Executable:
    return (
        select(Game.id)
        .where(
            *_PERSON_IS_ON_TURN,
            Game.wake_at <= bindparam("now", type_=DateTime(timezone=True)),
            _IS_CONSISTENT,
            *conditions,
        )
        .order_by(Game.wake_at)
        .limit(bindparam("limit", type_=Integer))
        .with_for_update(of=Game, skip_locked=True)
    )


def _lock_bot_statement() -> Executable:
    due_before = bindparam("due_before", type_=DateTime(timezone=True))
    return (
        select(Game.id)
        .where(*_BOT_IS_ON_TURN, Game.wake_at <= due_before, _IS_CONSISTENT)
        .order_by(Game.wake_at)
        .limit(literal_column("1"))
        .with_for_update(of=Game, skip_locked=True)
    )


_LOCK_DUE_STATEMENT = Statement(_lock_due_statement)
_LOCK_HELD_STATEMENT = Statement(partial(_lock_due_statement, Game.held_turn.is_not(None)))
_LOCK_BOT_STATEMENT = Statement(_lock_bot_statement)


RETRY_AFTER: Final = timedelta(minutes=5)
"""How much later workers look again at a game that failed."""
_SEAT_COLUMNS: Final = ("bank", "strikes", "absence_used", "returned_at")


class StoredClock(Redacted, frozen=True, kw_only=True):
    """The columns of a game's row that belong to its clock."""

    turn_seq: int
    turn_started_at: datetime | None
    deadline_at: datetime | None
    remind_at: datetime | None
    wake_at: datetime | None
    awaiting_bot: bool
    paused_at: datetime | None
    held_turn: bytes | None


class SeatClockRow(msgspec.Struct, frozen=True, kw_only=True):
    """What is stored of a player's clock; every field replaces the stored value."""

    number: int
    bank: str | None
    strikes: int
    absence_used: str | None
    returned_at: datetime | None


class ClockUpdate(NamedTuple):
    """What changes in the clock of a locked game that was read as ``row``."""

    row: GameRow
    change: ClockChange
    status_after: GameStatus | None = None
    """The status of a game that ends with it; a clock that is paused or resumed changes the status by itself."""


def stored_clock(clock: Clock) -> StoredClock:
    return StoredClock(
        turn_seq=clock.turn_seq,
        turn_started_at=clock.started_at,
        deadline_at=clock.deadline_at,
        remind_at=clock.remind_at,
        wake_at=clock.wake_at,
        awaiting_bot=clock.awaiting_bot,
        paused_at=clock.paused_at,
        held_turn=encode_held_turn(clock.stored_held_turn),
    )


def changed_seats(row: GameRow, clock: Clock) -> tuple[SeatClockRow, ...]:
    """Return what is to be stored for the players whose clock is no longer as it was read."""
    return tuple(
        _seat_clock_row(number, player)
        for number, (player, player_before) in enumerate(
            zip(clock.players, row.clock.players, strict=True)
        )
        if _seat_clock_row(number, player) != _seat_clock_row(number, player_before)
    )


def write(tx: Tx, *updates: ClockUpdate) -> set[int]:
    """Store the clocks of games that still stand where they stood, with what happened; return their ids. One statement."""
    if not updates:
        return set()
    clocks = [stored_clock(update.change.clock) for update in updates]
    rows = _WRITE_STATEMENT.run(
        tx,
        game_id=[update.row.id for update in updates],
        expected_seq=[update.row.seq for update in updates],
        expected_status=[update.row.status.value for update in updates],
        status=[_status_after(update).value for update in updates],
        **{name: [_parameter(clock, name) for clock in clocks] for name in _GAME_COLUMNS},
        seat_clocks=seats_json(
            (update.row.id, changed_seats(update.row, update.change.clock)) for update in updates
        ),
        deadline_events=events_json(
            event
            for update in updates
            for event in game_events(update.row.id, update.change.events)
        ),
    )
    return {row[0] for row in rows}


def postpone(tx: Tx, ids: Sequence[int], *, until: datetime) -> None:
    """Let workers look at these locked games only later: one has claimed them, or they failed and may not block the rest."""
    if ids:
        tx.execute(update(Game).where(Game.id.in_(ids)).values(wake_at=until))


def wake_bot_turn(tx: Tx, game_id: int, seq: int, *, at: datetime) -> None:
    """Let workers look at a bot's turn at another time, if the game still waits for it."""
    is_waiting = (Game.seq == seq, Game.status == GameStatus.RUNNING, Game.awaiting_bot)
    tx.execute(update(Game).where(Game.id == game_id, *is_waiting).values(wake_at=at))


def update_seats(moved_games: CTE) -> CTE:
    """Return the part of a statement that stores the parameter ``seat_clocks`` for the games that it has moved."""
    rows = json_rows(
        "seat_clocks",
        game_id=BigInteger(),
        number=SmallInteger(),
        bank=Interval(),
        strikes=SmallInteger(),
        absence_used=Interval(),
        returned_at=DateTime(timezone=True),
    )
    return (
        update(Seat)
        .where(rows.c.game_id == moved_games.c.id)
        .where(Seat.game_id == rows.c.game_id, Seat.number == rows.c.number)
        .values({name: rows.c[name] for name in _SEAT_COLUMNS})
        .cte("changed_seats")
    )


def seats_json(seats_of_games: Iterable[tuple[int, Iterable[SeatClockRow]]]) -> str:
    """Return changed seats, by the id of their game, as the parameter of ``update_seats``."""
    return rows_json(
        {"game_id": game_id, **msgspec.structs.asdict(seat)}
        for game_id, seats in seats_of_games
        for seat in seats
    )


def _seat_clock_row(number: int, player: Player) -> SeatClockRow:
    return SeatClockRow(
        number=number,
        bank=interval_text(player.bank),
        strikes=player.strikes,
        absence_used=interval_text(player.absence_used),
        returned_at=player.returned_at,
    )


def _status_after(update: ClockUpdate) -> GameStatus:
    if update.status_after is not None:
        return update.status_after
    if update.change.clock.paused_at is not None:
        return GameStatus.PAUSED
    status = update.row.status
    return GameStatus.RUNNING if status is GameStatus.PAUSED else status


def _parameter(clock: StoredClock, name: str) -> object:
    value = getattr(clock, name)
    return RedactedBytes(value) if isinstance(value, bytes) else value


def _write_statement() -> Executable:
    table = Game.__table__
    rows = array_rows(
        game_id=BigInteger(),
        expected_seq=BigInteger(),
        expected_status=Text(),
        status=Text(),
        **{name: table.c[name].type for name in _GAME_COLUMNS},
    )
    moved_games = (
        update(Game)
        .where(Game.id == rows.c.game_id, Game.seq == rows.c.expected_seq)
        .where(Game.status == rows.c.expected_status)
        .values({name: rows.c[name] for name in ("status", *_GAME_COLUMNS)})
        .returning(Game.id)
        .cte("moved")
    )
    return select(moved_games.c.id).add_cte(
        update_seats(moved_games), insert_deadline_events(moved_games)
    )


_GAME_COLUMNS: Final = StoredClock.__struct_fields__
_WRITE_STATEMENT: Final = Statement(_write_statement)
