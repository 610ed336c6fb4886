"""Every scenario that a rulebook allows has a recorded game, which replays to the same record."""

from itertools import product

import pytest

from tests.support.engine.game_library import (
    SCENARIOS,
    recorded_games,
    replayed_record,
    scenarios_of,
)
from tests.support.rulebook_groups import (
    ONE_GOAL_RULEBOOKS,
    PASSES_END_ROUND_RULEBOOKS,
    every_rulebook,
)

# Slow tests of code that other tests cover line by line.
pytestmark = pytest.mark.no_cover

RECORDED_GAMES = recorded_games()


@pytest.mark.parametrize(
    "rulebook,scenario",
    [(rulebook, scenario) for rulebook, names in SCENARIOS.items() for scenario in names],
)
def test_every_scenario_has_a_recorded_game_e1_e4_e7_e12_e13(rulebook: str, scenario: str) -> None:
    games = [game for game in RECORDED_GAMES.values() if game.table.rulebook == rulebook]
    assert any(scenario in scenarios_of(game) for game in games)


@every_rulebook
def test_scenarios_of_a_rulebook_follow_from_its_endings_and_choices(rulebook: str) -> None:
    endings = ["exhausted", *["circle-of-passes"] * (rulebook in PASSES_END_ROUND_RULEBOOKS)]
    expected = {f"{ending}-{side}" for ending, side in product(endings, ("saboteurs", "nobody"))}
    expected |= {"treasure-diggers", "misfit", "exact-change", "given-up", "rewind"}
    expected |= {"goal-choice"} if rulebook in ONE_GOAL_RULEBOOKS else set()
    expected |= {"pass-moves-starter"} if rulebook == "et-2007" else set()
    expected |= {"shortened"} if rulebook == "en-2004" else set()
    assert set(SCENARIOS[rulebook]) == expected


@pytest.mark.parametrize("name", RECORDED_GAMES)
def test_replaying_a_recorded_game_gives_the_same_record(name: str) -> None:
    assert replayed_record(RECORDED_GAMES[name]) == RECORDED_GAMES[name]
