"""Actions as short commands without a full stop, for menus, previews, links and emails; and the plans made of them."""

from collections.abc import Callable
from typing import Any, Final

from engine.actions import (
    Action,
    Break,
    ChooseGoal,
    ChooseOrientation,
    Discard,
    Lay,
    Look,
    Pass,
    Repair,
    Rockfall,
    TakeGold,
)
from engine.cards import BREAKS, GOAL_SHAPES, TURNED_SHAPES, Goal, Tool
from engine.cells import GOAL_CELLS, Cell
from engine.narration import Line, LineKey
from engine.plans import CancelCondition
from engine.view import View
from webapp.kernel.i18n import N_, Language
from webapp.wording.cards import card_name, open_sides, shape_name
from webapp.wording.history import kind_of_path, short_sentence
from webapp.wording.perspective import Perspective

_BREAK_TEXTS: Final[dict[Tool, str]] = {
    "pickaxe": N_("Break %(name)s's pickaxe"),
    "lantern": N_("Break %(name)s's lantern"),
    "cart": N_("Break %(name)s's cart"),
}
_BREAK_OWN_TEXTS: Final[dict[Tool, str]] = {
    "pickaxe": N_("Break your own pickaxe"),
    "lantern": N_("Break your own lantern"),
    "cart": N_("Break your own cart"),
}
_REPAIR_TEXTS: Final[dict[Tool, str]] = {
    "pickaxe": N_("Repair %(name)s's pickaxe"),
    "lantern": N_("Repair %(name)s's lantern"),
    "cart": N_("Repair %(name)s's cart"),
}
_REPAIR_OWN_TEXTS: Final[dict[Tool, str]] = {
    "pickaxe": N_("Repair your pickaxe"),
    "lantern": N_("Repair your lantern"),
    "cart": N_("Repair your cart"),
}
_LAY_TEXTS: Final = {
    "crossing": N_("Lay a crossing at %(cell)s"),
    "junction": N_("Lay a T-junction (%(sides)s) at %(cell)s"),
    "straight": N_("Lay a straight tunnel (%(sides)s) at %(cell)s"),
    "bend": N_("Lay a bend (%(sides)s) at %(cell)s"),
    "dead-end": N_("Lay a dead end (%(sides)s) at %(cell)s"),
}
_LAY_TURNED_TEXTS: Final = {
    "crossing": N_("Lay a crossing at %(cell)s"),
    "junction": N_("Lay a T-junction (%(sides)s) at %(cell)s, turned around"),
    "straight": N_("Lay a straight tunnel (%(sides)s) at %(cell)s, turned around"),
    "bend": N_("Lay a bend (%(sides)s) at %(cell)s, turned around"),
    "dead-end": N_("Lay a dead end (%(sides)s) at %(cell)s, turned around"),
}
_CANCEL_CONDITION_TEXTS: Final[dict[CancelCondition, str]] = {
    CancelCondition.GOAL_REVEALED: N_("a goal is revealed"),
    CancelCondition.OWN_TOOL_BROKEN: N_("one of my tools is broken"),
    CancelCondition.ROCKFALL_PLAYED: N_("a rockfall is played"),
    CancelCondition.AREA_CHANGED: N_(
        "a card is laid, removed or turned over at a place in this plan or right next to it"
    ),
}
_PLAN_END_TEXTS: Final[dict[str, str]] = {
    "goal-revealed": N_("Your plan was cancelled because a goal was revealed."),
    "own-tool-broken": N_("Your plan was cancelled because one of your tools was broken."),
    "rockfall-played": N_("Your plan was cancelled because a rockfall was played."),
    "area-changed": N_("Your plan was cancelled because the mine changed near a place in it."),
    "seat-open": N_("Your seat was open when your turn came, so your plan wasn't followed."),
    "nothing-legal": N_("Nothing in your plan was possible, so nothing was played."),
    "rewound": N_("Your plan was cancelled because a moderator took turns back."),
}


def action_name(action: Action, perspective: Perspective, *, view: View) -> str:
    """Return the action as a short command; ``view`` tells which stone is to be turned and which card a rockfall hits."""
    return _NAME_FUNCTIONS[type(action)](action, perspective, view)


def action_title(action: Action, perspective: Perspective, *, view: View) -> str:
    """Return the action as short as it can be beside a picture of its card: "Lay at B5"."""
    language = perspective.language
    match action:
        case Lay(_, cell):
            return language.gettext("Lay at %(cell)s", cell=cell)
        case Rockfall(cell):
            return language.gettext("Remove the card at %(cell)s", cell=cell)
        case Discard():
            return language.gettext("Discard face down")
        case ChooseOrientation():
            return language.gettext("Place the stone like this")
    return action_name(action, perspective, view=view)


def lay_phrase(action: Lay, language: Language) -> str:
    """Return where a card would lie, for lists whose heading names the card: there can be dozens of places."""
    if action.turned:
        return language.gettext("Lay it at %(cell)s, turned around", cell=action.cell)
    return language.gettext("Lay it at %(cell)s", cell=action.cell)


def action_detail(action: Action, language: Language, *, view: View) -> str:
    """Return what the title of an action leaves out: the card, as it would lie; empty if that is nothing."""
    match action:
        case Lay(card, _, is_turned):
            return shape_name(TURNED_SHAPES[card] if is_turned else card, language)
        case Discard(card):
            return card_name(card, language)
        case Pass():
            return language.gettext("Your hand is empty, so you can only pass.")
        case ChooseOrientation(is_turned) if (goal := _stone_to_turn(view)) is not None:
            return shape_name(GOAL_SHAPES[goal][is_turned], language)
        case Rockfall(cell) if cell in view.mine.laid:
            return shape_name(view.mine.laid[cell], language)
    return ""


def done_sentence(action: Action, seat: int, perspective: Perspective, *, view: View) -> str:
    """Return what a seat has just done; ``view`` is of before."""
    line = _line_of(action, seat, view)
    if line is not None:
        return short_sentence(line, perspective)
    texts = _CHOICE_TEXTS[type(action), getattr(action, "turned", False)]
    name, cell = perspective.name(seat), getattr(action, "cell", None) or _cell_of_stone(view)
    return perspective.language.gettext(texts[seat == perspective.me], name=name, cell=cell)


def _line_of(action: Action, seat: int, view: View) -> Line | None:
    """Return the line of history of an action; None for choices of which history tells the outcome alone."""
    key, target = _LINE_KEYS.get(type(action)), getattr(action, "seat", None)
    if key is None:
        return None
    card, cell = getattr(action, "card", None), getattr(action, "cell", None)
    return Line(
        key=_OWN_TOOL_KEYS.get(key, key) if target == seat else key,
        seat=seat,
        target=target,
        card=view.mine.laid.get(action.cell) if isinstance(action, Rockfall) else card,
        cell=cell,
        tool=BREAKS[action.card] if isinstance(action, Break) else getattr(action, "tool", None),
        nuggets=getattr(action, "nuggets", None),
    )


_LINE_KEYS: Final[dict[type[Action], LineKey]] = {
    Lay: LineKey.CARD_LAID,
    Break: LineKey.TOOL_BROKEN,
    Repair: LineKey.TOOL_REPAIRED,
    Rockfall: LineKey.ROCK_FELL,
    Look: LineKey.GOAL_LOOKED_AT,
    Discard: LineKey.CARD_DISCARDED,
    Pass: LineKey.PASSED,
    TakeGold: LineKey.GOLD_KEPT,
}
_OWN_TOOL_KEYS: Final = {
    LineKey.TOOL_BROKEN: LineKey.OWN_TOOL_BROKEN,
    LineKey.TOOL_REPAIRED: LineKey.OWN_TOOL_REPAIRED,
}
_CHOICE_TEXTS: Final = {
    (ChooseGoal, False): (
        N_("%(name)s chose to reveal goal %(cell)s."),
        N_("You chose to reveal goal %(cell)s."),
    ),
    (ChooseOrientation, False): (
        N_("%(name)s left the stone at %(cell)s as it is."),
        N_("You left the stone at %(cell)s as it is."),
    ),
    (ChooseOrientation, True): (
        N_("%(name)s turned the stone at %(cell)s."),
        N_("You turned the stone at %(cell)s."),
    ),
}
"""The sentences for others, and for the player who chose."""


def _lay_name(action: Lay, perspective: Perspective, _view: View) -> str:
    shape = TURNED_SHAPES[action.card] if action.turned else action.card
    language, texts = perspective.language, _LAY_TURNED_TEXTS if action.turned else _LAY_TEXTS
    return language.gettext(
        texts[kind_of_path(shape)], sides=open_sides(shape, language), cell=action.cell
    )


def _break_name(action: Break, perspective: Perspective, _view: View) -> str:
    tool = BREAKS[action.card]
    if action.seat == perspective.me:
        return perspective.language.gettext(_BREAK_OWN_TEXTS[tool])
    return perspective.language.gettext(_BREAK_TEXTS[tool], name=perspective.name(action.seat))


def _repair_name(action: Repair, perspective: Perspective, _view: View) -> str:
    if action.seat == perspective.me:
        return perspective.language.gettext(_REPAIR_OWN_TEXTS[action.tool])
    return perspective.language.gettext(
        _REPAIR_TEXTS[action.tool], name=perspective.name(action.seat)
    )


def _rockfall_name(action: Rockfall, perspective: Perspective, view: View) -> str:
    shape = view.mine.laid.get(action.cell)
    if shape is None:
        return perspective.language.gettext("Remove the card at %(cell)s", cell=action.cell)
    return perspective.language.gettext(
        "Remove the card at %(cell)s: %(shape)s",
        cell=action.cell,
        shape=shape_name(shape, perspective.language),
    )


def _look_name(action: Look, perspective: Perspective, _view: View) -> str:
    return perspective.language.gettext("Look at goal %(cell)s", cell=action.cell)


def _discard_name(action: Discard, perspective: Perspective, _view: View) -> str:
    name = card_name(action.card, perspective.language)
    return perspective.language.gettext("Discard face down: %(card)s", card=name)


def _pass_name(_action: Pass, perspective: Perspective, _view: View) -> str:
    return perspective.language.gettext("Pass with an empty hand")


def _choose_goal_name(action: ChooseGoal, perspective: Perspective, _view: View) -> str:
    return perspective.language.gettext("Reveal goal %(cell)s", cell=action.cell)


def _turn_goal_name(action: ChooseOrientation, perspective: Perspective, view: View) -> str:
    return _stone_sentence(action, view, perspective.language)


def _stone_sentence(action: ChooseOrientation, view: View, language: Language) -> str:
    cell = _cell_of_stone(view)
    goal = _stone_to_turn(view)
    if goal is None:
        return (
            language.gettext("Turn the stone")
            if action.turned
            else language.gettext("Leave the stone as it is")
        )
    shape = shape_name(GOAL_SHAPES[goal][action.turned], language)
    return language.gettext(
        "Place the stone at %(cell)s like this: %(shape)s", cell=cell, shape=shape
    )


def _cell_of_stone(view: View) -> Cell | None:
    return view.awaiting.cells[0] if view.awaiting is not None and view.awaiting.cells else None


def _stone_to_turn(view: View) -> Goal | None:
    cell = _cell_of_stone(view)
    return view.goals[GOAL_CELLS.index(cell)] if cell in GOAL_CELLS else None


def _take_gold_name(action: TakeGold, perspective: Perspective, _view: View) -> str:
    return perspective.language.ngettext(
        "Keep the gold card with %(num)s nugget",
        "Keep the gold card with %(num)s nuggets",
        action.nuggets,
    )


_NAME_FUNCTIONS: Final[dict[type[Action], Callable[[Any, Perspective, View], str]]] = {
    Lay: _lay_name,
    Break: _break_name,
    Repair: _repair_name,
    Rockfall: _rockfall_name,
    Look: _look_name,
    Discard: _discard_name,
    Pass: _pass_name,
    ChooseGoal: _choose_goal_name,
    ChooseOrientation: _turn_goal_name,
    TakeGold: _take_gold_name,
}


def step_label(number: int, language: Language) -> str:
    """Return when a step of a plan is played; the first is number 0."""
    if number == 0:
        return language.gettext("First choice:")
    return language.gettext("If that isn't possible:")


def condition_name(condition: CancelCondition, language: Language) -> str:
    """Return a surprise as it ends the words "Cancel the plan if ..."."""
    return language.gettext(_CANCEL_CONDITION_TEXTS[condition])


def plan_end_sentence(end: str, language: Language) -> str:
    """Return why a plan ended without being followed."""
    return language.gettext(_PLAN_END_TEXTS[end])
