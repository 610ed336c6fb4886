"""The policy of keen bots: steady play, corrected by rollouts of deals that the bot thinks possible.

This is information-set Monte Carlo search of one ply. The number of rollouts is fixed: the same for both roles and every hand,
so that the time of an answer says nothing.
"""

from collections.abc import Callable, Sequence
from math import exp
from typing import Final

from engine.actions import Action
from engine.bots.dice import Dice
from engine.bots.evidence import suspicion_shown
from engine.bots.level_parameters import KEEN, betrayal_chance, digger_randomness
from engine.bots.options import Option, options_of
from engine.bots.reading import situation_of
from engine.bots.role_odds import saboteur_probabilities
from engine.bots.rollout import Rollout
from engine.bots.situation import Situation
from engine.bots.supposed_deals import Knowledge, passes_in_a_row, public_position_of
from engine.bots.weighing import choose, disguised, mixed, weights_by
from engine.narration import Line
from engine.rollouts.position import position_of
from engine.view import View

DEFAULT_ROLLOUTS: Final = 120
"""The rollouts of a decision: 0.1 to 0.3 seconds of one core."""
_CANDIDATES_OF_EACH_SIDE: Final = 3
"""How many of the options that each side wants most are tried out."""


def keen_action(
    view: View, lines: Sequence[Line], pick: Callable[[int], int], *, rollouts: int
) -> Action:
    """Return the action of a bot on turn that looks ahead with this many rollouts."""
    trial = Trial(view, lines, Dice(pick(1 << 32)))
    options = options_of(trial.situation)
    candidates = _candidates(options)
    advantages = trial.advantages([options[index] for index in candidates], rollouts)
    foresight = dict(zip(candidates, advantages, strict=True))
    return choose(options, _weights(options, foresight, trial.situation, view), pick)


def _weights(
    options: Sequence[Option], foresight: dict[int, float], situation: Situation, view: View
) -> list[float]:
    help_, harm = [option.help for option in options], [option.harm for option in options]
    for index, advantage in foresight.items():
        help_[index] += KEEN.digger_foresight * advantage
        harm[index] -= KEEN.saboteur_foresight * advantage
    weights = weights_by(help_, digger_randomness(situation, KEEN))
    if view.role != "saboteur":
        return weights
    hidden_options = [
        option._replace(harm=wish) for option, wish in zip(options, harm, strict=True)
    ]
    return mixed(
        disguised(hidden_options, weights, KEEN.withheld_help),
        weights_by(harm, KEEN.saboteur_randomness),
        betrayal_chance(situation, KEEN),
    )


def _candidates(options: Sequence[Option]) -> list[int]:
    """Return the indexes of the options that diggers or saboteurs want most, the same for both roles."""
    indexes = range(len(options))
    most_helpful = sorted(indexes, key=lambda index: -options[index].help)
    most_harmful = sorted(indexes, key=lambda index: -options[index].harm)
    number = _CANDIDATES_OF_EACH_SIDE
    return list(dict.fromkeys(most_helpful[:number] + most_harmful[:number]))


class Trial:
    """Rollouts from the position of a view whose seat is on turn."""

    def __init__(self, view: View, lines: Sequence[Line], dice: Dice) -> None:
        self.situation = situation_of(view, lines)
        self._public = public_position_of(view)
        self._passed = passes_in_a_row(view, lines)
        self._knowledge = Knowledge.of(view, lines)
        self._dice = dice
        self._deal, self._seed = self._knowledge.sample(dice), 0
        self._probabilities_after: dict[Option | None, Sequence[float]] = {}

    def deal_again(self) -> None:
        """Suppose another deal, with other random numbers."""
        self._deal, self._seed = self._knowledge.sample(self._dice), self._dice.below(1 << 32)

    def play_once(self, option: Option | None = None) -> bool:
        """Play the supposed deal to its end, beginning with an option; return whether the diggers win."""
        situation = self.situation
        rollout = Rollout(
            position_of(self._public, self._deal, passed=self._passed),
            saboteur_probabilities=self._saboteur_probabilities_after(option),
            treasure=situation.treasure,
            cards_from=situation.cards_from,
            dice=Dice(self._seed),
        )
        return rollout.winners(option.action if option else None) == "diggers"

    def _saboteur_probabilities_after(self, option: Option | None) -> Sequence[float]:
        """Return what the table believes once it has seen an option of this seat."""
        if option not in self._probabilities_after:
            weights = list(self._knowledge.role_weights)
            if option is not None:
                weights[self.situation.seat] *= exp(suspicion_shown(option, weights))
            self._probabilities_after[option] = saboteur_probabilities(weights, {})
        return self._probabilities_after[option]

    def advantages(self, options: Sequence[Option], rollouts: int) -> list[float]:
        """Return for each option how much more often than the average the diggers win after it.

        All options are tried in the same deals, with the same random numbers.
        """
        wins, tries = [0] * len(options), [0] * len(options)
        for number in range(rollouts):
            index = number % len(options)
            if index == 0:
                self.deal_again()
            tries[index] += 1
            wins[index] += self.play_once(options[index])
        shares = [won / max(tried, 1) for won, tried in zip(wins, tries, strict=True)]
        return [share - sum(shares) / len(shares) for share in shares]
