"""The rules for each action: check it and record its events.

The rules for goals are in :mod:`engine.reached_goals`, for rounds in :mod:`engine.rounds`, for gold in :mod:`engine.gold`.
``legal_actions`` of :mod:`engine.view` lists exactly the actions that are accepted here, each placement of a card once (E35).
"""

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
from engine.cards import (
    BREAKS,
    CARD_BY_SHAPE,
    MAP,
    PATH_CARDS,
    REPAIRS,
    ROCKFALL,
    START_SHAPE,
    TURNED_SHAPES,
    Card,
    Shape,
)
from engine.cells import GOAL_CELLS, Cell, is_cell, matches_mask, neighbours
from engine.errors import IllegalAction, Reason
from engine.events import CardLaid, Discarded, GoalSeen, Passed, RockFell, ToolBroken, ToolRepaired
from engine.evolve import Transition
from engine.gold import take_gold
from engine.mine import Mine
from engine.reached_goals import choose_goal, orient_stone, turn_reached_goals
from engine.rounds import end_game_if_due, finish_turn
from engine.state import State
from engine.view import ChoiceKind, awaiting

_CELLS_BESIDE_GOALS: Final = frozenset(cell for goal in GOAL_CELLS for cell in neighbours(goal))


def play_action(transition: Transition, seat: int, action: Action) -> None:
    """Record the events of an action, up to the end of the turn or the next choice (R7-R11).

    Raises IllegalAction if the rules in force do not allow it; the transition must then be discarded.
    """
    _require_awaited(transition.state, seat, action)
    _RULES_BY_ACTION[type(action)](transition, seat, action)


def _require_awaited(state: State, seat: int, action: Action) -> None:
    if state.turn == seat and state.choice is None and type(action) not in _CHOICE_KINDS:
        return  # The common case; the rest finds the reason of a refusal.
    awaited = awaiting(state)
    if awaited is None:
        raise IllegalAction(Reason.GAME_OVER)
    if awaited.seat != seat:
        raise IllegalAction(Reason.NOT_YOUR_TURN)
    if _CHOICE_KINDS.get(type(action), "turn") != awaited.kind:
        raise IllegalAction(
            Reason.NO_CHOICE_OPEN if awaited.kind == "turn" else Reason.CHOICE_FIRST
        )


def _require_card(state: State, seat: int, card: Card) -> None:
    """Require a card of the seat's own hand (R8)."""
    if card not in state.hands[seat]:
        raise IllegalAction(Reason.NOT_IN_HAND)


def _lay(transition: Transition, seat: int, action: Lay) -> None:
    """Lay a path card (R8, R13-R16, E35), not with a broken tool (R19)."""
    state = transition.state
    _require_card(state, seat, action.card)
    if action.card not in PATH_CARDS:
        raise IllegalAction(Reason.NOT_A_PATH_CARD)
    if state.broken[seat]:
        raise IllegalAction(Reason.TOOLS_BROKEN)
    shape = _shape_to_lay(state.mine, action)
    transition.record(CardLaid(seat, action.card, action.cell, turned=shape != action.card))
    turn_reached_goals(transition, seat)
    finish_turn(transition, seat)


def _shape_to_lay(mine: Mine, lay: Lay) -> Shape:
    """Return the shape in which the card will lie; as printed if it looks the same both ways (R16, E35).

    Raises IllegalAction if the rules in force do not allow the placement.
    """
    mask = mine.open_cells.get(lay.cell)
    if mask is None:
        raise IllegalAction(_closed_cell_reason(mine, lay.cell))
    shape = TURNED_SHAPES[lay.card] if lay.turned else lay.card
    if not matches_mask(shape, mask):
        raise IllegalAction(Reason.EDGES_DIFFER)
    return shape


def _closed_cell_reason(mine: Mine, cell: Cell) -> Reason:
    if not is_cell(cell):
        return Reason.NO_SUCH_CELL
    if cell in mine.laid or cell in GOAL_CELLS:
        return Reason.CELL_TAKEN
    if mine.edge_mask(cell):
        return Reason.GOAL_ALONE if mine.reached_neighbours(cell) else Reason.NOT_CONNECTED
    return Reason.GOAL_ALONE if cell in _CELLS_BESIDE_GOALS else Reason.NOT_BESIDE


def _break(transition: Transition, seat: int, action: Break) -> None:
    """Break a tool of any player, the own seat included (R9, R17, E18), at most one of each kind (R18)."""
    state = transition.state
    _require_card(state, seat, action.card)
    if action.card not in BREAKS:
        raise IllegalAction(Reason.NOT_A_BROKEN_TOOL)
    _require_target(state, action.seat)
    if action.seat == seat and state.house.no_self_breaking:
        raise IllegalAction(Reason.OWN_TOOL)
    if BREAKS[action.card] in state.broken[action.seat]:
        raise IllegalAction(Reason.ALREADY_BROKEN)
    transition.record(ToolBroken(seat, action.card, action.seat))
    finish_turn(transition, seat)


def _repair(transition: Transition, seat: int, action: Repair) -> None:
    """Repair a matching broken tool (R9, R21, R22), one of the two tools of a double repair (R23)."""
    _require_card(transition.state, seat, action.card)
    if action.card not in REPAIRS:
        raise IllegalAction(Reason.NOT_A_REPAIR)
    if action.tool not in REPAIRS[action.card]:
        raise IllegalAction(Reason.WRONG_TOOL)
    _require_target(transition.state, action.seat)
    if action.tool not in transition.state.broken[action.seat]:
        raise IllegalAction(Reason.NOTHING_TO_REPAIR)
    transition.record(ToolRepaired(seat, action.card, action.seat, action.tool))
    finish_turn(transition, seat)


def _require_target(state: State, seat: int) -> None:
    if not 0 <= seat < state.seats:
        raise IllegalAction(Reason.NO_SUCH_SEAT)
    if seat in state.gone:
        raise IllegalAction(Reason.SEAT_GIVEN_UP)


def _rockfall(transition: Transition, seat: int, action: Rockfall) -> None:
    """Remove a laid path card (R9, R24, E19), never the start or a goal (E20)."""
    _require_card(transition.state, seat, ROCKFALL)
    shape = transition.state.mine.laid.get(action.cell, START_SHAPE)
    if shape not in CARD_BY_SHAPE:
        raise IllegalAction(Reason.NO_PATH_THERE)
    transition.record(RockFell(seat, action.cell, CARD_BY_SHAPE[shape]))
    finish_turn(transition, seat)


def _look(transition: Transition, seat: int, action: Look) -> None:
    """Look at a face-down goal (R9, R26, E22)."""
    state = transition.state
    _require_card(state, seat, MAP)
    if action.cell not in GOAL_CELLS:
        raise IllegalAction(Reason.NOT_A_GOAL)
    if action.cell in state.mine.laid:
        raise IllegalAction(Reason.GOAL_FACE_UP)
    transition.record(GoalSeen(seat, action.cell, state.goals[GOAL_CELLS.index(action.cell)]))
    finish_turn(transition, seat)


def _discard(transition: Transition, seat: int, action: Discard) -> None:
    """Discard a card; with the deck empty it counts toward a circle of passes (R10, E13)."""
    _require_card(transition.state, seat, action.card)
    transition.record(Discarded(seat, action.card, toward_circle=not transition.state.deck))
    finish_turn(transition, seat)


def _pass(transition: Transition, seat: int, _action: Pass) -> None:
    """Pass the turn with an empty hand (R12, E13)."""
    if transition.state.hands[seat]:
        raise IllegalAction(Reason.HAND_NOT_EMPTY)
    transition.record(Passed(seat))
    finish_turn(transition, seat)


def _choose_goal(transition: Transition, seat: int, action: ChooseGoal) -> None:
    """Turn over the chosen goal (R28, E4, E5)."""
    choose_goal(transition, seat, action.cell)
    finish_turn(transition, seat)


def _choose_orientation(transition: Transition, seat: int, action: ChooseOrientation) -> None:
    """Lay a misfit stone in the chosen orientation (R30, E7, E11)."""
    orient_stone(transition, seat, turned=action.turned)
    finish_turn(transition, seat)


def _take_gold(transition: Transition, seat: int, action: TakeGold) -> None:
    """Keep a gold card and pass the others on (R40, R41)."""
    take_gold(transition, seat, action.nuggets)
    end_game_if_due(transition)


_CHOICE_KINDS: Final[dict[type[Action], ChoiceKind]] = {
    ChooseGoal: "goal",
    ChooseOrientation: "way-round",
    TakeGold: "gold",
}
_RULES_BY_ACTION: Final[dict[type[Action], Callable[[Transition, int, Any], None]]] = {
    Lay: _lay,
    Break: _break,
    Repair: _repair,
    Rockfall: _rockfall,
    Look: _look,
    Discard: _discard,
    Pass: _pass,
    ChooseGoal: _choose_goal,
    ChooseOrientation: _choose_orientation,
    TakeGold: _take_gold,
}
