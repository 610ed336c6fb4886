"""The POSTed plan: its steps as notation, and a checkbox for each surprise that cancels it."""

from collections.abc import Sequence
from typing import Final, cast, get_args

from werkzeug.datastructures import MultiDict
from wtforms import HiddenField

from engine.actions import Action
from engine.errors import ParseError
from engine.notation import read_action, write_action
from engine.plans import MAX_PLANNED_ACTIONS, CancelCondition, Plan, PlannedAction
from webapp.i18n import Language
from webapp.services.errors import FieldError, FieldErrors
from webapp.web.forms import PageForm
from webapp.web.validators import one_line, whole_number

_SEPARATOR: Final = "; "
_PLANNED_TYPES: Final = get_args(PlannedAction)


class PlanForm(PageForm):
    """``steps`` has the notation of every step; ``seq`` is the turn after which the page was made."""

    seq = HiddenField(validators=[whole_number])
    steps = HiddenField(validators=[one_line])

    def __init__(self, language: Language, formdata: MultiDict[str, str]) -> None:
        super().__init__(language, formdata)
        self._conditions = tuple(item for item in CancelCondition if item.value in formdata)

    def plan(self) -> Plan:
        """Return the plan of the form. Raises FieldErrors for steps that no page offers."""
        # One more than allowed, so that a longer plan is refused and not cut.
        texts = self.text("steps").split(_SEPARATOR, MAX_PLANNED_ACTIONS + 1)
        actions = (_action_from(text) for text in texts if text)
        return Plan(tuple(actions), self._conditions)

    def draft(self) -> Plan | None:
        """Return the plan to show again with an error, or None if there is none to show."""
        try:
            return self.plan() if self.text("steps") else None
        except FieldErrors:
            return None


def steps_field(actions: Sequence[Action]) -> str:
    """Return the text of the field that makes these steps when it is sent."""
    return _SEPARATOR.join(map(write_action, actions))


def _action_from(text: str) -> PlannedAction:
    try:
        action = read_action(text)
    except ParseError:
        raise FieldErrors(FieldError("steps", "unknown")) from None
    if not isinstance(action, _PLANNED_TYPES):
        raise FieldErrors(FieldError("steps", "unknown"))
    return cast("PlannedAction", action)
