"""The page on which a player plans their next turn. Every button saves the whole plan, so it always shows what is in force."""

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple, cast, get_args

from flask import Blueprint, flash, redirect, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict
from wtforms import HiddenField

from engine.actions import Action, Discard
from engine.errors import ParseError
from engine.notation import read_action, write_action
from engine.plans import MAX_PLANNED_ACTIONS, CancelCondition, Plan, PlannedAction
from webapp.kernel import urls
from webapp.kernel.i18n import Language
from webapp.kernel.refusals import FieldError, FieldErrors, NotFound
from webapp.play.access import game_for
from webapp.play.pages.move_picker import MovePicker, PickerView, Selection, selection_from_url
from webapp.play.turns.planning import PlanPage, discard_plan, plan_page, save_plan
from webapp.web.context import current_context
from webapp.web.forms import (
    FORGED_FORM_STATUS,
    FormError,
    PageForm,
    form_view,
    one_line,
    submission,
    whole_number,
)
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import SignInRequired, checked_viewer, locale_of, token
from webapp.wording.actions import action_name, step_label
from webapp.wording.perspective import Perspective, perspective_at

pages = Blueprint("plan", __name__)
_SEPARATOR: Final = "; "
_PLANNED_TYPES: Final = get_args(PlannedAction)

_NEW_PLAN = Plan((), tuple(CancelCondition))
"""Every surprise cancels a new plan, until its player says otherwise: then nothing unexpected is played."""


class Step(NamedTuple):
    """A step of the plan as it is shown, and the field of the plan without it and with it moved up; empty where impossible."""

    label: str
    sentence: str
    steps_without_this: str
    steps_moved_up: str


class NewStep(NamedTuple):
    """The picked action, and the field of the plan with it as the last step."""

    sentence: str
    steps: str


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


@pages.get(urls.plan.rule)
def show_plan(slug: str) -> ResponseReturnValue:
    """Show the viewer's plan. What they have picked for another step is in the query."""
    return _plan_response(slug, selection_from_url(request.args))


@pages.post(urls.plan.rule)
@form_view
def save(slug: str) -> ResponseReturnValue:
    """Save the whole plan; show it again if it is refused."""
    form = PlanForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            access = game_for(tx, slug, token(), mode="change")
            save_plan(tx, access, form.plan(), seq=form.number("seq") or 0)
    except FormError as error:
        try:
            return _plan_response(slug, Selection(), draft=form.draft(), error=error)
        except NotFound:
            # A forged form is refused as such everywhere, whether there is anything to show or not.
            if error.status == FORGED_FORM_STATUS:
                raise error from None
            raise
    return redirect(urls.plan(slug), 303)


@pages.post(urls.discard_plan.rule)
@form_view
def discard(slug: str) -> ResponseReturnValue:
    """Discard the viewer's plan; the answer is the same if they have none."""
    language = locale_of(None).language
    with submission(PageForm(language, request.form)) as tx:
        access = game_for(tx, slug, token(), mode="change")
        discard_plan(tx, access)
    flash(language.gettext("You have no plan now. We'll email you when it's your turn."), "good")
    return redirect(urls.plan(slug), 303)


def _plan_response(
    slug: str,
    selection: Selection,
    *,
    draft: Plan | None = None,
    error: FormError | None = None,
) -> ResponseReturnValue:
    page = _read_page(slug)
    language = locale_of(page.me).language
    perspective = perspective_at(page.seats, language)
    saved_plan = None if page.plan is None else page.plan.plan
    plan = draft or saved_plan or _NEW_PLAN
    can_add = len(plan.actions) < MAX_PLANNED_ACTIONS
    menu = [action for action in page.menu if action not in plan.actions] if can_add else []
    picker = MovePicker(
        page.view, menu, page_url=partial(urls.plan, slug), perspective=perspective
    ).picker_view(selection)
    return render_page(
        "play/plan/plan.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.plan(slug), slug),
        status=200 if error is None else error.status,
        page=page,
        view=page.view,
        perspective=perspective,
        picker=picker,
        new_step=_new_step(picker, plan, perspective, page),
        is_discard=isinstance(picker.action, Discard),
        steps=_steps(plan.actions, perspective, page),
        steps_field=_steps_field(plan.actions),
        conditions=plan.conditions,
        all_conditions=tuple(CancelCondition),
        is_saved=plan is saved_plan,
        most_steps=MAX_PLANNED_ACTIONS,
        can_add=can_add,
        error=error,
        rules_url=urls.rulebook(page.table.rulebook),
    )


def _read_page(slug: str) -> PlanPage:
    with current_context().read_only() as tx:
        access = game_for(tx, slug, token())
        if access.person is None:
            raise SignInRequired
        return plan_page(access)


def _new_step(
    picker: PickerView, plan: Plan, perspective: Perspective, page: PlanPage
) -> NewStep | None:
    if picker.action is None:
        return None
    return NewStep(
        sentence=action_name(picker.action, perspective, view=page.view),
        steps=_steps_field((*plan.actions, picker.action)),
    )


def _steps(
    actions: tuple[PlannedAction, ...], perspective: Perspective, page: PlanPage
) -> list[Step]:
    return [
        Step(
            label=step_label(number, perspective.language),
            sentence=action_name(action, perspective, view=page.view),
            steps_without_this=_steps_field(actions[:number] + actions[number + 1 :]),
            steps_moved_up=_steps_field(_actions_moved_up(actions, number)),
        )
        for number, action in enumerate(actions)
    ]


def _actions_moved_up(actions: tuple[PlannedAction, ...], number: int) -> tuple[PlannedAction, ...]:
    """Return the actions with this one before the one above it; none for the first."""
    if number == 0:
        return ()
    previous_action, action = actions[number - 1], actions[number]
    return (*actions[: number - 1], action, previous_action, *actions[number + 1 :])


def _steps_field(actions: Sequence[Action]) -> str:
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
