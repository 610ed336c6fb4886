"""The clock of a turn: when it began, and when its player is reminded and runs out of time."""

from datetime import datetime, timedelta
from typing import Final

import msgspec

from engine.view import Awaiting
from webapp.pace.arithmetic import deadline_for
from webapp.pace.bank import time_for_turn
from webapp.pace.calendar import Calendar
from webapp.pace.reminders import first_reminder
from webapp.services.play.away_players import is_played_by_bot, wake_at_in_turn
from webapp.services.play.clock_reading import calendar_of
from webapp.services.play.held_turns import wake_at_without_held_turn
from webapp.store.play.rows import GameRow

REMINDER_SHARE: Final = 0.8
"""The share of a turn's time after which its player is reminded."""
CHOICES_WITHIN_A_TURN: Final = frozenset({"goal", "way-round"})


class TurnClock(msgspec.Struct, frozen=True, kw_only=True):
    """The times of the turn that a game waits for; ``wake_at`` is when a worker next looks at the game."""

    turn_seq: int
    started_at: datetime
    deadline_at: datetime | None = None
    remind_at: datetime | None = None
    wake_at: datetime | None = None
    is_bot_turn: bool = False
    """Whether a bot takes the turn, in its own seat or for a player who is away."""


def is_same_turn(before: Awaiting | None, after: Awaiting | None) -> bool:
    """Return whether the game still waits for the same turn.

    Choosing a goal or turning a stone is part of the turn that led to it; picking gold is not.
    """
    if before is None or after is None:
        return False
    return before.seat == after.seat and after.kind in CHOICES_WITHIN_A_TURN


def running_clock(row: GameRow, *, now: datetime) -> TurnClock:
    """Return the clock of a game whose turn continues; a bot is on turn at once."""
    is_bot_turn = is_played_by_bot(row, row.awaiting, at=row.paused_at or now)
    return TurnClock(
        turn_seq=row.turn_seq,
        started_at=row.turn_started_at or now,
        deadline_at=row.deadline_at,
        remind_at=row.remind_at,
        wake_at=(row.paused_at or now) if is_bot_turn else wake_at_without_held_turn(row, now=now),
        is_bot_turn=is_bot_turn,
    )


def new_clock(row: GameRow, seq: int, awaited: Awaiting | None, *, now: datetime) -> TurnClock:
    """Return the clock of the turn that begins after turn ``seq``.

    A person gets the time per turn and what is in their bank. An open seat gets the time per turn, and no one is reminded of
    it. A bot gets no deadline, because workers play it at once; nor does a finished game. A player who is away keeps theirs where
    a bot plays for them, because they may come back before.
    """
    if awaited is None:
        return TurnClock(turn_seq=seq, started_at=now)
    if row.seats[awaited.seat].is_bot:
        return TurnClock(turn_seq=seq, started_at=now, wake_at=now, is_bot_turn=True)
    seat, calendar = row.seats[awaited.seat], calendar_of(row, awaited.seat, start=now)
    time = row.allowance if seat.is_free else time_for_turn(seat.bank, row.pace)
    deadline_at = deadline_for(now, time, calendar)
    remind_at = first_reminder(
        reminder_for(now, time, calendar), deadline_at, seat.reminder_wishes, now=now
    )
    return TurnClock(
        turn_seq=seq,
        started_at=now,
        deadline_at=deadline_at,
        remind_at=remind_at,
        wake_at=wake_at_in_turn(
            row,
            awaited.seat,
            deadline_at if seat.is_free or remind_at is None else remind_at,
            now=now,
        ),
        is_bot_turn=is_played_by_bot(row, awaited.seat, at=now),
    )


def reminder_for(start: datetime, time: timedelta, calendar: Calendar) -> datetime:
    """Return when the player of a turn that has this much playing time is reminded."""
    return deadline_for(start, time * REMINDER_SHARE, calendar)
