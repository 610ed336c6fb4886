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
from webapp.services.play.public_change import (
    EMAILS,
    ChangedPlayers,
    ChangeSource,
    ChangeValue,
    EndedSitting,
    GameValues,
    PlannedChange,
    PublicChange,
    PublicFacts,
    ReturnedSeat,
    SeatValues,
)
from webapp.services.play.seat_changes import seat_in_play
from webapp.store.notifications import pending_emails
from webapp.store.notifications.outbox import NewNotification
from webapp.store.play import changes, games
from webapp.store.play.rows import GameRow


def open_seat(source: ChangeSource, number: int) -> PlannedChange:
    """Take a person's seat away; until someone takes it over, the clock plays its turns."""
    row, seat = source.game.row, seat_in_play(source, number)
    if seat.account_id is None:
        raise NotAllowed(DenialReason.SEAT_IS_OPEN)

    opened_seat = {
        "account_id": None,
        "opened_at": source.now,
        "leaver_id": seat.account_id,
        "is_lost": source.by == SERVER,
    }
    values: list[ChangeValue] = [
        EndedSitting(seat),
        SeatValues(number, opened_seat),
        # Their turn may be on its way, or one after which they would be reminded of the next.
        ChangedPlayers(),
    ]
    if row.awaiting == number:
        # No one is there to be reminded.
        values.append(GameValues({"wake_at": row.deadline_at}))
    change = PublicChange(
        seat=seat.number,
        account_id=seat.account_id,
        before=PublicFacts(account_id=seat.account_id),
    )
    return PlannedChange(change=change, values=tuple(values))


def reseat(source: ChangeSource, number: int | None, account_id: int | None) -> PlannedChange:
    """Give an open seat back to the person who had it last. Raises NotAllowed if that is no longer possible."""
    row = source.game.row
    if number is None or account_id is None or not row.seats[number].is_free:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    # Someone else may have had the seat since then, and have seen more.
    if changes.last_former_player_id(source.tx.connection, row.id, number) != account_id:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    require_status(row, GameStatus.RUNNING, GameStatus.PAUSED)

    change = PublicChange(
        seat=number, account_id=account_id, after=PublicFacts(account_id=account_id)
    )
    return PlannedChange(change=change, values=(ReturnedSeat(number, account_id),))


def deadline_for_returned_player(source: ChangeSource) -> PlannedChange | None:
    """Return a later deadline of a running game that is too near for the player who has the seat on turn again; None if it isn't."""
    row = _row_now(source)
    if row.status != GameStatus.RUNNING or row.deadline_at is None:
        return None
    later_deadline = deadline_with_time_to_react(
        row, row.deadline_at, actor_id=source.actor.id, since=time_on_clock(source)
    )
    if later_deadline <= row.deadline_at:
        return None
    return move_deadline(source._replace(game=load_game(source.tx, row)), later_deadline)


def call_for_returned_player(source: ChangeSource, account_id: int) -> PlannedChange:
    """Return the next look at a game for the player who has the seat on turn again, and the email that calls them to it.

    Workers look at it at a reminder, a held turn or the deadline.
    """
    row = _row_now(source)
    remind_at, wake_at = _next_reminder(row, now=row.paused_at or source.now), None
    if row.deadline_at is not None:
        wake_at = wake_at_with_held_turn(row, remind_at or row.deadline_at, row.deadline_at)
    # One that was dropped while the seat was open would keep another with its key from being queued.
    was_dropped = pending_emails.was_dropped(
        source.tx.connection, row.id, "your-turn", account_id, row.turn_seq
    )
    call = NewNotification(
        kind="your-turn",
        game_id=row.id,
        seq=row.turn_seq,
        account_id=account_id,
        dedup_key=int(source.now.timestamp()) if was_dropped else 0,
        due_at=source.now,
    )
    return PlannedChange(
        change=PublicChange(),
        values=(GameValues({"remind_at": remind_at, "wake_at": wake_at}), call),
        nudges=EMAILS,
    )


def _row_now(source: ChangeSource) -> GameRow:
    game_id = source.game.row.id
    return games.find_many_to_play(source.tx.connection, [game_id])[game_id]


def _next_reminder(row: GameRow, *, now: datetime) -> datetime | None:
    """Return when the player on turn is reminded next, as they wish; None if no reminder is left."""
    if row.awaiting is None or row.deadline_at is None or row.remind_at is None:
        return None
    preferences = row.seats[row.awaiting].reminder_wishes
    remind_at = first_reminder(row.remind_at, row.deadline_at, preferences, now=now)
    return remind_at if remind_at is not None and remind_at > now else None
