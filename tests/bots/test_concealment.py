"""No single number that the table sees of the first actions of a bot tells its role.

`python3 dev.py bench roles` combines all of them by statistics; this test needs no library for that.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import sqrt

import pytest

from bench.roles.observed_rounds import ObservedRound, observed_rounds, role_features
from engine.bots.policy import Level
from engine.bots.simulation import SimulationSettings, simulate
from tests.support.sizes import case_count

long_simulation = pytest.mark.no_cover


def simulated_rounds(level: Level, players: int) -> list[ObservedRound]:
    settings = SimulationSettings(
        rulebook="en-2004",
        players=players,
        levels={"digger": level, "saboteur": level},
        rollouts=12,
    )
    # Keen bots take fifty times as long.
    games = case_count("concealment_games") // (4 if level == "keen" else 1)
    return [
        observed_round
        for number in range(games)
        for observed_round in observed_rounds(
            simulate(settings, name=f"game-{number}", seed=b"hidden")
        )
    ]


def highest_area_under_roc_curve(rounds: Sequence[ObservedRound], actions_per_seat: int) -> float:
    """Return the AUC of the feature that tells roles best."""
    feature_rows_by_role: dict[str, list[list[float]]] = {"digger": [], "saboteur": []}
    for observed_round in rounds:
        features = role_features(observed_round, actions_per_seat)
        for role, row in zip(observed_round.roles, features, strict=True):
            feature_rows_by_role[role].append(row)
    columns = zip(
        zip(*feature_rows_by_role["digger"], strict=True),
        zip(*feature_rows_by_role["saboteur"], strict=True),
        strict=True,
    )
    return max(
        abs(_area_under_roc_curve(sorted(digger), saboteur) - 0.5) + 0.5
        for digger, saboteur in columns
    )


def _area_under_roc_curve(
    sorted_digger_values: Sequence[float], saboteur_values: Sequence[float]
) -> float:
    """Return how often a saboteur's number is higher than a digger's; equal ones count half."""
    doubled_pair_count = sum(
        bisect_left(sorted_digger_values, number) + bisect_right(sorted_digger_values, number)
        for number in saboteur_values
    )
    return doubled_pair_count / (2 * len(sorted_digger_values) * len(saboteur_values))


@long_simulation
@pytest.mark.parametrize("players", [4, 10])
@pytest.mark.parametrize("level", ["easy", "steady", "keen"])
def test_first_actions_say_little_about_the_role(level: Level, players: int) -> None:
    rounds = simulated_rounds(level, players)
    # The limits of the report, with room for chance: there are few rounds and many numbers.
    sampling_tolerance = 1.5 / sqrt(sum(len(observed_round.roles) for observed_round in rounds))
    assert highest_area_under_roc_curve(rounds, 1) < 0.65 + sampling_tolerance
    assert highest_area_under_roc_curve(rounds, 3) < 0.75 + sampling_tolerance


@long_simulation
def test_role_revealing_first_actions_are_detected() -> None:
    observed_round = simulated_rounds("random", 5)
    role_revealing_rounds = [
        game._replace(
            actions=tuple(
                action._replace(kind="pass") if game.roles[action.seat] == "saboteur" else action
                for action in game.actions
            )
        )
        for game in observed_round
    ]
    assert highest_area_under_roc_curve(role_revealing_rounds, 1) > 0.95
