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
from engine.bots.level_parameters import (
    WATCHED_TURNS,
    LevelParameters,
    betrayal_chance,
    digger_randomness,
    keen_parameters,
)
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

DEFAULT_ROLLOUTS: Final = 300
"""The rollouts of a decision: up to 0.3 seconds of one core."""
_CANDIDATES: Final = 6
"""How many options are tried out, those that the role wants most."""


def keen_action(
    view: View, lines: Sequence[Line], pick: Callable[[int], int], *, rollouts: int
) -> Action:
    """Return the action of a bot on turn that looks ahead with this many rollouts."""
    trial = Trial(view, lines, Dice(pick(1 << 32)))
    options = options_of(trial.situation, pick)
    parameters, is_saboteur = keen_parameters(view.seats), view.role == "saboteur"
    foresight = _foresight(trial.situation, parameters, is_saboteur=is_saboteur)
    wishes = [option.harm if is_saboteur else option.help for option in options]
    candidates = sorted(range(len(options)), key=lambda index: -wishes[index])[:_CANDIDATES]
    advantages = trial.advantages(
        [options[index] for index in candidates],
        [wishes[index] for index in candidates],
        foresight=foresight,
        rollouts=rollouts,
    )
    for index, advantage in zip(candidates, advantages, strict=True):
        wishes[index] += foresight * advantage
    if is_saboteur:
        weights = _saboteur_weights(options, wishes, trial.situation, parameters)
    else:
        weights = weights_by(wishes, digger_randomness(trial.situation, parameters))
    return choose(options, weights, pick)


def _foresight(situation: Situation, parameters: LevelParameters, *, is_saboteur: bool) -> float:
    """Return how much a seat trusts in rollouts.

    A gold-digger does not at all in the first turns, so that saboteurs can play the same.
    """
    if is_saboteur:
        return -parameters.saboteur_foresight
    return 0.0 if situation.turns_taken < WATCHED_TURNS else parameters.digger_foresight


def _saboteur_weights(
    options: Sequence[Option],
    wishes: Sequence[float],
    situation: Situation,
    parameters: LevelParameters,
) -> list[float]:
    randomness = digger_randomness(situation, parameters)
    digger_weights = weights_by([option.help for option in options], randomness)
    hidden_options = [
        option._replace(harm=wish) for option, wish in zip(options, wishes, strict=True)
    ]
    return mixed(
        disguised(hidden_options, digger_weights, parameters.withheld_help),
        weights_by(wishes, parameters.saboteur_randomness),
        betrayal_chance(situation, parameters),
    )


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

    def play_once(self, option: Option | None = None) -> float:
        """Play the supposed deal to its end, beginning with an option; return how good that is for diggers."""
        situation = self.situation
        rollout = Rollout(
            position_of(self._public, self._deal, passed=self._passed),
            saboteur_probabilities=self._saboteur_probabilities_after(option),
            treasure=situation.treasure,
            cards_from=situation.cards_from,
            dice=Dice(self._seed),
        )
        return rollout.value(option.action if option else None)

    def _saboteur_probabilities_after(self, option: Option | None) -> Sequence[float]:
        """Return what the table believes once it has seen an option of this seat."""
        if option not in self._probabilities_after:
            weights = list(self._knowledge.role_weights)
            if option is not None:
                weights[self.situation.seat] *= exp(suspicion_shown(option, weights))
            self._probabilities_after[option] = saboteur_probabilities(weights, {})
        return self._probabilities_after[option]

    def advantages(
        self,
        options: Sequence[Option],
        wishes: Sequence[float],
        *,
        foresight: float,
        rollouts: int,
    ) -> list[float]:
        """Return for each option how much better than the average the rollouts after it are for diggers.

        All options are tried in the same deals, with the same random numbers. The less promising half, by wishes and rollouts
        together, is left out again and again, so that most rollouts compare the best.
        """
        values, tries = [0.0] * len(options), [0] * len(options)
        remaining = list(range(len(options)))
        stage_count = max(len(options) - 1, 1).bit_length()
        for stage in range(stage_count):
            stage_end = rollouts * (stage + 1) // stage_count
            while sum(tries) < stage_end:
                self.deal_again()
                for index in remaining[: stage_end - sum(tries)]:
                    tries[index] += 1
                    values[index] += self.play_once(options[index])
            means = [value / max(tried, 1) for value, tried in zip(values, tries, strict=True)]
            promise = [wish + foresight * mean for wish, mean in zip(wishes, means, strict=True)]
            remaining.sort(key=lambda index: -promise[index])
            del remaining[max((len(remaining) + 1) // 2, 2) :]
        return [mean - sum(means) / len(means) for mean in means]
