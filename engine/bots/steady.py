"""The policy of easy and steady bots: a weighed choice among the sensible actions."""

from collections.abc import Callable

from engine.actions import Action
from engine.bots.level_parameters import LevelParameters, betrayal_chance, digger_randomness
from engine.bots.option_weights import (
    choose_by_weight,
    disguised_weights,
    mixed_weights,
    weights_of_preferences,
)
from engine.bots.options import options_of
from engine.bots.situation import Situation
from engine.cards import Role


def steady_action(
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
