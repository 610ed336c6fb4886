"""Changes of a game's clock: its deadline is moved, it is paused and resumed. Every function plans; the plan writes.

A pause leaves all times of the turn as they are. Resuming moves them so that as much playing time is left as before,
however often a game is paused. Every change is an event of the deadline.
"""

from datetime import datetime, timedelta
from typing import Any, Final

from webapp.game_status import GameStatus
from webapp.pace.arithmetic import deadline_for, elapsed_time
from webapp.services.errors import DenialReason, FieldErrors, NotAllowed, out_of_range
from webapp.services.play.away_players import resumed_turn, usual_wake_at, wake_at_in_turn
from webapp.services.play.clock_reading import (
    calendar_of,
    clock_time,
    reminder_before,
    resumed_time,
    row_after_pause,
    time_left,
)
from webapp.services.play.held_turns import drop_held_turn, wake_at_with_held_turn
from webapp.services.play.public_change import (
    ChangeSource,
    GameValues,
    PlannedChange,
    PublicChange,
    PublicFacts,
    RecordedChange,
    SeatValues,
)
from webapp.services.play.turn_clock import REMINDER_SHARE
from webapp.store.clock.deadline_events import GameEvent
from webapp.store.notifications.outbox import NewNotification
from webapp.store.play.rows import GameRow

LONGEST_EXTENSION: Final = timedelta(days=14)
"""The most playing time that one act may add to a deadline."""
FARTHEST_DEADLINE: Final = timedelta(days=30)
"""No extension leaves a turn more playing time than this, however many there are."""
_SHORTEST_EXTENSION: Final = timedelta(minutes=1)


def extend_deadline(source: ChangeSource, added_time: timedelta) -> PlannedChange:
    """Move the deadline of the turn. A deadline that has passed is moved from now on.

    While the site is under maintenance, "now" is when that stopped the clock, which is moved by its length afterwards.
    """
    row = source.game.row
    require_status(row, GameStatus.RUNNING)
    if row.deadline_at is None or row.awaiting is None:
        raise NotAllowed(DenialReason.NO_DEADLINE)
    if source.actor.id is not None and account_on_turn(row) == source.actor.id:
        raise NotAllowed(DenialReason.EXTENDS_OWN_TURN)
    return move_deadline(source, _extended_deadline(source, row.deadline_at, added_time))


def undo_extension(source: ChangeSource, recorded_change: RecordedChange) -> PlannedChange:
    """Move an extended deadline back, but leave its player as much time as a reminder does."""
    row, earlier_deadline = source.game.row, recorded_change.before.deadline_at
    later_deadline, since = recorded_change.after.deadline_at, time_on_clock(source)
    # To undo an undoing would extend without counting it.
    if earlier_deadline is None or later_deadline is None or earlier_deadline >= later_deadline:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    if row.status != GameStatus.RUNNING or row.deadline_at != later_deadline:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    deadline_at = deadline_with_time_to_react(
        row, earlier_deadline, actor_id=source.actor.id, since=since
    )
    if not since < deadline_at < later_deadline:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    return move_deadline(source, deadline_at, cause="undone")


def deadline_with_time_to_react(
    row: GameRow, deadline_at: datetime, *, actor_id: int | None, since: datetime
) -> datetime:
    """Return this deadline, or a later one that leaves the player on turn as much playing time as a reminder does.

    No act of someone else may leave them less: neither one that moves their deadline nearer nor one with which their turn continues.
    The time counts from ``since``, by the clock of the game. Who sets their own deadline gets no more than they had.
    """
    if account_on_turn(row) in {None, actor_id}:
        return deadline_at
    time_to_react = row.allowance * (1 - REMINDER_SHARE)
    return max(deadline_at, deadline_for(since, time_to_react, calendar_of(row, row.awaiting)))


def move_deadline(source: ChangeSource, deadline_at: datetime, *, cause: str = "") -> PlannedChange:
    """Set the deadline of the turn; its reminder keeps the same distance to it."""
    row = source.game.row
    assert row.deadline_at is not None
    remind_at = reminder_before(row, deadline_at, now=source.now)
    is_open = row.awaiting is not None and row.seats[row.awaiting].is_free
    values = {
        "deadline_at": deadline_at,
        "remind_at": remind_at,
        "wake_at": wake_at_with_held_turn(
            row,
            wake_at_in_turn(
                row,
                row.awaiting,
                deadline_at if is_open or remind_at is None else remind_at,
                now=source.now,
            ),
            deadline_at,
        ),
    }
    change = PublicChange(
        seat=row.awaiting,
        account_id=account_on_turn(row),
        before=PublicFacts(deadline_at=row.deadline_at),
        after=PublicFacts(deadline_at=deadline_at),
    )
    event = _event(source, "extended", deadline_at, cause=cause)
    return _planned_change(row, values, change, event)


def pause(source: ChangeSource) -> PlannedChange:
    """Stop the clock; no one can play until the game is resumed."""
    row, now = source.game.row, source.now
    require_status(row, GameStatus.RUNNING)
    change = PublicChange(
        seat=row.awaiting,
        account_id=account_on_turn(row),
        before=PublicFacts(deadline_at=row.deadline_at),
        after=PublicFacts(time_left=time_left(row, now=time_on_clock(source))),
    )
    event = _event(source, "paused", row.deadline_at)
    values = {"status": GameStatus.PAUSED, "paused_at": now, **drop_held_turn(row, now=now)}
    return _planned_change(row, values, change, event)


def resume(source: ChangeSource) -> PlannedChange:
    """Let the clock run again with the time that was left, and send the player on turn another email."""
    row, now = source.game.row, source.now
    require_status(row, GameStatus.PAUSED)
    assert row.paused_at is not None
    paused_at = clock_time(row, source.maintenance, at=row.paused_at)
    resumed_at = clock_time(row, source.maintenance, at=max(now, row.paused_at))
    resumed_row = row_after_pause(row, paused_at=paused_at, resumed_at=resumed_at)
    wake_at = row.wake_at
    if row.late_rules.absence == "bot":
        # The stored one may be the beginning of an absence, which no pause moves.
        wake_at = usual_wake_at(row, now=row.paused_at)
    times = {"deadline_at": row.deadline_at, "remind_at": row.remind_at, "wake_at": wake_at}
    moved_times = {
        name: None
        if at is None
        else resumed_time(at, row, resumed_row, paused_at=paused_at, resumed_at=resumed_at)
        for name, at in times.items()
    }
    deadline_at, cause = moved_times["deadline_at"], ""
    if deadline_at is not None:
        later_deadline = deadline_with_time_to_react(
            resumed_row, deadline_at, actor_id=source.actor.id, since=resumed_at
        )
        cause = "time-to-react" if later_deadline > deadline_at else ""
        # A game that waits for nothing before its deadline waits for nothing before the later one.
        moved_times |= {
            name: later_deadline for name, at in moved_times.items() if at == deadline_at
        }
    change = PublicChange(
        seat=row.awaiting,
        account_id=account_on_turn(row),
        before=PublicFacts(time_left=time_left(row, now=paused_at)),
        after=PublicFacts(deadline_at=moved_times["deadline_at"]),
    )
    values = {
        "status": GameStatus.RUNNING,
        "paused_at": None,
        **moved_times,
        **resumed_turn(row, moved_times["wake_at"], now=now),
    }
    event = _event(source, "resumed", moved_times["deadline_at"], cause=cause)
    return _planned_change(
        resumed_row, values, change, event, new_notifications=turn_email(row, now)
    )


def time_on_clock(source: ChangeSource) -> datetime:
    """Return the instant by which the deadline of a running game counts: now, or earlier if a maintenance stops its clock."""
    return clock_time(source.game.row, source.maintenance, at=source.now)


def account_on_turn(row: GameRow) -> int | None:
    """Return the person whose turn it is; None for bots and open seats."""
    return None if row.awaiting is None else row.seats[row.awaiting].account_id


def require_status(row: GameRow, *allowed_statuses: GameStatus) -> None:
    """Raise NotAllowed unless the game is at one of these stages."""
    if row.status in allowed_statuses:
        return
    if not row.status.is_under_way:
        raise NotAllowed(DenialReason.GAME_NOT_UNDER_WAY)
    is_paused = row.status == GameStatus.PAUSED
    raise NotAllowed(DenialReason.MUST_RESUME_FIRST if is_paused else DenialReason.NOT_PAUSED)


def _extended_deadline(
    source: ChangeSource, deadline_at: datetime, added_time: timedelta
) -> datetime:
    """Return the new deadline, at most the farthest one. Raises FieldErrors, and NotAllowed if that is no later."""
    row, now = source.game.row, time_on_clock(source)
    if not _SHORTEST_EXTENSION <= added_time <= LONGEST_EXTENSION:
        raise FieldErrors(out_of_range("extra", 1, LONGEST_EXTENSION.days))
    calendar = calendar_of(row, row.awaiting)
    new_time_left = min(elapsed_time(now, deadline_at, calendar) + added_time, FARTHEST_DEADLINE)
    extended_deadline = deadline_for(now, new_time_left, calendar)
    if extended_deadline <= deadline_at:
        raise NotAllowed(DenialReason.DEADLINE_TOO_FAR)
    return extended_deadline


def _event(
    source: ChangeSource, kind: str, deadline_at: datetime | None, *, cause: str = ""
) -> GameEvent:
    row = source.game.row
    return GameEvent(
        game_id=row.id,
        turn_seq=row.turn_seq,
        at=source.now,
        kind=kind,
        seat=row.awaiting,
        account_id=account_on_turn(row),
        by=source.by,
        deadline_at=deadline_at,
        cause=cause,
    )


def turn_email(row: GameRow, now: datetime) -> list[NewNotification]:
    """Return another email that calls the player to the running turn; none for bots and open seats."""
    account_id = account_on_turn(row)
    if account_id is None:
        return []
    return [
        NewNotification(
            kind="your-turn",
            game_id=row.id,
            seq=row.turn_seq,
            account_id=account_id,
            # Another one than that of the email at the beginning of the turn.
            dedup_key=int(now.timestamp()),
            due_at=now,
        )
    ]


def _planned_change(
    row: GameRow,
    values: dict[str, Any],
    change: PublicChange,
    event: GameEvent,
    *,
    new_notifications: list[NewNotification] | None = None,
) -> PlannedChange:
    seat_values = []
    if row.awaiting is not None and event.kind == "resumed":
        used_time = {"absence_used": row.seats[row.awaiting].absence_used}
        seat_values = [SeatValues(row.awaiting, used_time)]
    return PlannedChange(
        change=change,
        values=(GameValues(values), *seat_values, event, *(new_notifications or [])),
        nudges=frozenset({"bots"}),
    )
