"""What a turn leaves in the game's row: the snapshot, whom it waits for, and the clock."""

from datetime import datetime

import msgspec

from engine.state import State
from engine.view import Awaiting
from engine.wire import STATE_FORMAT, encode_state
from webapp.game_status import GameStatus
from webapp.services.play.pace import deadline, reminder
from webapp.store.play.rows import GameRow
from webapp.store.play.turns import PositionRow


class _Clock(msgspec.Struct, frozen=True, kw_only=True):
    turn_seq: int
    started_at: datetime
    deadline_at: datetime | None = None
    remind_at: datetime | None = None
    wake_at: datetime | None = None


def same_turn(before: Awaiting | None, after: Awaiting | None) -> bool:
    """Whether the game still waits for the same turn: a goal to choose or a stone to turn is part of it, gold is not."""
    if before is None or after is None:
        return False
    return before.seat == after.seat and after.kind in {"goal", "way-round"}


def position_after(
    row: GameRow, after: State, due: Awaiting | None, *, goes_on: bool, now: datetime
) -> PositionRow:
    """The game's row after a turn; the clock runs on when the turn ``goes_on``, and starts anew otherwise."""
    clock = _clock_kept(row, now) if goes_on else _new_clock(row, after, due, now)
    over = due is None
    return PositionRow(
        seq=after.seq,
        state=encode_state(after),
        state_format=STATE_FORMAT,
        status=GameStatus.FINISHED if over else GameStatus.RUNNING,
        awaiting=None if due is None else due.seat,
        awaiting_bot=due is not None and row.seats[due.seat].bot is not None,
        round=after.round,
        turn_seq=clock.turn_seq,
        turn_started_at=clock.started_at,
        deadline_at=clock.deadline_at,
        remind_at=clock.remind_at,
        wake_at=clock.wake_at,
        ended_at=now if over else None,
    )


def _clock_kept(row: GameRow, now: datetime) -> _Clock:
    return _Clock(
        turn_seq=row.turn_seq,
        started_at=row.turn_started_at or now,
        deadline_at=row.deadline_at,
        remind_at=row.remind_at,
        wake_at=row.wake_at,
    )


def _new_clock(row: GameRow, after: State, due: Awaiting | None, now: datetime) -> _Clock:
    """A person gets the whole allowance. A bot gets no deadline: it is called, not waited for."""
    if due is None:
        return _Clock(turn_seq=after.seq, started_at=now)
    if row.seats[due.seat].bot is not None:
        return _Clock(turn_seq=after.seq, started_at=now, wake_at=now)
    remind_at = reminder(now, row.allowance)
    return _Clock(
        turn_seq=after.seq,
        started_at=now,
        deadline_at=deadline(now, row.allowance),
        remind_at=remind_at,
        wake_at=remind_at,
    )
