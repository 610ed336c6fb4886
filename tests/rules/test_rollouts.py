"""Rollouts follow the rules of the engine: random games give the same positions, legal actions and winners with both."""

import pytest

from engine.actions import ChooseOrientation, Lay
from engine.cells import GOAL_CELLS
from engine.rollouts import Deal, Position, PublicPosition, play, position_of
from engine.state import GoalChoice, GoldChoice, OrientationChoice, State
from engine.turn_actions import TurnActions
from engine.view import legal_actions, view_for
from tests.support.engine.drawn_positions import drawn_state
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import cell_at, due_seat
from tests.support.engine.random_games import random_dealt_game
from tests.support.engine.random_players import mostly_digging_action, random_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.rulebook_groups import all_goals_rulebooks, every_rulebook
from tests.support.sizes import case_count

GAME_COUNT = 4 * case_count("games_per_rulebook")


def supposed_position(state: State) -> Position:
    """Return the same position for rollouts, built as a bot builds it."""
    view = view_for(state, None)
    public = PublicPosition(
        rulebook=view.rulebook,
        house=view.house,
        mine=view.mine,
        broken=view.broken,
        gone=view.gone,
        turn=due_seat(state),
        last_laid=view.last_laid,
    )
    top_goal, middle_goal, bottom_goal = state.goals
    deal = Deal(
        roles=state.roles,
        goals=(top_goal, middle_goal, bottom_goal),
        hands=state.hands,
        deck=state.deck[::-1],
    )
    return position_of(public, deal, passed=len(state.passed))


def assert_same_position(position: Position, state: State) -> None:
    assert position.winners is None
    assert position.mine == state.mine
    assert position.mine.open_cells == state.mine.open_cells
    assert [*map(sorted, position.hands)] == [*map(sorted, state.hands)]
    assert position.deck == list(state.deck[::-1])
    assert tuple(position.broken) == state.broken
    assert position.passed == len(state.passed)
    assert position.last_laid == state.last_laid
    assert position.turn == due_seat(state)
    assert_same_choice(position, state)


def assert_same_choice(position: Position, state: State) -> None:
    choice = state.choice
    assert position.goal_choice == (choice.cells if isinstance(choice, GoalChoice) else ())
    assert position.misfits == [cell for cell, _ in state.unsettled]
    if isinstance(choice, OrientationChoice):
        assert choice.cell == min(position.misfits, key=GOAL_CELLS.index)


def assert_same_round(game: InMemoryGame, rng: SeededRng) -> None:
    """Play one round of a game with both; sometimes a seat is given up before it."""
    position, earlier_round_count = supposed_position(game.state), len(game.state.results)
    choose = random_action if rng.happens_once_in(5) else mostly_digging_action
    while len(game.state.results) == earlier_round_count:
        assert_same_position(position, game.state)
        view = view_for(game.state, due_seat(game.state))
        offered_actions_of_seat = legal_actions(view)
        if isinstance(offered_actions_of_seat, TurnActions):
            assert position.turned == view.turned
        action = choose(game.state, rng)
        game.play(action)
        play(position, action)
    assert position.winners == game.state.results[-1].winners


@every_rulebook
@pytest.mark.parametrize("seed", range(GAME_COUNT))
def test_rollouts_agree_with_the_rules(rulebook: str, seed: int) -> None:
    rng = SeededRng(seed)
    game = random_dealt_game(rulebook, rng)
    if seed % 3 == 0:
        game.give_up(rng.below(game.state.seats), random_below=rng.below)
    while not game.is_over:
        assert_same_round(game, rng)
        while isinstance(game.state.choice, GoldChoice):
            game.play(rng.pick(game.offered_actions()))


TREASURE_BEHIND_A_MISFIT_SKETCH = """
......┌─b─
......│.│
S────.┤.$
......│.─
......└─a
"""


@all_goals_rulebooks
def test_rollouts_lay_misfit_stones_by_default_once_the_treasure_is_reached_e10_e11(
    rulebook: str,
) -> None:
    state = drawn_state(TREASURE_BEHIND_A_MISFIT_SKETCH, rulebook, hand=["path-rl", "map"])
    position = supposed_position(state)
    for action in (Lay("path-rl", cell_at(5, 0)), ChooseOrientation(turned=True)):
        play(position, action)
    assert position.winners == "diggers"
    assert all(cell in position.mine.laid for cell in GOAL_CELLS)


def test_position_shares_nothing_that_changes_with_its_sources() -> None:
    game = random_dealt_game("en-2004", SeededRng(1))
    earlier_cells = game.state.mine.laid.copy()
    position = supposed_position(game.state)
    for action in game.offered_actions()[:1]:
        play(position, action)
    assert game.state.mine.laid == earlier_cells
    assert supposed_position(game.state).hands == [list(hand) for hand in game.state.hands]
