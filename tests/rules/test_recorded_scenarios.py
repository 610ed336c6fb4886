"""Every scenario that a rulebook allows has a recorded game, which replays to the same record."""

from itertools import product

import pytest

from tests.support.engine.game_library import (
    SCENARIOS,
    find_game,
    missing_scenarios,
    recorded_games,
    replayed,
    scenarios_of,
)
from tests.support.rulebook_groups import ONE_GOAL_PER_CARD, PASSES_END_ROUND, every_rulebook

# Slow tests of code that other tests cover line by line.
pytestmark = pytest.mark.no_cover

RECORDED_GAMES = recorded_games()


@pytest.mark.parametrize(
    "rulebook,way", [(rulebook, way) for rulebook, ways in SCENARIOS.items() for way in ways]
)
def test_every_scenario_has_a_recorded_game_e1_e4_e7_e12_e13(rulebook: str, way: str) -> None:
    games = [game for game in RECORDED_GAMES.values() if game.table.rulebook == rulebook]
    assert any(way in scenarios_of(game) for game in games)


def test_missing_scenarios_lists_all_without_games_and_none_with_the_recorded_ones() -> None:
    assert dict(missing_scenarios([])).keys() == SCENARIOS.keys()
    assert list(missing_scenarios(RECORDED_GAMES.values())) == []


@every_rulebook
def test_scenarios_of_a_rulebook_follow_from_its_endings_and_choices(rulebook: str) -> None:
    silent = ["exhausted", *["circle-of-passes"] * (rulebook in PASSES_END_ROUND)]
    ways = {f"{ending}-{side}" for ending, side in product(silent, ("saboteurs", "nobody"))}
    ways |= {"treasure-diggers", "misfit", "exact-change", "given-up", "rewind"}
    ways |= {"goal-choice"} if rulebook in ONE_GOAL_PER_CARD else set()
    ways |= {"pass-moves-starter"} if rulebook == "et-2007" else set()
    assert set(SCENARIOS[rulebook]) == ways


@pytest.mark.parametrize("name", RECORDED_GAMES)
def test_replaying_a_recorded_game_gives_the_same_record(name: str) -> None:
    assert replayed(RECORDED_GAMES[name]) == RECORDED_GAMES[name]


def test_first_seed_found_for_a_scenario_gives_the_recorded_game() -> None:
    assert find_game("en-2004", "exact-change") == RECORDED_GAMES["en-2004-exact-change"]


@pytest.mark.parametrize("way", SCENARIOS["et-2007"])
def test_game_can_be_found_for_every_scenario(way: str) -> None:
    assert way in scenarios_of(find_game("et-2007", way))
