"""The form of a turn, read: an action as the engine knows it, and the turn after which the page was made."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import msgspec

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
from engine.cards import ACTION_CARDS, PATH_CARDS, TOOLS, Card, Tool
from engine.cells import START_CELL, is_cell
from webapp.web.inputs import Inputs

_CARDS: Final = PATH_CARDS | ACTION_CARDS


class TurnForm(NamedTuple):
    """What somebody wants to do, and the ``seq`` of the position that was looked at."""

    action: Action
    seq: int


def read_turn_form(form: Mapping[str, str]) -> TurnForm:
    """Read the form of a turn. Raises FieldErrors for everything that cannot be read at all."""
    inputs = Inputs(form)
    seq = inputs.number("seq")
    name = inputs.one_of("do", _READERS)
    action = _READERS[name](inputs) if name else Pass()
    inputs.check()
    return TurnForm(action, seq or 0)


def fields_of(action: Action) -> dict[str, str]:
    """The fields of a form from which this action is read again."""
    fields: dict[str, object] = msgspec.to_builtins(action)
    return {name: _text_of(value) for name, value in fields.items()}


def _text_of(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _card(inputs: Inputs) -> Card:
    return inputs.one_of("card", _CARDS)


def _cell(inputs: Inputs) -> str:
    cell = inputs.text("cell")
    if is_cell(cell):
        return cell
    inputs.refuse("cell", "not-a-cell" if cell else "required")
    return START_CELL


def _seat(inputs: Inputs) -> int:
    return inputs.number("seat") or 0


def _tool(inputs: Inputs) -> Tool:
    typed = inputs.one_of("tool", TOOLS)
    return next((tool for tool in TOOLS if tool == typed), TOOLS[0])


def _turned(inputs: Inputs) -> bool:
    return inputs.one_of("turned", ("0", "1")) == "1"


_READERS: Final[dict[str, Callable[[Inputs], Action]]] = {
    "lay": lambda inputs: Lay(_card(inputs), _cell(inputs), _turned(inputs)),
    "break": lambda inputs: Break(_card(inputs), _seat(inputs)),
    "repair": lambda inputs: Repair(_card(inputs), _seat(inputs), _tool(inputs)),
    "rockfall": lambda inputs: Rockfall(_cell(inputs)),
    "look": lambda inputs: Look(_cell(inputs)),
    "discard": lambda inputs: Discard(_card(inputs)),
    "pass": lambda _: Pass(),
    "choosegoal": lambda inputs: ChooseGoal(_cell(inputs)),
    "turngoal": lambda inputs: TurnGoal(_turned(inputs)),
    "takegold": lambda inputs: TakeGold(inputs.number("nuggets") or 0),
}
