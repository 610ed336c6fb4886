"""The policy of easy and steady bots: a weighed choice among the sensible actions.

Its own module because keen bots choose by another function of the same shape.
"""

from collections.abc import Callable

from engine.actions import Action
from engine.bots.level_parameters import LevelParameters, betrayal_chance, digger_randomness
from engine.bots.options import options_of
from engine.bots.situation import Situation
from engine.bots.weighing import choose, disguised, mixed, weights_by
from engine.cards import Role


def steady_action(
    situation: Situation, role: Role, parameters: LevelParameters, pick: Callable[[int], int]
) -> Action:
    """Return the action of a bot on turn that does not look ahead.

    A gold-digger helps. A saboteur plays like one until the path comes near the treasure, then does harm.
    """
    options = options_of(situation, pick)
    weights = weights_by(
        [option.help for option in options], digger_randomness(situation, parameters)
    )
    if role == "saboteur":
        harm = weights_by([option.harm for option in options], parameters.saboteur_randomness)
        weights = mixed(
            disguised(options, weights, parameters.withheld_help),
            harm,
            betrayal_chance(situation, parameters),
        )
    return choose(options, weights, pick)
