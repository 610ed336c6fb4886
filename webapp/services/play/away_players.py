"""Turns of players who are away at a table where a bot plays for them.

Such a turn is a bot's as long as its player is away: bots find it as they find their own, and answer after the same time. It
keeps its deadline, for a player who comes back. The game's row says so in ``awaiting_bot``. That is set as the turn begins, by the
sweep when an absence begins, or when one is declared, and reset when the player returns.
"""

from datetime import datetime
from typing import Any

from webapp.pace.absence import away_until
from webapp.pace.reminders import next_reminder
from webapp.store.play.rows import GameRow


def is_played_by_bot(row: GameRow, number: int | None, *, at: datetime) -> bool:
    """Return whether a bot takes the turns of a seat: its own, or those of a player who is away."""
    if number is None:
        return False
    seat = row.seats[number]
    return seat.is_bot or (
        _lets_bots_play(row, number) and away_until(seat.away or (), at) is not None
    )


def wake_at_in_turn(
    row: GameRow, number: int | None, wake_at: datetime | None, *, now: datetime
) -> datetime | None:
    """Return when workers look at the turn of a seat next: at once for a bot, by ``wake_at``, or earlier if an absence begins."""
    if is_played_by_bot(row, number, at=now):
        return now
    if number is None or not _lets_bots_play(row, number):
        return wake_at
    starts = [absence.start for absence in row.seats[number].away or () if absence.start > now]
    return min([*starts, *([] if wake_at is None else [wake_at])], default=None)


def resumed_turn(row: GameRow, wake_at: datetime | None, *, now: datetime) -> dict[str, Any]:
    """Return who takes the turn of a game that is resumed, and when workers look at it next: no pause stops an absence."""
    return {
        "awaiting_bot": is_played_by_bot(row, row.awaiting, at=now),
        "wake_at": wake_at_in_turn(row, row.awaiting, wake_at, now=now),
    }


def usual_wake_at(row: GameRow, *, now: datetime) -> datetime | None:
    """Return when workers look at the running turn next for a reminder that is still to come, or for its deadline."""
    if row.remind_at is not None and row.remind_at > now:
        return row.remind_at
    if row.awaiting is None or row.deadline_at is None:
        return row.deadline_at
    preferences = row.seats[row.awaiting].reminder_wishes
    return next_reminder(row.deadline_at, preferences, after=now) or row.deadline_at


def _lets_bots_play(row: GameRow, number: int) -> bool:
    return row.late_rules.absence == "bot" and row.seats[number].account_id is not None
