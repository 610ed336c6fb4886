"""The report on hiding roles compares what the table saw of each seat, and nothing else."""

import pytest

from bench.roles.observed_rounds import observed_rounds, role_features
from engine.bots.simulation import Simulation, SimulationSettings, simulate


def random_game(players: int) -> Simulation:
    settings = SimulationSettings(
        rulebook="uk-2017", players=players, levels={"digger": "random", "saboteur": "random"}
    )
    return simulate(settings, name=f"observed-{players}", seed=b"reports")


@pytest.mark.parametrize("players", [3, 10])
def test_rounds_are_observed_with_their_roles_winners_and_actions(players: int) -> None:
    game = random_game(players)
    rounds = list(observed_rounds(game))
    assert [(observed_round.roles, observed_round.winners) for observed_round in rounds] == [
        (result.roles, result.winners) for result in game.state.results
    ]
    turns = [turn for turn in game.record.turns if turn.seat is not None]
    choice_action_names = {"choosegoal", "turngoal", "takegold"}
    played_turns = [
        turn for turn in turns if type(turn.action).__name__.lower() not in choice_action_names
    ]
    assert sum(len(observed_round.actions) for observed_round in rounds) == len(played_turns)


@pytest.mark.parametrize("actions_per_seat", [1, 3, None])
def test_every_seat_has_as_many_features(actions_per_seat: int | None) -> None:
    for observed_round in observed_rounds(random_game(5)):
        rows = role_features(observed_round, actions_per_seat)
        assert len(rows) == 5
        assert len({len(row) for row in rows}) == 1


def test_first_features_ignore_later_actions() -> None:
    observed_round = next(observed_rounds(random_game(4)))
    shorter_round = observed_round._replace(actions=observed_round.actions[:4])
    assert role_features(shorter_round, 1) == role_features(observed_round, 1)
    assert role_features(shorter_round, None) != role_features(observed_round, None)
