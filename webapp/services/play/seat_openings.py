"""Opening a seat of a dealt game, and giving it back to the person who had it.

What that person has planned or held stays in the game's row, and counts again if they return while it still can; no one else
ever sees it, and it is deleted once someone else has the seat.
"""

from datetime import datetime

from webapp.game_status import GameStatus
from webapp.pace.reminders import first_reminder
from webapp.rights import SERVER
from webapp.services.errors import DenialReason, NotAllowed
from webapp.services.play.access import load_game
from webapp.services.play.clock_changes import (
    deadline_with_time_to_react,
    move_deadline,
    require_status,
    time_on_clock,
)
from webapp.services.play.held_turns import wake_at_with_held_turn
from webapp.services.play.lost_seats import give_seat_back
from webapp.services.play.public_change import (
    ChangeSource,
    PlannedChange,
    PublicChange,
    PublicFacts,
)
from webapp.services.play.seat_changes import record_sitting, seat_in_play
from webapp.services.tx import Tx
from webapp.store.notifications import outbox, pending_emails
from webapp.store.notifications.outbox import NewNotification
from webapp.store.play import changes, games
from webapp.store.play.rows import GameRow


def open_seat(source: ChangeSource, number: int) -> PlannedChange:
    """Take a person's seat away; until someone takes it over, the clock plays its turns."""
    row, seat = source.game.row, seat_in_play(source, number)
    if seat.account_id is None:
        raise NotAllowed(DenialReason.SEAT_IS_OPEN)

    def write(tx: Tx) -> None:
        record_sitting(tx, source.game, seat)
        opened_seat = {
            "account_id": None,
            "opened_at": source.now,
            "leaver_id": seat.account_id,
            "is_lost": source.by == SERVER,
        }
        changes.change_seat(tx.connection, row.id, seat.number, opened_seat)
        # Their turn may be on its way, or one after which they would be reminded of the next.
        changes.increment_player_changes(tx.connection, [row.id])
        if row.awaiting == seat.number:
            expected = changes.ExpectedPosition(row.id, row.seq, row.status)
            # No one is there to be reminded.
            changes.change_game(tx.connection, expected, {"wake_at": row.deadline_at})

    change = PublicChange(
        seat=seat.number,
        account_id=seat.account_id,
        before=PublicFacts(account_id=seat.account_id),
    )
    return PlannedChange(change=change, write=write)


def reseat(source: ChangeSource, number: int | None, account_id: int | None) -> PlannedChange:
    """Give an open seat back to the person who had it last. Raises NotAllowed if that is no longer possible."""
    row = source.game.row
    if number is None or account_id is None or not row.seats[number].is_free:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    # Someone else may have had the seat since then, and have seen more.
    if changes.last_former_player_id(source.tx.connection, row.id, number) != account_id:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    require_status(row, GameStatus.RUNNING, GameStatus.PAUSED)

    def write(tx: Tx) -> None:
        give_seat_back(tx.at(source.now), row.id, number, account_id)
        if row.awaiting == number:
            _leave_time_to_react(tx, source)
            _wake_for_player(tx.at(source.now), row.id)
            _call_player(tx.at(source.now), row, account_id)

    change = PublicChange(
        seat=number, account_id=account_id, after=PublicFacts(account_id=account_id)
    )
    return PlannedChange(change=change, write=write)


def _leave_time_to_react(tx: Tx, source: ChangeSource) -> None:
    """Move the deadline of a running game if it is too near for the player who has the seat on turn again."""
    row = games.find_many_to_play(tx.connection, [source.game.row.id])[source.game.row.id]
    if row.status != GameStatus.RUNNING or row.deadline_at is None:
        return
    later_deadline = deadline_with_time_to_react(
        row,
        row.deadline_at,
        actor_id=source.actor.id,
        since=time_on_clock(source),
    )
    if later_deadline > row.deadline_at:
        source_with_player = source._replace(game=load_game(tx, row))
        move_deadline(source_with_player, later_deadline).write(tx)


def _wake_for_player(tx: Tx, game_id: int) -> None:
    """Plan the next look at a game for the player who has the seat on turn again: at a reminder, a held turn or the deadline."""
    row = games.find_many_to_play(tx.connection, [game_id])[game_id]
    remind_at, wake_at = _next_reminder(row, now=row.paused_at or tx.now), None
    if row.deadline_at is not None:
        wake_at = wake_at_with_held_turn(row, remind_at or row.deadline_at, row.deadline_at)
    expected = changes.ExpectedPosition(row.id, row.seq, row.status)
    changes.change_game(tx.connection, expected, {"remind_at": remind_at, "wake_at": wake_at})


def _call_player(tx: Tx, row: GameRow, account_id: int) -> None:
    """Queue the email about the running turn for the player who has the seat again, unless they got it before they lost the seat."""
    # One that was dropped while the seat was open would keep another with its key from being queued.
    was_dropped = pending_emails.was_dropped(
        tx.connection, row.id, "your-turn", account_id, row.turn_seq
    )
    call = NewNotification(
        kind="your-turn",
        game_id=row.id,
        seq=row.turn_seq,
        account_id=account_id,
        dedup_key=int(tx.now.timestamp()) if was_dropped else 0,
        due_at=tx.now,
    )
    outbox.enqueue(tx.connection, [call])
    tx.nudges.add("emails")


def _next_reminder(row: GameRow, *, now: datetime) -> datetime | None:
    """Return when the player on turn is reminded next, as they wish; None if no reminder is left."""
    if row.awaiting is None or row.deadline_at is None or row.remind_at is None:
        return None
    preferences = row.seats[row.awaiting].reminder_wishes
    remind_at = first_reminder(row.remind_at, row.deadline_at, preferences, now=now)
    return remind_at if remind_at is not None and remind_at > now else None
