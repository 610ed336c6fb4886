"""Bots play whole games legally and sensibly, from the view of their seat alone."""

from collections import Counter

import msgspec
import pytest

from engine.actions import ChooseGoal
from engine.bots.policy import Level, choose_action
from engine.bots.simulation import Simulation, SimulationSettings, simulate
from engine.cards import GOALS, ROLES, Goal, Role
from engine.cells import GOAL_CELLS
from engine.events import RoundEnded
from engine.evolve import fold, initial_state
from engine.state import GoalChoice
from engine.view import legal_actions, view_for
from tests.support.engine.in_memory_game import dealt_state
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
    won: Counter[str] = Counter()
    for number in range(case_count("simulated_games")):
        game = simulated_game(rulebook, players, f"game-{number}", **levels)
        won.update(result.winners for result in game.state.results)
    return won["saboteurs"] / won.total()


@every_rulebook
@pytest.mark.parametrize("players", [3, 10])
def test_steady_bots_finish_a_game_under_every_rulebook(rulebook: str, players: int) -> None:
    game = simulated_game(rulebook, players, "whole")
    assert game.state.winners
    assert len(game.state.results) == 3


def test_same_seed_plays_the_same_game() -> None:
    first, second = (simulated_game("en-2004", 5, "again") for _ in range(2))
    assert first.record.turns == second.record.turns
    assert first.record.turns != simulated_game("en-2004", 5, "another").record.turns


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


@pytest.mark.parametrize("known_goal", GOALS)
@pytest.mark.parametrize("role", ROLES)
def test_steady_bot_chooses_a_goal_by_what_its_own_map_showed_e4(
    role: Role, known_goal: Goal
) -> None:
    """A digger wants the treasure, a saboteur a stone; a goal the bot has not seen may be either."""
    cells = GOAL_CELLS[:2]
    dealt = dealt_state("et-2007", seats=3)
    state = msgspec.structs.replace(
        dealt,
        goals=(known_goal, *(goal for goal in GOALS if goal != known_goal)),
        seen=(cells[:1], (), ()),
        roles=(role, *dealt.roles[1:]),
        choice=GoalChoice(0, cells),
    )
    for pick in (0, 1):
        chosen_action = choose_action(
            view_for(state, 0), [], lambda upper_bound, pick=pick: pick % upper_bound, "steady"
        )
        expected = cells[0] if (known_goal == "treasure") is (role == "digger") else cells[1]
        assert chosen_action == ChooseGoal(expected)


def test_choosing_for_a_seat_not_on_turn_raises_value_error() -> None:
    game = simulated_game("en-2004", 3, "over")
    with pytest.raises(ValueError, match="does not wait"):
        choose_action(view_for(game.state, 0), [], lambda _: 0, "steady")
    assert legal_actions(view_for(game.state, 0)) == ()


@long_simulation
def test_simulated_rounds_end_by_treasure_and_by_passes() -> None:
    endings = {
        event.ending
        for number in range(case_count("simulated_games"))
        for step in simulated_game("et-2007", 7, f"game-{number}").record.turns
        for event in step.events
        if isinstance(event, RoundEnded)
    }
    assert endings >= {"treasure", "circle-of-passes"}
