"""Changes of a game's clock: its deadline is moved, it is paused and resumed. Every function plans; the plan writes.

A pause leaves all times of the turn as they are. Resuming moves them by the length of the pause, so the time that is left
stays exactly the same, however often a game is paused.
"""

from datetime import datetime, timedelta
from typing import Any, Final

from webapp.game_status import GameStatus
from webapp.services.errors import DenialReason, FieldErrors, NotAllowed, StaleTurn, out_of_range
from webapp.services.play.public_change import (
    ChangeSource,
    PlannedChange,
    PublicChange,
    PublicFacts,
)
from webapp.services.tx import Tx
from webapp.store.notifications import outbox
from webapp.store.notifications.outbox import NewNotification
from webapp.store.play import changes
from webapp.store.play.rows import GameRow

LONGEST_EXTENSION: Final = timedelta(days=14)
"""The most by which one act may move a deadline."""
FARTHEST_DEADLINE: Final = timedelta(days=30)
"""No extension moves a deadline farther away than this, however many there are."""
_SHORTEST_EXTENSION: Final = timedelta(minutes=1)
_NO_TIME: Final = timedelta(0)


def extend(source: ChangeSource) -> PlannedChange:
    """Move the deadline of the turn. A deadline that has passed is moved from now on.

    While the site is under maintenance, "now" is when that stopped the clock, which is moved by its length afterwards.
    """
    row = source.game.row
    require_status(row, GameStatus.RUNNING)
    if row.deadline_at is None or row.awaiting is None:
        raise NotAllowed(DenialReason.NO_DEADLINE)
    deadline_at = _extended_deadline(row.deadline_at, source.change_input.extra, clock_time(source))
    return move_deadline(row, deadline_at)


def move_deadline(row: GameRow, deadline_at: datetime) -> PlannedChange:
    """Set the deadline of the turn; its reminder keeps the same distance to it."""
    assert row.deadline_at is not None
    extension = deadline_at - row.deadline_at
    remind_at = None if row.remind_at is None else row.remind_at + extension
    is_open = row.awaiting is not None and row.seats[row.awaiting].is_free
    values = {
        "deadline_at": deadline_at,
        "remind_at": remind_at,
        "wake_at": deadline_at if is_open or remind_at is None else remind_at,
    }
    change = PublicChange(
        seat=row.awaiting,
        account_id=account_on_turn(row),
        before=PublicFacts(deadline_at=row.deadline_at),
        after=PublicFacts(deadline_at=deadline_at),
    )
    return _planned_change(row, values, change)


def pause(source: ChangeSource) -> PlannedChange:
    """Stop the clock; no one can play until the game is resumed."""
    row, now = source.game.row, source.now
    require_status(row, GameStatus.RUNNING)
    change = PublicChange(
        seat=row.awaiting,
        account_id=account_on_turn(row),
        before=PublicFacts(deadline_at=row.deadline_at),
        after=PublicFacts(time_left=time_left(row, now=clock_time(source))),
    )
    return _planned_change(row, {"status": GameStatus.PAUSED, "paused_at": now}, change)


def resume(source: ChangeSource) -> PlannedChange:
    """Let the clock run again with the time that was left, and send the player on turn another email."""
    row, now = source.game.row, source.now
    require_status(row, GameStatus.PAUSED)
    paused_for = _time_stopped(source)
    times = {"deadline_at": row.deadline_at, "remind_at": row.remind_at, "wake_at": row.wake_at}
    extension = {name: None if at is None else at + paused_for for name, at in times.items()}
    change = PublicChange(
        seat=row.awaiting,
        account_id=account_on_turn(row),
        before=PublicFacts(time_left=_time_kept(source)),
        after=PublicFacts(deadline_at=extension["deadline_at"]),
    )
    values = {"status": GameStatus.RUNNING, "paused_at": None, **extension}
    return _planned_change(row, values, change, new_notifications=_turn_email(row, now))


def clock_time(source: ChangeSource) -> datetime:
    """Return the instant by which the deadline of a running game counts: now, or earlier if a maintenance stops its clock.

    It is earlier by exactly what the end of that maintenance is going to add to the deadline.
    """
    row, now = source.game.row, source.now
    return now - _time_to_add(source, since=row.turn_started_at or now, until=now)


def _time_stopped(source: ChangeSource) -> timedelta:
    """Return by how much the end of a pause moves the clock: its length, without what a maintenance is still going to add."""
    row, now = source.game.row, source.now
    assert row.paused_at is not None
    length = max(now - row.paused_at, _NO_TIME)
    return length - _time_to_add(source, since=row.paused_at, until=now)


def _time_kept(source: ChangeSource) -> timedelta | None:
    """Return the time that a paused turn has left, without what a maintenance before the pause has taken."""
    row = source.game.row
    assert row.paused_at is not None
    since = row.turn_started_at or row.paused_at
    return time_left(
        row, now=row.paused_at - _time_to_add(source, since=since, until=row.paused_at)
    )


def _time_to_add(source: ChangeSource, *, since: datetime, until: datetime) -> timedelta:
    maintenance = source.maintenance
    if maintenance is None:
        return _NO_TIME
    return maintenance.time_to_add(source.game.row.id, since, until)


def time_left(row: GameRow, *, now: datetime) -> timedelta | None:
    """Return how much of the turn's time is left at an instant; None without a deadline."""
    if row.deadline_at is None:
        return None
    return max(row.deadline_at - now, _NO_TIME)


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
    raise NotAllowed(DenialReason.PAUSED_FIRST if is_paused else DenialReason.NOT_PAUSED)


def _extended_deadline(
    deadline_at: datetime, added_time: timedelta | None, now: datetime
) -> datetime:
    """Return the new deadline, at most the farthest one. Raises FieldErrors, and NotAllowed if that is no later."""
    if added_time is None or not _SHORTEST_EXTENSION <= added_time <= LONGEST_EXTENSION:
        raise FieldErrors(out_of_range("extra", 1, LONGEST_EXTENSION.days))
    extended_deadline = min(max(deadline_at, now) + added_time, now + FARTHEST_DEADLINE)
    if extended_deadline <= deadline_at:
        raise NotAllowed(DenialReason.DEADLINE_TOO_FAR)
    return extended_deadline


def _turn_email(row: GameRow, now: datetime) -> list[NewNotification]:
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
    *,
    new_notifications: list[NewNotification] | None = None,
) -> PlannedChange:
    def write(tx: Tx) -> None:
        expected = changes.ExpectedPosition(row.id, row.seq, row.status)
        if not changes.change_game(tx.connection, expected, values):
            raise StaleTurn
        outbox.enqueue(tx.connection, new_notifications or [])
        tx.nudges.add("bots")

    return PlannedChange(change=change, write=write)
