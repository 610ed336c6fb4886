"""The decision of a bot: the action that it plays now."""

from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias, get_args

from engine.actions import Action, ChooseGoal
from engine.bots.belief import (
    Belief,
    belief_of,
    require_supported_view,
    situation_of,
    treasure_probabilities,
)
from engine.bots.keen import DEFAULT_ROLLOUTS, keen_action
from engine.bots.level_parameters import (
    LevelParameters,
    betrayal_chance,
    digger_randomness,
    easy_parameters,
    steady_parameters,
)
from engine.bots.option_weights import (
    choose_by_weight,
    disguised_weights,
    mixed_weights,
    weights_of_preferences,
)
from engine.bots.options import Situation, options_of
from engine.cards import Role
from engine.cells import GOAL_CELLS
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
    view: View,
    lines: Sequence[Line],
    random_below: Callable[[int], int],
    level: Level,
    *,
    rollouts: int = DEFAULT_ROLLOUTS,
) -> Action:
    """Return one legal action for the seat of a view.

    ``lines`` are all lines of history that the seat has seen, oldest first; ``random_below(n)`` returns a random number below n. Only
    keen bots make ``rollouts``. Raises ValueError for an unknown level, for a view that this release cannot read, or if the
    game does not wait for this seat.
    """
    require_level(level)
    require_supported_view(view)
    actions = legal_actions(view)
    if not actions:
        raise ValueError("the game does not wait for this seat")
    if level == "random" or not view.hand:
        return actions[random_below(len(actions))]
    if view.awaiting and view.awaiting.kind == "goal":
        return _choose_goal(view, random_below)
    if view.awaiting and view.awaiting.kind != "turn":
        return neutral_action(view, random_below)
    if level == "keen":
        return keen_action(view, lines, random_below, rollouts=rollouts)
    parameters_of_level = easy_parameters if level == "easy" else steady_parameters
    parameters = parameters_of_level(view.seats)
    return _steady_action(
        situation_of(view, lines), view.role or "digger", parameters, random_below
    )


def _choose_goal(view: View, random_below: Callable[[int], int]) -> Action:
    """Choose a goal that may be the treasure for a gold-digger, one that cannot be for a saboteur; equal goals by chance."""
    odds = dict(zip(GOAL_CELLS, treasure_probabilities(view), strict=True))
    is_digger = view.role != "saboteur"
    cells = view.awaiting.cells if view.awaiting else ()
    preferred_cells = [cell for cell in cells if (odds[cell] > 0) is is_digger] or cells
    return ChooseGoal(preferred_cells[random_below(len(preferred_cells))])


def _steady_action(
    situation: Situation,
    role: Role,
    parameters: LevelParameters,
    random_below: Callable[[int], int],
) -> Action:
    """Return the action of a bot on turn that does not look ahead.

    A gold-digger helps. A saboteur plays like one until the path comes near the treasure, then does harm.
    """
    options = options_of(situation, random_below)
    weights = weights_of_preferences(
        [option.digger_preference for option in options], digger_randomness(situation, parameters)
    )
    if role == "saboteur":
        saboteur_weights = weights_of_preferences(
            [option.saboteur_preference for option in options], parameters.saboteur_randomness
        )
        weights = mixed_weights(
            disguised_weights(options, weights, parameters.withholding_chance),
            saboteur_weights,
            betrayal_chance(situation, parameters),
        )
    return choose_by_weight(options, weights, random_below)
