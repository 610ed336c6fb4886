"""The neutral action: what is played for someone whose time ran out, and the same for both roles."""

from collections.abc import Callable

from engine.actions import Action, ChooseGoal, ChooseOrientation, Discard, Pass, TakeGold
from engine.cells import GOAL_CELLS, Cell
from engine.mine import default_orientation
from engine.view import View


def neutral_action(view: View, random_below: Callable[[int], int]) -> Action:
    """Return the default action for a player who is late; it is the same for both roles.

    On turn it is the discard of a random card, or a pass with an empty hand; for a choice it is a random goal, the orientation
    that joins the new card, or the most valuable gold card. ``random_below(n)`` returns a random number below n. Raises ValueError if
    the game does not wait for this seat.
    """
    awaited = view.awaiting
    if awaited is None or awaited.seat != view.seat:
        message = "the game does not wait for this seat"
        raise ValueError(message)
    match awaited.kind:
        case "goal":
            return ChooseGoal(awaited.cells[random_below(len(awaited.cells))])
        case "way-round":
            return ChooseOrientation(_default_orientation(view, awaited.cells[0]))
        case "gold":
            return TakeGold(max(view.gold_held))
    return Discard(view.hand[random_below(len(view.hand))]) if view.hand else Pass()


def _default_orientation(view: View, cell: Cell) -> bool:
    goal = view.goals[GOAL_CELLS.index(cell)]
    return goal is not None and default_orientation(view.mine, cell, goal, view.last_laid)
