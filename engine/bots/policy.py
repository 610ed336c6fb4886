"""The door to all bots: what a bot does now."""

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from engine.actions import Action, ChooseGoal
from engine.bots.digging import dig
from engine.bots.sabotage import sabotage
from engine.bots.situation import Situation, treasure_places
from engine.story import Line
from engine.view import View, legal_actions, neutral_action

Effort: TypeAlias = Literal["random", "steady"]
"""How a bot plays: any legal action with equal chance, or sensibly for its role."""


def choose_action(
    view: View, lines: Sequence[Line], pick: Callable[[int], int], effort: Effort
) -> Action:
    """One legal action for the seat of this view.

    ``lines`` is what the seat was told so far, oldest first; ``pick(n)`` gives a number below n. Raises ValueError when
    the game does not wait for this seat.
    """
    menu = legal_actions(view)
    if not menu:
        raise ValueError("the game does not wait for this seat")
    if effort == "random":
        return menu[pick(len(menu))]
    if view.awaiting and view.awaiting.kind == "goal":
        return _goal(view, pick)
    if view.awaiting and view.awaiting.kind != "turn":
        return neutral_action(view, pick)
    situation = Situation.of(view, lines, tuple(menu))
    return sabotage(situation) if view.role == "saboteur" else dig(situation)


def _goal(view: View, pick: Callable[[int], int]) -> Action:
    """A goal that may be the treasure for a gold-digger, one that cannot for a saboteur; by chance among equals."""
    places, digs = treasure_places(view), view.role != "saboteur"
    cells = view.awaiting.cells if view.awaiting else ()
    wanted = [cell for cell in cells if (cell in places) is digs] or cells
    return ChooseGoal(wanted[pick(len(wanted))])
