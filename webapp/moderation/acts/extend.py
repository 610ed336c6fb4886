"""Move the deadline of the turn under way."""

import argparse
from datetime import datetime, timedelta
from typing import Final

from webapp.kernel.game_status import GameStatus
from webapp.kernel.i18n import N_
from webapp.kernel.public_acts import PublicFacts
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed, out_of_range
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Tx
from webapp.play.changes.acts import (
    RUNNING,
    Act,
    ActCommand,
    ActInput,
    ActLimit,
    ChoiceField,
    FilledForm,
    NumberField,
    TurnLimit,
)
from webapp.play.changes.public_change import (
    ChangeSource,
    PlannedChange,
    RecordedChange,
    account_on_turn,
    planned_clock_change,
    require_status,
)

LONGEST_EXTENSION: Final = timedelta(days=14)
"""The most playing time that one act may add to a deadline."""
_SHORTEST_EXTENSION: Final = timedelta(minutes=1)
_MAX_HOURS: Final = LONGEST_EXTENSION // timedelta(hours=1)
_MAX_ARGUMENT: Final = 1000
_DURATION_BY_UNIT: Final = {"hours": timedelta(hours=1), "days": timedelta(days=1)}


class ExtendInput(ActInput, frozen=True, kw_only=True):
    """How much longer the turn may take."""

    extra: timedelta


class ExtendAct(Act[ExtendInput]):
    right = GameRight.EXTEND
    label = N_("Extend")
    summary = N_("Move a deadline")
    announcement = N_("%(name)s's deadline moves from %(deadline_before)s to %(deadline)s.")
    note = N_(
        "At most 14 days at once, three times in a turn, and never to more than 30 days from now."
    )
    input_type = ExtendInput
    fields = (
        NumberField("length", N_("How much longer"), low=1, high=_MAX_HOURS, default="2"),
        ChoiceField("unit", N_("Unit"), {"hours": N_("hours"), "days": N_("days")}, default="days"),
    )
    command = ActCommand("game", "extend", "move the deadline of the present turn", order=1)
    group = ("time", 1)
    statuses = RUNNING
    needs = "a deadline"
    is_bulk = True
    is_on_dashboard = True
    limit = ActLimit(12)
    turn_limit = TurnLimit(3, DenialReason.TOO_MANY_EXTENSIONS)
    undone_as = GameRight.EXTEND

    def plan(self, source: ChangeSource, given: ExtendInput) -> PlannedChange:
        """Move the deadline of the turn. A deadline that has passed is moved from now on.

        While the site is under maintenance, "now" is when that stopped the clock, which is moved by its length afterwards.
        """
        row = source.game.row
        require_status(row, GameStatus.RUNNING)
        if row.deadline_at is None or row.awaiting is None:
            raise NotAllowed(DenialReason.NO_DEADLINE)
        if source.actor.id is not None and account_on_turn(row) == source.actor.id:
            raise NotAllowed(DenialReason.EXTENDS_OWN_TURN)
        if not _SHORTEST_EXTENSION <= given.extra <= LONGEST_EXTENSION:
            raise FieldErrors(out_of_range("extra", 1, LONGEST_EXTENSION.days))
        deadline_at = source.clock.extended_deadline(given.extra, now=source.tx.now)
        if deadline_at <= row.deadline_at:
            raise NotAllowed(DenialReason.DEADLINE_TOO_FAR)
        return _move_deadline(source, deadline_at)

    def plan_undoing(self, source: ChangeSource, recorded_change: RecordedChange) -> PlannedChange:
        """Move an extended deadline back, but leave its player as much time as a reminder does."""
        row, earlier_deadline = source.game.row, recorded_change.before.deadline_at
        later_deadline, since = (
            recorded_change.after.deadline_at,
            source.clock.time_shown(source.tx.now),
        )
        # To undo an undoing would extend without counting it.
        if earlier_deadline is None or later_deadline is None or earlier_deadline >= later_deadline:
            raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
        if row.status != GameStatus.RUNNING or row.deadline_at != later_deadline:
            raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
        deadline_at = source.clock.deadline_with_time_to_react(
            earlier_deadline, actor_id=source.actor.id, since=since
        )
        if not since < deadline_at < later_deadline:
            raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
        return _move_deadline(source, deadline_at, cause="undone")

    def read_form(self, form: FilledForm) -> ExtendInput:
        duration = _DURATION_BY_UNIT[form.text("unit")]
        return ExtendInput(extra=(form.number("length") or 0) * duration)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--days", metavar="N", type=_parse_amount, default=0)
        parser.add_argument("--hours", metavar="N", type=_parse_amount, default=0)

    def read_arguments(self, tx: Tx, arguments: argparse.Namespace) -> ExtendInput:
        del tx
        return ExtendInput(extra=timedelta(days=arguments.days, hours=arguments.hours))


def _move_deadline(
    source: ChangeSource, deadline_at: datetime, *, cause: str = ""
) -> PlannedChange:
    """Set the deadline of the turn; its reminder keeps the same distance to it."""
    change = source.clock.extend(deadline_at, by=source.by, now=source.tx.now, cause=cause)
    before = PublicFacts(deadline_at=source.game.row.deadline_at)
    return planned_clock_change(source, change, before, PublicFacts(deadline_at=deadline_at))


def _parse_amount(argument: str) -> int:
    if not (argument.isascii() and argument.isdigit() and int(argument) <= _MAX_ARGUMENT):
        raise argparse.ArgumentTypeError(
            f"expected a number up to {_MAX_ARGUMENT}, not {argument!r}"
        )
    return int(argument)


ACT = ExtendAct()
