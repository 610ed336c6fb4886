"""The policy of keen bots: steady play, corrected by rollouts of deals that the bot thinks possible.

This is information-set Monte Carlo search of one ply. The number of rollouts is fixed: the same for both roles and every hand,
so that the time of an answer says nothing.
"""

from collections.abc import Callable, Sequence
from math import exp
from typing import Final

from engine.actions import Action
from engine.bots.belief import saboteur_probabilities, situation_of
from engine.bots.evidence import suspicion_shown
from engine.bots.level_parameters import (
    WATCHED_TURN_COUNT,
    LevelParameters,
    betrayal_chance,
    digger_randomness,
    keen_parameters,
)
from engine.bots.option_weights import (
    choose_by_weight,
    disguised_weights,
    mixed_weights,
    weights_of_preferences,
)
from engine.bots.options import Option, Situation, options_of
from engine.bots.rollout import Rollout
from engine.bots.supposed_deals import DealKnowledge, passes_in_a_row, public_position_of
from engine.narration import Line
from engine.rollouts import Dice, position_of
from engine.view import View

DEFAULT_ROLLOUTS: Final = 300
"""The rollouts of a decision: up to 0.3 seconds of one core."""
_CANDIDATE_COUNT: Final = 6
"""How many options are tried out, those that the role wants most."""


def keen_action(
    view: View, lines: Sequence[Line], random_below: Callable[[int], int], *, rollouts: int
) -> Action:
    """Return the action of a bot on turn that looks ahead with this many rollouts."""
    trial = RolloutTrial(view, lines, Dice(random_below(1 << 32)))
    options = options_of(trial.situation, random_below)
    parameters, is_saboteur = keen_parameters(view.seats), view.role == "saboteur"
    rollout_weight = _rollout_weight(trial.situation, parameters, is_saboteur=is_saboteur)
    preferences = [
        option.saboteur_preference if is_saboteur else option.digger_preference
        for option in options
    ]
    candidates = sorted(range(len(options)), key=lambda index: -preferences[index])[
        :_CANDIDATE_COUNT
    ]
    advantages = trial.advantages(
        [options[index] for index in candidates],
        [preferences[index] for index in candidates],
        rollout_weight=rollout_weight,
        rollouts=rollouts,
    )
    for index, advantage in zip(candidates, advantages, strict=True):
        preferences[index] += rollout_weight * advantage
    if is_saboteur:
        weights = _saboteur_weights(options, preferences, trial.situation, parameters)
    else:
        weights = weights_of_preferences(
            preferences, digger_randomness(trial.situation, parameters)
        )
    return choose_by_weight(options, weights, random_below)


def _rollout_weight(
    situation: Situation, parameters: LevelParameters, *, is_saboteur: bool
) -> float:
    """Return how much a seat trusts in rollouts.

    A gold-digger does not at all in the first turns, so that saboteurs can play the same.
    """
    if is_saboteur:
        return -parameters.saboteur_rollout_weight
    return 0.0 if situation.turns_taken < WATCHED_TURN_COUNT else parameters.digger_rollout_weight


def _saboteur_weights(
    options: Sequence[Option],
    preferences: Sequence[float],
    situation: Situation,
    parameters: LevelParameters,
) -> list[float]:
    randomness = digger_randomness(situation, parameters)
    digger_weights = weights_of_preferences(
        [option.digger_preference for option in options], randomness
    )
    hidden_options = [
        option._replace(saboteur_preference=preference)
        for option, preference in zip(options, preferences, strict=True)
    ]
    return mixed_weights(
        disguised_weights(hidden_options, digger_weights, parameters.withholding_chance),
        weights_of_preferences(preferences, parameters.saboteur_randomness),
        betrayal_chance(situation, parameters),
    )


class RolloutTrial:
    """Rollouts from the position of a view whose seat is on turn."""

    def __init__(self, view: View, lines: Sequence[Line], dice: Dice) -> None:
        self.situation = situation_of(view, lines)
        self._public_position = public_position_of(view)
        self._pass_count = passes_in_a_row(view, lines)
        self._knowledge = DealKnowledge.from_view(view, lines)
        self._dice = dice
        self._deal, self._seed = self._knowledge.sampled_deal(dice), 0
        self._probabilities_after: dict[Option | None, Sequence[float]] = {}

    def deal_again(self) -> None:
        """Suppose another deal, with other random numbers."""
        self._deal, self._seed = (
            self._knowledge.sampled_deal(self._dice),
            self._dice.number_below(1 << 32),
        )

    def play_once(self, option: Option | None = None) -> float:
        """Play the supposed deal to its end, beginning with an option; return how good that is for diggers."""
        situation = self.situation
        rollout = Rollout(
            position_of(self._public_position, self._deal, passed=self._pass_count),
            saboteur_probabilities=self._saboteur_probabilities_after(option),
            treasure=situation.treasure,
            cards_needed_by_cell=situation.cards_needed_by_cell,
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
        preferences: Sequence[float],
        *,
        rollout_weight: float,
        rollouts: int,
    ) -> list[float]:
        """Return for each option how much better than the average the rollouts after it are for diggers.

        All options are tried in the same deals, with the same random numbers. The less promising half, by wishes and rollouts
        together, is left out again and again, so that most rollouts compare the best.
        """
        values, try_counts = [0.0] * len(options), [0] * len(options)
        remaining_indexes = list(range(len(options)))
        stage_count = max(len(options) - 1, 1).bit_length()
        for stage in range(stage_count):
            stage_end = rollouts * (stage + 1) // stage_count
            while sum(try_counts) < stage_end:
                self.deal_again()
                for index in remaining_indexes[: stage_end - sum(try_counts)]:
                    try_counts[index] += 1
                    values[index] += self.play_once(options[index])
            means = [
                value / max(try_count, 1)
                for value, try_count in zip(values, try_counts, strict=True)
            ]
            expected_values = [
                preference + rollout_weight * mean
                for preference, mean in zip(preferences, means, strict=True)
            ]
            remaining_indexes.sort(key=lambda index: -expected_values[index])
            del remaining_indexes[max((len(remaining_indexes) + 1) // 2, 2) :]
        return [mean - sum(means) / len(means) for mean in means]
