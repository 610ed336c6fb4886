"""Plans: actions that a player gives in advance for their next turn, and the surprises that cancel them.

The actions are judged by the view of the seat, the surprises by the history of an onlooker. So what becomes of a plan
depends on nothing that its player may not know. Which actions can be planned is in :mod:`engine.plannable_actions`.
"""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Final, Literal, TypeAlias

import msgspec

from engine.actions import Break, Discard, Lay, Look, Pass, Repair, Rockfall
from engine.cells import Cell, label, position
from engine.events import Event
from engine.narration import Line, LineKey, narrate
from engine.view import View, legal_actions

MAX_PLANNED_ACTIONS: Final = 5
"""The most actions in a plan."""

PlannedAction: TypeAlias = Lay | Break | Repair | Rockfall | Look | Discard | Pass
"""The actions that can begin a turn; the choices within a turn are left to the player."""


class CancelCondition(StrEnum):
    """A surprise that cancels a plan. All of them are public."""

    GOAL_REVEALED = "goal-revealed"
    OWN_TOOL_BROKEN = "own-tool-broken"
    ROCKFALL_PLAYED = "rockfall-played"
    AREA_CHANGED = "area-changed"
    """A card is laid, removed or turned over at a cell of the plan, or at one of the eight cells around it."""


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The actions of a plan, of which the first legal one is played, and the surprises that cancel it."""

    actions: tuple[PlannedAction, ...]
    conditions: tuple[CancelCondition, ...] = ()
    format: Literal[1] = 1
    """The version of stored plans: a plan of another version cannot be read, and is not followed."""

    def __post_init__(self) -> None:
        """Raise ValueError for an invalid cell."""
        for cell in _cells_of(self):
            position(cell)

    def __repr__(self) -> str:
        """Show the number of actions only, because they reveal a hand."""
        return f"<Plan: {len(self.actions)}>"


def planned_action(plan: Plan, view: View) -> PlannedAction | None:
    """Return the first action of the plan that is legal now; None if none is, or if the seat is not on turn."""
    if view.awaiting is None or view.awaiting.kind != "turn":
        return None
    currently_legal_actions = legal_actions(view)
    return next((action for action in plan.actions if action in currently_legal_actions), None)


def cancelled_by(plan: Plan, seat: int, events: Iterable[Event]) -> CancelCondition | None:
    """Return the first condition of the plan of a seat that these events fulfil, in order of the events."""
    lines = [line for event in events for line in narrate(event, None)]
    return next(
        (
            condition
            for line in lines
            for condition in plan.conditions
            if _CHECK_BY_CONDITION[condition](line, plan, seat)
        ),
        None,
    )


def _reveals_goal(line: Line, _plan: Plan, _seat: int) -> bool:
    return line.key in _KEYS_OF_REVEALED_GOALS


def _breaks_own_tool(line: Line, _plan: Plan, seat: int) -> bool:
    return line.key is LineKey.TOOL_BROKEN and line.target == seat


def _is_rockfall(line: Line, _plan: Plan, _seat: int) -> bool:
    return line.key is LineKey.ROCK_FELL


def _changes_area(line: Line, plan: Plan, _seat: int) -> bool:
    return line.key in _KEYS_THAT_CHANGE_A_CELL and any(
        line.cell in _area_around(cell) for cell in _cells_of(plan)
    )


def _cells_of(plan: Plan) -> set[Cell]:
    return {action.cell for action in plan.actions if isinstance(action, Lay | Rockfall | Look)}


def _area_around(cell: Cell) -> set[Cell]:
    x, y = position(cell)
    return {label(x + right, y + down) for right in (-1, 0, 1) for down in (-1, 0, 1)}


_KEYS_OF_REVEALED_GOALS: Final = frozenset(
    {LineKey.TREASURE_TURNED, LineKey.STONE_TURNED, LineKey.STONE_MISFIT}
)
_KEYS_THAT_CHANGE_A_CELL: Final = _KEYS_OF_REVEALED_GOALS | {LineKey.CARD_LAID, LineKey.ROCK_FELL}
_CHECK_BY_CONDITION: Final[dict[CancelCondition, Callable[[Line, Plan, int], bool]]] = {
    CancelCondition.GOAL_REVEALED: _reveals_goal,
    CancelCondition.OWN_TOOL_BROKEN: _breaks_own_tool,
    CancelCondition.ROCKFALL_PLAYED: _is_rockfall,
    CancelCondition.AREA_CHANGED: _changes_area,
}
