"""Undoing a moderator's act, as long as nothing has changed what it changed."""

from collections.abc import Callable
from typing import Final, NamedTuple

from webapp.game_status import GameStatus
from webapp.rights import GameRight
from webapp.services.errors import DenialReason, NotAllowed
from webapp.services.play.clock_changes import (
    deadline_with_time_to_react,
    move_deadline,
    pause,
    resume,
    time_on_clock,
)
from webapp.services.play.public_change import ChangeSource, PlannedChange, PublicFacts
from webapp.services.play.seat_openings import reseat
from webapp.services.play.table_changes import make_host


class RecordedChange(NamedTuple):
    """What the act to be undone has changed."""

    seat: int | None
    before: PublicFacts
    after: PublicFacts


def _plan_shortening(source: ChangeSource, recorded_change: RecordedChange) -> PlannedChange:
    row, earlier_deadline = source.game.row, recorded_change.before.deadline_at
    if earlier_deadline is None or not _has_extended(recorded_change):
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    is_unchanged = row.deadline_at == recorded_change.after.deadline_at
    if row.status != GameStatus.RUNNING or row.deadline_at is None or not is_unchanged:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    since = time_on_clock(source)
    deadline_at = deadline_with_time_to_react(
        row, earlier_deadline, actor_id=source.change_input.actor_id, since=since
    )
    if not since < deadline_at < row.deadline_at:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    return move_deadline(source, deadline_at, cause="undone")


def _has_extended(recorded_change: RecordedChange) -> bool:
    """Return whether the act moved the deadline later: to undo an undoing would extend without counting it."""
    earlier_deadline, later_deadline = (
        recorded_change.before.deadline_at,
        recorded_change.after.deadline_at,
    )
    return (
        earlier_deadline is not None
        and later_deadline is not None
        and earlier_deadline < later_deadline
    )


def _plan_reseating(source: ChangeSource, recorded_change: RecordedChange) -> PlannedChange:
    return reseat(source, recorded_change.seat, recorded_change.before.account_id)


def _plan_handing_back(source: ChangeSource, recorded_change: RecordedChange) -> PlannedChange:
    row, former_account_id = source.game.row, recorded_change.before.account_id
    if former_account_id is None or row.host_id != recorded_change.after.account_id:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    return make_host(row, former_account_id)


class UndoRule(NamedTuple):
    """How an act is undone, and the act as which the ledger records that."""

    act: GameRight
    plan: Callable[[ChangeSource, RecordedChange], PlannedChange]


UNDO_RULES: Final[dict[GameRight, UndoRule]] = {
    GameRight.EXTEND: UndoRule(GameRight.EXTEND, _plan_shortening),
    GameRight.PAUSE: UndoRule(GameRight.RESUME, lambda source, _: resume(source)),
    GameRight.RESUME: UndoRule(GameRight.PAUSE, lambda source, _: pause(source)),
    GameRight.OPEN_SEAT: UndoRule(GameRight.SEAT_PERSON, _plan_reseating),
    GameRight.HAND_OVER_TABLE: UndoRule(GameRight.HAND_OVER_TABLE, _plan_handing_back),
}
"""The acts that can be undone. A new name is undone by another name, and a rewind or a cancelled game not at all."""
