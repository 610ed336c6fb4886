"""The decision of a bot: the action that it plays now."""

from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias, get_args

from engine.actions import Action, ChooseGoal
from engine.bots.belief import Belief, belief_of
from engine.bots.digger import digger_action
from engine.bots.saboteur import saboteur_action
from engine.bots.situation import Situation, possible_treasure_cells
from engine.narration import Line
from engine.view import View, legal_actions, neutral_action

__all__ = ["LEVELS", "Belief", "Level", "belief_of", "choose_action", "require_level"]

Level: TypeAlias = Literal["random", "easy", "steady", "keen"]
"""How well a bot plays; ``random`` plays any legal action with equal chance, and is for tests only."""
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
"""All levels, weakest first."""


def require_level(text: str) -> Level:
    """Return the level of this name. Raises ValueError for an unknown one."""
    for level in LEVELS:
        if level == text:
            return level
    raise ValueError(f"no level {text!r}: the levels are {', '.join(LEVELS)}")


def choose_action(
    view: View, lines: Sequence[Line], pick: Callable[[int], int], level: Level
) -> Action:
    """Return one legal action for the seat of a view.

    ``lines`` are all lines of history that the seat has seen, oldest first; ``pick(n)`` returns a random number below n.
    Raises ValueError for an unknown level, or if the game does not wait for this seat.
    """
    require_level(level)
    actions = legal_actions(view)
    if not actions:
        raise ValueError("the game does not wait for this seat")
    if level == "random":
        return actions[pick(len(actions))]
    if view.awaiting and view.awaiting.kind == "goal":
        return _choose_goal(view, pick)
    if view.awaiting and view.awaiting.kind != "turn":
        return neutral_action(view, pick)
    situation = Situation.from_view(view, lines, tuple(actions))
    return saboteur_action(situation) if view.role == "saboteur" else digger_action(situation)


def _choose_goal(view: View, pick: Callable[[int], int]) -> Action:
    """Choose a goal that may be the treasure for a gold-digger, one that cannot be for a saboteur; equal goals by chance."""
    treasure_cells, is_digger = possible_treasure_cells(view), view.role != "saboteur"
    cells = view.awaiting.cells if view.awaiting else ()
    preferred_cells = [cell for cell in cells if (cell in treasure_cells) is is_digger] or cells
    return ChooseGoal(preferred_cells[pick(len(preferred_cells))])
