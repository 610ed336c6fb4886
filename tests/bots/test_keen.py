"""Keen bots spend the same number of rollouts on every decision, and see what follows from an action."""

import pytest

from engine.actions import Discard, Lay
from engine.bots.dice import Dice
from engine.bots.keen import Trial
from engine.bots.options import Option
from engine.view import view_for
from tests.bots.test_play import position


class CountingTrial(Trial):
    rollout_count = 0

    def play_once(self, option: Option | None = None) -> bool:
        self.rollout_count += 1
        return super().play_once(option)


@pytest.mark.parametrize("action_count", range(1, 7))
def test_number_of_rollouts_depends_on_nothing_but_the_budget(action_count: int) -> None:
    hand = ("path-rl", "path-trbl", "dead-l", "dead-b", "map", "rockfall")
    trial = CountingTrial(view_for(position("digger", hand), 0), (), Dice(1))
    advantages = trial.advantages([Option(Discard(card), 0, 0) for card in hand[:action_count]], 25)
    assert trial.rollout_count == 25
    assert sum(advantages) == pytest.approx(0)


def test_action_that_wins_is_better_than_a_discard() -> None:
    state = position("digger", ("path-rl", "dead-l"), seen=(("I5",), (), (), ()))
    trial = Trial(view_for(state, 0), (), Dice(1))
    winning_advantage, idle_advantage = trial.advantages(
        [Option(Lay("path-rl", "H5"), 0, 0, 1), Option(Discard("path-rl"), 0, 0)], 60
    )
    assert winning_advantage > idle_advantage


def test_same_dice_give_the_same_estimates() -> None:
    view = view_for(position("saboteur", ("path-rl", "dead-l")), 0)
    actions = [Option(Lay("path-rl", "H5"), 0, 0, 1), Option(Discard("path-rl"), 0, 0)]
    first_advantages, second_advantages = (
        Trial(view, (), Dice(9)).advantages(actions, 20) for _ in range(2)
    )
    assert first_advantages == second_advantages
