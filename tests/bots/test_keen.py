"""Keen bots spend the same number of rollouts on every decision, and see what follows from an action."""

from collections import Counter

import pytest

from engine.actions import Discard, Lay
from engine.bots.keen import RolloutTrial
from engine.bots.options import Option
from engine.cards import Role
from engine.rollouts import Dice
from engine.view import view_for
from tests.bots.test_play import position

HAND = ("path-rl", "path-trbl", "dead-l", "dead-b", "map", "rockfall")
WINNING_OPTION = Option(Lay("path-rl", "H5"), 0, 0, 1)
IDLE_OPTION = Option(Discard("path-rl"), 0, 0)


class CountingTrial(RolloutTrial):
    """A trial that counts its rollouts by option."""

    def __init__(self, role: Role) -> None:
        super().__init__(view_for(position(role, HAND), 0), (), Dice(1))
        self.rollout_counts = Counter[Option | None]()

    def play_once(self, option: Option | None = None) -> float:
        self.rollout_counts[option] += 1
        return super().play_once(option)


@pytest.mark.parametrize("role", ["digger", "saboteur"])
@pytest.mark.parametrize("action_count", range(1, 7))
def test_number_of_rollouts_depends_on_nothing_but_the_budget(
    action_count: int, role: Role
) -> None:
    trial = CountingTrial(role)
    options = [Option(Discard(card), 0, 0) for card in HAND[:action_count]]
    advantages = trial.advantages(options, [0.0] * action_count, rollout_weight=1, rollouts=25)
    assert trial.rollout_counts.total() == 25
    assert sum(advantages) == pytest.approx(0)


def test_most_rollouts_compare_the_best_options() -> None:
    trial = CountingTrial("digger")
    option_values = {
        Option(Discard(card), 0, 0): float(option_value) for option_value, card in enumerate(HAND)
    }
    trial.advantages(
        list(option_values), list(option_values.values()), rollout_weight=0, rollouts=90
    )
    rollout_counts = [trial.rollout_counts[option] for option in option_values]
    assert rollout_counts == sorted(rollout_counts)
    assert 0 < 3 * rollout_counts[0] < rollout_counts[-1]


def test_action_that_wins_is_better_than_a_discard() -> None:
    state = position("digger", ("path-rl", "dead-l"), seen=(("I5",), (), (), ()))
    trial = RolloutTrial(view_for(state, 0), (), Dice(1))
    winning_advantage, idle_advantage = trial.advantages(
        [WINNING_OPTION, IDLE_OPTION], [0, 0], rollout_weight=1, rollouts=60
    )
    assert winning_advantage > idle_advantage


def test_same_dice_give_the_same_estimates() -> None:
    view = view_for(position("saboteur", ("path-rl", "dead-l")), 0)
    first_advantages, second_advantages = (
        RolloutTrial(view, (), Dice(9)).advantages(
            [WINNING_OPTION, IDLE_OPTION], [0, 0], rollout_weight=-1, rollouts=20
        )
        for _ in range(2)
    )
    assert first_advantages == second_advantages
