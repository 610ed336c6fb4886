"""The running turns of a person whose absences change: their deadlines move with them, in the same transaction."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from webapp.pace.arithmetic import deadline_for, elapsed_time
from webapp.pace.reminders import next_reminder
from webapp.services.accounts.person import Person
from webapp.services.play.away_players import (
    is_played_by_bot,
    usual_wake_at,
    wake_at_in_turn,
)
from webapp.services.play.clock_changes import turn_email
from webapp.services.play.clock_reading import calendar_of, clock_time
from webapp.services.play.held_turns import held_turn_of, wake_at_with_held_turn
from webapp.services.tx import Tx
from webapp.store.clock import absences, deadline_events
from webapp.store.clock.deadline_events import GameEvent
from webapp.store.notifications import outbox
from webapp.store.play import changes, deadlines, games
from webapp.store.play.rows import GameRow


@contextmanager
def moving_deadlines(tx: Tx, person: Person) -> Iterator[None]:
    """Move the deadlines of all turns that wait for the person by what the body changes in their absences.

    Locks all the person's games before anything else, as everyone locks games before an account. As much playing time is left
    as before. A turn that another player is taking at the same time reads the absences again.
    """
    ids = absences.lock_games(tx.connection, person.id)
    rows_before = games.find_many_to_play(tx.connection, ids)
    yield
    changes.increment_player_changes(tx.connection, ids)
    rows_after = games.find_many_to_play(tx.connection, ids)
    events = [
        event
        for game_id in ids
        if _waits_for(rows_before[game_id], person)
        if not _hand_turn_on(tx, rows_before[game_id], rows_after[game_id])
        if (event := _move_deadline(tx, rows_before[game_id], rows_after[game_id]))
    ]
    deadline_events.append(tx.connection, events)


def _waits_for(row: GameRow, person: Person) -> bool:
    return row.awaiting is not None and row.seats[row.awaiting].account_id == person.id


def _hand_turn_on(tx: Tx, before: GameRow, after: GameRow) -> bool:
    """Hand a turn to a bot because its player is away now, or back to them; return False where no bot plays for players."""
    seat, at = after.awaiting, after.paused_at or tx.now
    if after.late_rules.absence != "bot" or held_turn_of(after) is not None:
        return False
    if is_played_by_bot(after, seat, at=tx.now):
        deadlines.hand_to_bots(tx.connection, [after.id], at=at)
        tx.nudges.add("bots")
        return True
    wake_at = wake_at_in_turn(after, seat, usual_wake_at(after, now=at), now=tx.now)
    deadlines.hand_back_to_player(tx.connection, after.id, wake_at=wake_at)
    if is_played_by_bot(before, seat, at=tx.now):
        outbox.enqueue(tx.connection, turn_email(after, tx.now))
        tx.nudges.add("emails")
    return True


def _move_deadline(tx: Tx, before: GameRow, after: GameRow) -> GameEvent | None:
    """Store the new deadline of one game and return its event; None if it stays as it is."""
    values = _moved_deadline_times(before, after, now=tx.now)
    if values is None or before.awaiting is None:
        return None
    changes.change_game(
        tx.connection, changes.ExpectedPosition(before.id, before.seq, before.status), values
    )
    return GameEvent(
        game_id=before.id,
        turn_seq=before.turn_seq,
        at=tx.now,
        kind="absence",
        by="player",
        seat=before.awaiting,
        account_id=before.seats[before.awaiting].account_id,
        deadline_at=values["deadline_at"],
    )


def _moved_deadline_times(
    before: GameRow, after: GameRow, *, now: datetime
) -> dict[str, Any] | None:
    """Return the times of a turn with the absences of ``after``; None if its deadline has passed or stays."""
    deadline_at, seat = before.deadline_at, before.awaiting
    at = clock_time(before, before.maintenance, at=before.paused_at or now)
    if deadline_at is None or deadline_at <= at or seat is None:
        return None
    old_calendar, calendar = calendar_of(before, seat), calendar_of(after, seat)
    moved_at = deadline_for(at, elapsed_time(at, deadline_at, old_calendar), calendar)
    if moved_at == deadline_at:
        return None
    preferences = before.seats[seat].reminder_wishes
    remind_at = before.remind_at
    if preferences.hours:
        remind_at = next_reminder(moved_at, preferences, after=now)
    elif remind_at is not None and remind_at > at:
        remind_at = deadline_for(at, elapsed_time(at, remind_at, old_calendar), calendar)
    else:
        # They have been reminded, and are not again because they have said that they are away.
        return {
            "deadline_at": moved_at,
            "wake_at": wake_at_with_held_turn(before, moved_at, moved_at),
        }
    wake_at = wake_at_with_held_turn(before, remind_at or moved_at, moved_at)
    return {"deadline_at": moved_at, "remind_at": remind_at, "wake_at": wake_at}
