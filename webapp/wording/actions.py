"""What a player may do, in the imperative and without a full stop: for menus, previews, buttons and mails."""

from collections.abc import Callable
from typing import Any, Final

from engine.actions import (
    Action,
    Break,
    ChooseGoal,
    Discard,
    Lay,
    Look,
    Pass,
    Repair,
    Rockfall,
    TakeGold,
    TurnGoal,
)
from engine.cards import BREAKS, GOAL_SHAPES, TURNED, Tool
from engine.cells import GOAL_CELLS
from engine.view import View
from webapp.i18n import N_, Language
from webapp.wording.cards import card_name, shape_name
from webapp.wording.perspective import Perspective

_BREAK: Final[dict[Tool, str]] = {
    "pickaxe": N_("Break the pickaxe of %(name)s"),
    "lantern": N_("Break the lantern of %(name)s"),
    "cart": N_("Break the cart of %(name)s"),
}
_BREAK_OWN: Final[dict[Tool, str]] = {
    "pickaxe": N_("Break your own pickaxe"),
    "lantern": N_("Break your own lantern"),
    "cart": N_("Break your own cart"),
}
_MEND: Final[dict[Tool, str]] = {
    "pickaxe": N_("Mend the pickaxe of %(name)s with this card: %(card)s"),
    "lantern": N_("Mend the lantern of %(name)s with this card: %(card)s"),
    "cart": N_("Mend the cart of %(name)s with this card: %(card)s"),
}
_MEND_OWN: Final[dict[Tool, str]] = {
    "pickaxe": N_("Mend your own pickaxe with this card: %(card)s"),
    "lantern": N_("Mend your own lantern with this card: %(card)s"),
    "cart": N_("Mend your own cart with this card: %(card)s"),
}


def action_name(action: Action, perspective: Perspective, *, view: View) -> str:
    """The action as a short command. ``view`` knows what the stone to be turned looks like."""
    return _NAMES[type(action)](action, perspective, view)


def _lay(action: Lay, perspective: Perspective, _view: View) -> str:
    shape = TURNED[action.card] if action.turned else action.card
    name, language = shape_name(shape, perspective.language), perspective.language
    if action.turned:
        return language.gettext(
            "Lay a path card at %(cell)s, turned round: %(shape)s", cell=action.cell, shape=name
        )
    return language.gettext("Lay a path card at %(cell)s: %(shape)s", cell=action.cell, shape=name)


def _break(action: Break, perspective: Perspective, _view: View) -> str:
    tool = BREAKS[action.card]
    if action.seat == perspective.me:
        return perspective.language.gettext(_BREAK_OWN[tool])
    return perspective.language.gettext(_BREAK[tool], name=perspective.name(action.seat))


def _mend(action: Repair, perspective: Perspective, _view: View) -> str:
    language = perspective.language
    card = card_name(action.card, language)
    if action.seat == perspective.me:
        return language.gettext(_MEND_OWN[action.tool], card=card)
    return language.gettext(_MEND[action.tool], name=perspective.name(action.seat), card=card)


def _rockfall(action: Rockfall, perspective: Perspective, view: View) -> str:
    shape = view.mine.laid.get(action.cell)
    if shape is None:
        return perspective.language.gettext("Let rock fall at %(cell)s", cell=action.cell)
    return perspective.language.gettext(
        "Let rock fall at %(cell)s and bury: %(shape)s",
        cell=action.cell,
        shape=shape_name(shape, perspective.language),
    )


def _look(action: Look, perspective: Perspective, _view: View) -> str:
    return perspective.language.gettext("Look at goal %(cell)s with a map", cell=action.cell)


def _discard(action: Discard, perspective: Perspective, _view: View) -> str:
    name = card_name(action.card, perspective.language)
    return perspective.language.gettext("Discard face down: %(card)s", card=name)


def _pass(_action: Pass, perspective: Perspective, _view: View) -> str:
    return perspective.language.gettext("Pass, for your hand is empty")


def _choose_goal(action: ChooseGoal, perspective: Perspective, _view: View) -> str:
    return perspective.language.gettext("Turn over goal %(cell)s", cell=action.cell)


def _turn_goal(action: TurnGoal, perspective: Perspective, view: View) -> str:
    return _stone(action, view, perspective.language)


def _stone(action: TurnGoal, view: View, language: Language) -> str:
    cell = view.awaiting.cells[0] if view.awaiting is not None and view.awaiting.cells else None
    goal = view.goals[GOAL_CELLS.index(cell)] if cell in GOAL_CELLS else None
    if goal is None:
        return (
            language.gettext("Turn the stone round")
            if action.turned
            else language.gettext("Leave the stone as it is")
        )
    shape = shape_name(GOAL_SHAPES[goal][action.turned], language)
    return language.gettext("Let the stone at %(cell)s lie so: %(shape)s", cell=cell, shape=shape)


def _take_gold(action: TakeGold, perspective: Perspective, _view: View) -> str:
    return perspective.language.ngettext(
        "Keep the gold card of %(num)s nugget",
        "Keep the gold card of %(num)s nuggets",
        action.nuggets,
    )


_NAMES: Final[dict[type[Action], Callable[[Any, Perspective, View], str]]] = {
    Lay: _lay,
    Break: _break,
    Repair: _mend,
    Rockfall: _rockfall,
    Look: _look,
    Discard: _discard,
    Pass: _pass,
    ChooseGoal: _choose_goal,
    TurnGoal: _turn_goal,
    TakeGold: _take_gold,
}
