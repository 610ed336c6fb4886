"""Play actions on a position that changes in place: the rules of :mod:`engine.rules` without events and refusals.

Every action must be legal: the functions check nothing.
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
)
from engine.cards import BREAKS, GOAL_SHAPES, MAP, ROCKFALL, TURNED_SHAPES, Card
from engine.cells import GOAL_CELLS, Cell
from engine.mine import default_orientation
from engine.reached_goals import fitting_orientation
from engine.rollouts.position import Position


def play(position: Position, action: Action) -> None:
    """Play a legal action of the seat on turn, up to the next turn, the next choice or the end of the round."""
    _PLAY_BY_ACTION[type(action)](position, action)
    if not (position.goal_choice or position.misfits):
        _finish_turn(position)


def _lay(position: Position, action: Lay) -> None:
    _play_card(position, action.card)
    shape = TURNED_SHAPES[action.card] if action.turned else action.card
    position.mine.lay(action.cell, shape)
    position.last_laid = action.cell
    if position.mine.reached_goals:
        _turn_reached_goals(position)


def _break(position: Position, action: Break) -> None:
    _play_card(position, action.card)
    position.broken[action.seat] = (*position.broken[action.seat], BREAKS[action.card])


def _repair(position: Position, action: Repair) -> None:
    _play_card(position, action.card)
    position.broken[action.seat] = tuple(
        tool for tool in position.broken[action.seat] if tool != action.tool
    )


def _rockfall(position: Position, action: Rockfall) -> None:
    _play_card(position, ROCKFALL)
    position.mine.remove(action.cell)
    if position.last_laid == action.cell:
        position.last_laid = None


def _look(position: Position, _action: Look) -> None:
    _play_card(position, MAP)


def _discard(position: Position, action: Discard) -> None:
    position.hand_of_turn().remove(action.card)
    position.passed = 0 if position.deck else position.passed + 1


def _pass(position: Position, _action: Pass) -> None:
    position.passed += 1


def _choose_goal(position: Position, action: ChooseGoal) -> None:
    position.goal_choice = ()
    _turn_goal_over(position, action.cell)


def _turn_goal(position: Position, action: ChooseOrientation) -> None:
    cell = min(position.misfits, key=GOAL_CELLS.index)
    _lay_goal(position, cell, turned=action.turned)
    if position.rulebook.reveal_all_goals:
        _turn_all_goals(position)


def _play_card(position: Position, card: Card) -> None:
    position.hand_of_turn().remove(card)
    position.passed = 0


def _turn_reached_goals(position: Position) -> None:
    """Turn over all goals that are connected now, or one of the player's choice (R28)."""
    if position.rulebook.reveal_all_goals:
        _turn_all_goals(position)
        return
    cells = _face_down_reached_goals(position)
    if len(cells) > 1:
        position.goal_choice = cells
    else:
        _turn_goal_over(position, cells[0])


def _turn_all_goals(position: Position) -> None:
    """Turn goals until no new goal is connected or the treasure is face up (R31, E10)."""
    while not position.winners:
        new_goals = _face_down_reached_goals(position)
        if not new_goals:
            return
        for cell in new_goals:
            _turn_goal_over(position, cell)
    for cell in tuple(position.misfits):
        goal = position.goals[GOAL_CELLS.index(cell)]
        turned = default_orientation(position.mine, cell, goal, position.last_laid)
        _lay_goal(position, cell, turned=turned)


def _face_down_reached_goals(position: Position) -> tuple[Cell, ...]:
    reached_goals, misfits = position.mine.reached_goals, position.misfits
    return tuple(cell for cell in GOAL_CELLS if cell in reached_goals and cell not in misfits)


def _turn_goal_over(position: Position, cell: Cell) -> None:
    goal = position.goals[GOAL_CELLS.index(cell)]
    turned = fitting_orientation(position.mine, cell, goal)
    if turned is None:
        position.misfits.append(cell)
    else:
        _lay_goal(position, cell, turned=turned)


def _lay_goal(position: Position, cell: Cell, *, turned: bool) -> None:
    if cell in position.misfits:
        position.misfits.remove(cell)
    goal = position.goals[GOAL_CELLS.index(cell)]
    position.mine.lay(cell, GOAL_SHAPES[goal][turned])
    if goal == "treasure":
        position.winners = "diggers"


def _finish_turn(position: Position) -> None:
    """Draw a card and begin the next turn, or end the round (R7, R11, R31, R32)."""
    if position.winners:
        return
    if position.deck:
        position.hand_of_turn().append(position.deck.pop())
    if not position.deck and _is_exhausted(position):
        _end_without_treasure(position)
        return
    position.turn = (position.turn + 1) % len(position.hands)
    while position.turn in position.gone:
        position.turn = (position.turn + 1) % len(position.hands)


def _is_exhausted(position: Position) -> bool:
    """Return whether all hands are empty or a full circle has passed (R32, E13)."""
    seats_in_play = len(position.hands) - len(position.gone)
    is_full_circle = position.rulebook.circle_of_passes and position.passed >= seats_in_play
    return is_full_circle or not any(position.hands)


def _end_without_treasure(position: Position) -> None:
    """End the round with the deck empty (R35, E33).

    No path reaches the treasure now: a rulebook by which that is enough turns every reached goal at once (R28).
    """
    position.winners = "saboteurs" if "saboteur" in position.roles else "nobody"


_PLAY_BY_ACTION: Final[dict[type[Action], Callable[[Position, Any], None]]] = {
    Lay: _lay,
    Break: _break,
    Repair: _repair,
    Rockfall: _rockfall,
    Look: _look,
    Discard: _discard,
    Pass: _pass,
    ChooseGoal: _choose_goal,
    ChooseOrientation: _turn_goal,
}
