"""Plans: actions that a player gives in advance for their next turn, and the surprises that cancel them.

The actions are judged by the view of the seat, the surprises by the history of an onlooker. So what becomes of a plan
depends on nothing that its player may not know.

A path card can be planned for every cell that is open now and for the empty cells beside those, if it agrees with the
cards that lie there already. Whether a tool is broken does not matter, because others may break or repair it. Cards that
the seat does not hold, places that are taken and goals that lie face up stay impossible.
"""

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import Any, Final, Literal, TypeAlias

import msgspec

from engine.actions import Action, Break, Discard, Lay, Look, Pass, Repair, Rockfall, card_of
from engine.cards import BREAKS, MAP, PATH_CARDS, REPAIRS, ROCKFALL, TURNED_SHAPES, Card
from engine.cells import (
    GOAL_CELLS,
    ORIENTATIONS,
    Cell,
    is_cell,
    label,
    matches_mask,
    neighbours,
    position,
)
from engine.errors import IllegalAction, Reason
from engine.events import Event
from engine.narration import Line, LineKey, narrate
from engine.view import Awaiting, View, legal_actions

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
    """The actions of a plan and the surprises that cancel it; the first legal action is played."""

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


def planning_view(view: View) -> View:
    """Return the view of a seat as if it were on turn in this position. Raises ValueError for an onlooker."""
    if view.seat is None:
        message = "an onlooker has no turn to plan"
        raise ValueError(message)
    return msgspec.structs.replace(view, awaiting=Awaiting(view.seat, "turn"))


def plannable_actions(view: View) -> tuple[PlannedAction, ...]:
    """Return every action that the seat can plan: the uses of each card of its hand, and then the discards."""
    if not view.hand:
        return (Pass(),)
    cards = tuple(dict.fromkeys(view.hand))
    card_uses = (action for card in cards for action in _USES_BY_CARD[card](view, card))
    return (*card_uses, *map(Discard, cards))


def require_plannable(view: View, action: PlannedAction) -> PlannedAction:
    """Return the action as it is listed (R16, E35). Raises IllegalAction with a reason if the seat cannot plan it."""
    if isinstance(action, Lay) and TURNED_SHAPES.get(action.card) == action.card:
        action = Lay(action.card, action.cell)
    if action not in plannable_actions(view):
        raise IllegalAction(_refusal_reason(view, action))
    return action


def _plannable_lays(view: View, card: Card) -> Iterator[Lay]:
    for cell in _cells_within_reach(view):
        for turned in ORIENTATIONS[card][view.mine.edge_mask(cell)]:
            yield Lay(card, cell, turned)


def _cells_within_reach(view: View) -> dict[Cell, None]:
    """Return the open cells and the empty cells beside them."""
    open_cells = view.mine.open_cells
    neighbour_cells = (neighbour for cell in open_cells for neighbour in neighbours(cell))
    empty_neighbours = (
        cell for cell in neighbour_cells if cell not in view.mine.laid and cell not in GOAL_CELLS
    )
    return dict.fromkeys((*open_cells, *empty_neighbours))


def _plannable_breaks(view: View, card: Card) -> Iterator[Break]:
    """Yield the card on every player; a tool that is broken now may be repaired by then."""
    for target in _seats_in_play(view):
        if not (view.house.no_self_breaking and target == view.seat):
            yield Break(card, target)


def _plannable_repairs(view: View, card: Card) -> Iterator[Repair]:
    """Yield the card on every player; a tool that is whole now may be broken by then."""
    for target in _seats_in_play(view):
        for tool in REPAIRS[card]:
            yield Repair(card, target, tool)


def _plannable_rockfalls(view: View, _card: Card) -> tuple[Rockfall, ...]:
    return view.mine.rockfalls()


def _plannable_looks(view: View, _card: Card) -> Iterator[Look]:
    return (Look(cell) for cell, turned in zip(GOAL_CELLS, view.turned, strict=True) if not turned)


def _seats_in_play(view: View) -> list[int]:
    return [seat for seat in range(view.seats) if seat not in view.gone]


_USES_BY_CARD: Final[dict[Card, Callable[[View, Card], Any]]] = {
    **dict.fromkeys(PATH_CARDS, _plannable_lays),
    **dict.fromkeys(BREAKS, _plannable_breaks),
    **dict.fromkeys(REPAIRS, _plannable_repairs),
    ROCKFALL: _plannable_rockfalls,
    MAP: _plannable_looks,
}


def _refusal_reason(view: View, action: PlannedAction) -> Reason:
    if isinstance(action, Pass):
        return Reason.HAND_NOT_EMPTY
    if card_of(action) not in view.hand:
        return Reason.NOT_IN_HAND
    return _REASON_BY_ACTION_TYPE[type(action)](view, action)


def _why_not_laid(view: View, action: Lay) -> Reason:
    if action.card not in PATH_CARDS:
        return Reason.NOT_A_PATH_CARD
    if not is_cell(action.cell):
        return Reason.NO_SUCH_CELL
    if action.cell in view.mine.laid or action.cell in GOAL_CELLS:
        return Reason.CELL_TAKEN
    shape = TURNED_SHAPES[action.card] if action.turned else action.card
    if not matches_mask(shape, view.mine.edge_mask(action.cell)):
        return Reason.EDGES_DIFFER
    return Reason.NOT_BESIDE


def _why_not_broken(view: View, action: Break) -> Reason:
    if action.card not in BREAKS:
        return Reason.NOT_A_BROKEN_TOOL
    return Reason.OWN_TOOL if action.seat == view.seat else _seat_refusal_reason(view, action.seat)


def _why_not_repaired(view: View, action: Repair) -> Reason:
    if action.card not in REPAIRS:
        return Reason.NOT_A_REPAIR
    if action.tool not in REPAIRS[action.card]:
        return Reason.WRONG_TOOL
    return _seat_refusal_reason(view, action.seat)


def _seat_refusal_reason(view: View, seat: int) -> Reason:
    return Reason.SEAT_GIVEN_UP if seat in view.gone else Reason.NO_SUCH_SEAT


def _why_no_rockfall(_view: View, _action: Rockfall) -> Reason:
    return Reason.NO_PATH_THERE


def _why_no_look(_view: View, action: Look) -> Reason:
    return Reason.GOAL_FACE_UP if action.cell in GOAL_CELLS else Reason.NOT_A_GOAL


_REASON_BY_ACTION_TYPE: Final[dict[type[Action], Callable[[View, Any], Reason]]] = {
    Lay: _why_not_laid,
    Break: _why_not_broken,
    Repair: _why_not_repaired,
    Rockfall: _why_no_rockfall,
    Look: _why_no_look,
}
