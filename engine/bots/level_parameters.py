"""How bots of a level play: how random they are, and when a saboteur stops hiding."""

from math import exp
from typing import Final, NamedTuple

from engine.bots.options import Situation


class LevelParameters(NamedTuple):
    """The numbers of a level. Randomness 1 makes an action that is wanted by one more 2.7 times as likely, randomness 2 1.6 times."""

    digger_randomness: float
    """The randomness of gold-diggers, and of saboteurs as long as they play like one."""
    saboteur_randomness: float
    """The randomness of saboteurs who no longer hide."""
    early_betrayal_cards: float
    """A saboteur stops hiding in half of its first turns when the path needs this many cards."""
    later_betrayal_cards: float
    """A saboteur stops hiding in half of its later turns when the path needs this many cards."""
    max_betrayal_chance: float = 0.95
    """The largest chance that a saboteur stops hiding."""
    withholding_chance: float = 0.0
    """How often a hiding saboteur discards instead of helping."""
    digger_rollout_weight: float = 0.0
    """How much a gold-digger trusts in rollouts."""
    saboteur_rollout_weight: float = 0.0
    """How much a saboteur trusts in rollouts."""


_KEEN_RANDOMNESS: Final = {3: 1.8, 4: 2.3, 5: 1.75, 6: 2.0, 7: 1.75, 8: 2.1, 9: 2.25, 10: 2.1}
_STEADY_RANDOMNESS: Final = {3: 2.4, 4: 3.03, 5: 2.55, 6: 2.9, 7: 2.65, 8: 3.0, 9: 3.1, 10: 3.2}
"""The randomness of gold-diggers by number of seats, so that each side wins often enough: saboteurs are not always the same
share of the players."""
_EXTRA_RANDOMNESS_OF_EASY_BOTS: Final = 0.3
"""How much more random easy gold-diggers are than steady ones."""
_RANDOMNESS_WITHOUT_DECK: Final = 0.65
"""The factor of the randomness of gold-diggers once the draw deck is empty."""
WATCHED_TURN_COUNT: Final = 3
"""The number of first turns in which a saboteur hides more, because they say most about its role."""
_MANY_TURNS_LEFT: Final = 16.0
"""The number of turns left to each seat above which a saboteur can wait, and hides more."""
_BETRAYAL_SPREAD_CARDS: Final = 0.5
"""The number of cards over which the decision to stop hiding is spread."""


def easy_parameters(seats: int) -> LevelParameters:
    """Return the numbers of easy bots. Raises KeyError for a number of seats other than 3 to 10."""
    return LevelParameters(
        digger_randomness=_STEADY_RANDOMNESS[seats] + _EXTRA_RANDOMNESS_OF_EASY_BOTS,
        saboteur_randomness=1.2,
        early_betrayal_cards=2.2,
        later_betrayal_cards=3.2,
    )


def steady_parameters(seats: int) -> LevelParameters:
    """Return the numbers of steady bots. Raises KeyError for a number of seats other than 3 to 10."""
    return LevelParameters(
        digger_randomness=_STEADY_RANDOMNESS[seats],
        saboteur_randomness=0.6,
        early_betrayal_cards=2.2,
        later_betrayal_cards=4.0,
        withholding_chance=0.1,
    )


def keen_parameters(seats: int) -> LevelParameters:
    """Return the numbers of keen bots. Raises KeyError for a number of seats other than 3 to 10."""
    return LevelParameters(
        digger_randomness=_KEEN_RANDOMNESS[seats],
        saboteur_randomness=0.1,
        early_betrayal_cards=2.4,
        later_betrayal_cards=20.0,
        max_betrayal_chance=1.0,
        withholding_chance=0.2,
        digger_rollout_weight=2.0,
        saboteur_rollout_weight=4.0,
    )


def digger_randomness(situation: Situation, parameters: LevelParameters) -> float:
    """Return how random gold-diggers are this turn: less once the draw deck is empty and every card counts."""
    factor = _RANDOMNESS_WITHOUT_DECK if situation.is_deck_empty else 1.0
    return factor * parameters.digger_randomness


def betrayal_chance(situation: Situation, parameters: LevelParameters) -> float:
    """Return how likely a saboteur does harm openly this turn, by how near the path is to the treasure.

    It depends on nothing that the table does not see, but on where this seat believes the treasure to be.
    """
    turns_left = situation.cards_left / len(situation.broken)
    is_watched = situation.turns_taken < WATCHED_TURN_COUNT or turns_left > _MANY_TURNS_LEFT
    half_chance_cards = (
        parameters.early_betrayal_cards if is_watched else parameters.later_betrayal_cards
    )
    distance = (situation.ends.cards_needed - half_chance_cards) / _BETRAYAL_SPREAD_CARDS
    return parameters.max_betrayal_chance / (1 + exp(distance))
