"""Bots play whole games legally and sensibly, from the view of their seat alone."""

from collections import Counter

import pytest

from engine.bots.policy import Level
from engine.bots.simulation import Simulation, SimulationSettings, simulate
from engine.evolve import fold, initial_state
from tests.support.rulebook_groups import every_rulebook
from tests.support.sizes import case_count

long_simulation = pytest.mark.no_cover
"""Marks simulations of code that shorter tests cover line by line."""


def simulated_game(rulebook: str, players: int, name: str, **levels: Level) -> Simulation:
    digger, saboteur = levels.get("digger", "steady"), levels.get("saboteur", "steady")
    settings = SimulationSettings(
        rulebook=rulebook, players=players, levels={"digger": digger, "saboteur": saboteur}
    )
    return simulate(settings, name=name, seed=b"tests of the bots")


def saboteur_share(rulebook: str, players: int, **levels: Level) -> float:
    rounds_won: Counter[str] = Counter()
    for number in range(case_count("simulated_games")):
        game = simulated_game(rulebook, players, f"game-{number}", **levels)
        rounds_won.update(result.winners for result in game.state.results)
    return rounds_won["saboteurs"] / rounds_won.total()


@every_rulebook
@pytest.mark.parametrize("players", [3, 10])
def test_steady_bots_finish_a_game_under_every_rulebook(rulebook: str, players: int) -> None:
    game = simulated_game(rulebook, players, "whole")
    assert game.state.winners
    assert len(game.state.results) == 3


def test_same_seed_plays_the_same_game() -> None:
    first_game, second_game = (simulated_game("en-2004", 5, "again") for _ in range(2))
    assert first_game.record.turns == second_game.record.turns
    assert first_game.record.turns != simulated_game("en-2004", 5, "another").record.turns


def test_simulation_steps_fold_to_its_final_state() -> None:
    game = simulated_game("uk-2017", 4, "folded")
    start = initial_state("uk-2017", game.record.table.house, 4)
    assert fold(start, [turn.events for turn in game.record.turns]) == game.state


@long_simulation
def test_steady_diggers_usually_beat_random_saboteurs() -> None:
    assert saboteur_share("en-2004", 5, saboteur="random") < 0.5


@long_simulation
@pytest.mark.parametrize("rulebook", ["en-2004", "lv-2009"])
def test_either_side_of_steady_bots_can_win(rulebook: str) -> None:
    assert 0.2 < saboteur_share(rulebook, 5) < 0.65


@long_simulation
def test_random_diggers_hardly_ever_reach_the_treasure() -> None:
    assert saboteur_share("lv-2009", 5, digger="random", saboteur="random") > 0.9


@long_simulation
def test_simulated_rounds_end_by_treasure_and_by_passes() -> None:
    missing_endings = {"treasure", "circle-of-passes"}
    for number in range(4 * case_count("simulated_games")):
        results = simulated_game("et-2007", 7, f"game-{number}").state.results
        missing_endings -= {result.ending for result in results}
        if not missing_endings:
            return
    assert not missing_endings
