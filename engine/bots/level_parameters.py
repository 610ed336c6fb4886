"""How bots of a level play: how random they are, and when a saboteur stops hiding."""

from math import exp
from typing import Final, NamedTuple

from engine.bots.situation import Situation


class LevelParameters(NamedTuple):
    """The numbers of a level. Randomness 1 makes an action that is wanted by one more 2.7 times as likely, randomness 2 1.6 times."""

    digger_randomness: float
    """The randomness of gold-diggers, and of saboteurs as long as they play like one."""
    saboteur_randomness: float
    """The randomness of saboteurs who no longer hide."""
    early_betrayal: float
    """The number of cards the path needs at which a saboteur stops hiding in half of its first turns."""
    later_betrayal: float
    """The number of cards the path needs at which a saboteur stops hiding in half of its later turns."""
    withheld_help: float = 0.0
    """How often a hiding saboteur discards instead of helping."""
    digger_foresight: float = 0.0
    """How much a gold-digger trusts in rollouts."""
    saboteur_foresight: float = 0.0
    """How much a saboteur trusts in rollouts."""


EASY: Final = LevelParameters(
    digger_randomness=2.8, saboteur_randomness=0.9, early_betrayal=2.4, later_betrayal=4.0
)
STEADY: Final = LevelParameters(
    digger_randomness=2.0,
    saboteur_randomness=0.3,
    early_betrayal=2.7,
    later_betrayal=9.0,
    withheld_help=0.1,
)
KEEN: Final = LevelParameters(
    digger_randomness=2.0,
    saboteur_randomness=0.25,
    early_betrayal=2.7,
    later_betrayal=9.0,
    withheld_help=0.2,
    digger_foresight=8.0,
    saboteur_foresight=8.0,
)

_RANDOMNESS_WITHOUT_DECK: Final = 0.65
"""The factor of the randomness of gold-diggers once the draw deck is empty."""
WATCHED_TURNS: Final = 3
"""The number of first turns in which a saboteur hides more, because they say most about its role."""
_MANY_TURNS: Final = 16.0
"""The number of turns left to each seat above which a saboteur can wait, and hides more."""
_MAX_BETRAYAL: Final = 0.95
_SPREAD_OF_BETRAYAL: Final = 0.5
"""Over how many cards the decision to stop hiding is spread."""


def digger_randomness(situation: Situation, parameters: LevelParameters) -> float:
    """Return how random gold-diggers are this turn: less once the draw deck is empty and every card counts."""
    factor = _RANDOMNESS_WITHOUT_DECK if situation.is_deck_empty else 1.0
    return factor * parameters.digger_randomness


def betrayal_chance(situation: Situation, parameters: LevelParameters) -> float:
    """Return how likely a saboteur does harm openly this turn, by how near the path is to the treasure.

    It depends on nothing that the table does not see, but on where this seat believes the treasure to be.
    """
    turns_left = situation.cards_left / len(situation.broken)
    is_watched = situation.turns_taken < WATCHED_TURNS or turns_left > _MANY_TURNS
    half_at = parameters.early_betrayal if is_watched else parameters.later_betrayal
    distance = (situation.ends.needed - half_at) / _SPREAD_OF_BETRAYAL
    return _MAX_BETRAYAL / (1 + exp(distance))
