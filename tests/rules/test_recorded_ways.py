"""For every way a game can go there is a recorded game, under every rulebook that knows the way."""

from itertools import product

import pytest

from tests.support.game_records import WAYS, find, missing_ways, played_again, recorded, ways_of
from tests.support.positions import CHOOSING, CIRCLING, every_rulebook

# Long, of what other tests cover line by line.
pytestmark = pytest.mark.no_cover

RECORDED = recorded()


@pytest.mark.parametrize(
    "rulebook,way", [(rulebook, way) for rulebook, ways in WAYS.items() for way in ways]
)
def test_a_game_is_recorded_for_every_way_it_can_go_e1_e4_e7_e12_e13(
    rulebook: str, way: str
) -> None:
    games = [game for game in RECORDED.values() if game.table.rulebook == rulebook]
    assert any(way in ways_of(game) for game in games)


def test_without_recorded_games_every_way_would_be_missing() -> None:
    assert dict(missing_ways([])).keys() == WAYS.keys()
    assert list(missing_ways(RECORDED.values())) == []


@every_rulebook
def test_the_ways_of_a_rulebook_are_those_of_its_endings_and_choices(rulebook: str) -> None:
    silent = ["exhausted", *["circle-of-passes"] * (rulebook in CIRCLING)]
    ways = {f"{ending}-{side}" for ending, side in product(silent, ("saboteurs", "nobody"))}
    ways |= {"treasure-diggers", "misfit", "exact-change", "given-up", "rewind"}
    ways |= {"goal-choice"} if rulebook in CHOOSING else set()
    ways |= {"pass-moves-starter"} if rulebook == "et-2007" else set()
    assert set(WAYS[rulebook]) == ways


@pytest.mark.parametrize("name", RECORDED)
def test_the_moves_of_a_recorded_game_make_the_same_game_today(name: str) -> None:
    assert played_again(RECORDED[name]) == RECORDED[name]


def test_the_first_seed_that_goes_a_way_is_always_the_same() -> None:
    assert find("en-2004", "exact-change") == RECORDED["en-2004-exact-change"]


@pytest.mark.parametrize("way", WAYS["et-2007"])
def test_a_game_can_be_found_for_every_way(way: str) -> None:
    assert way in ways_of(find("et-2007", way))
