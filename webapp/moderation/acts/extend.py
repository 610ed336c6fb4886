"""Move the deadline of the turn under way."""

import argparse
from datetime import timedelta
from typing import Final

from webapp.kernel.i18n import N_
from webapp.kernel.refusals import DenialReason
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
    LONGEST_EXTENSION,
    ChangeSource,
    PlannedChange,
    RecordedChange,
    extend_deadline,
    undo_extension,
)

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
        return extend_deadline(source, given.extra)

    def plan_undoing(self, source: ChangeSource, recorded_change: RecordedChange) -> PlannedChange:
        return undo_extension(source, recorded_change)

    def read_form(self, form: FilledForm) -> ExtendInput:
        duration = _DURATION_BY_UNIT[form.text("unit")]
        return ExtendInput(extra=(form.number("length") or 0) * duration)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--days", metavar="N", type=_parse_amount, default=0)
        parser.add_argument("--hours", metavar="N", type=_parse_amount, default=0)

    def read_arguments(self, tx: Tx, arguments: argparse.Namespace) -> ExtendInput:
        del tx
        return ExtendInput(extra=timedelta(days=arguments.days, hours=arguments.hours))


def _parse_amount(argument: str) -> int:
    if not (argument.isascii() and argument.isdigit() and int(argument) <= _MAX_ARGUMENT):
        raise argparse.ArgumentTypeError(
            f"expected a number up to {_MAX_ARGUMENT}, not {argument!r}"
        )
    return int(argument)


ACT = ExtendAct()
