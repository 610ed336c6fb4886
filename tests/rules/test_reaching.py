"""R27-R31, E4-E8, E10, E11, E21, E27: which goals a path card turns over."""

import pytest

from engine.actions import ChooseGoal, ChooseOrientation, Discard, Lay, Rockfall
from engine.cards import EDGES, GOAL_SHAPES
from engine.errors import Reason
from engine.events import Drawn, GoalsReached, GoalTurned, RoundEnded, StoneMisfit
from engine.state import State
from engine.view import Awaiting, awaiting, neutral_action, view_for
from tests.reference_model import cards as printed
from tests.support.engine.drawn_positions import drawn_state
from tests.support.engine.positions import cell_at, events_of_type
from tests.support.engine.vectors import events_of, offered_actions, play, refusal_reason
from tests.support.rulebook_groups import all_goals_rulebooks, every_rulebook, one_goal_rulebooks

AS_PRINTED, TURNED_ROUND = ChooseOrientation(turned=False), ChooseOrientation(turned=True)
UPPER, MIDDLE, LOWER = cell_at(8, -2), cell_at(8, 0), cell_at(8, 2)


def state_holding(drawing: str, card: str, rulebook: str, **changes: object) -> State:
    return drawn_state(drawing, rulebook, hand=[card, "map"], **changes)  # type: ignore[arg-type]


def turned_goals(drawing: str, rulebook: str, lay: Lay) -> list[tuple[str, str, bool]]:
    events = events_of(state_holding(drawing, lay.card, rulebook), lay)
    return [(event.cell, event.goal, event.turned) for event in events_of_type(events, GoalTurned)]


def misfit_cells(drawing: str, rulebook: str, lay: Lay) -> list[str]:
    events = events_of(state_holding(drawing, lay.card, rulebook), lay)
    return [event.cell for event in events_of_type(events, StoneMisfit)]


@pytest.mark.parametrize("goal", GOAL_SHAPES)
def test_goal_has_its_printed_edges_in_both_orientations_r29(goal: str) -> None:
    for is_turned, shape in zip((False, True), GOAL_SHAPES[goal], strict=True):  # type: ignore[index]
        edges = {side for bit_number, side in enumerate("TRBL") if EDGES[shape] >> bit_number & 1}
        assert edges == printed.edges_of(goal, turned=is_turned)


@every_rulebook
def test_unbroken_path_turns_the_goal_over_r27(rulebook: str) -> None:
    assert turned_goals("S──────.$", rulebook, Lay("path-rl", cell_at(7, 0))) == [
        (MIDDLE, "treasure", False)
    ]


@every_rulebook
@pytest.mark.parametrize("card", ["dead-rl", "dead-l", "dead-rbl", "dead-trbl"])
def test_dead_end_does_not_reach_a_goal_e27(rulebook: str, card: str) -> None:
    assert turned_goals("S──────.$", rulebook, Lay(card, cell_at(7, 0))) == []


@every_rulebook
def test_path_through_a_dead_end_reaches_no_goal_r27_e27(rulebook: str) -> None:
    assert turned_goals(".S──━────$", rulebook, Lay("path-rl", cell_at(-1, 0))) == []


@every_rulebook
def test_wall_towards_a_goal_does_not_reach_it_e6(rulebook: str) -> None:
    lay = Lay("path-tr", cell_at(7, 0), turned=True)
    assert turned_goals("S──────.$", rulebook, lay) == []


@every_rulebook
def test_card_laid_far_away_may_complete_the_path_r27_e34(rulebook: str) -> None:
    assert turned_goals("S.──────$", rulebook, Lay("path-rl", cell_at(1, 0))) == [
        (MIDDLE, "treasure", False)
    ]


@every_rulebook
@pytest.mark.parametrize(
    "stone,is_turned,edges", [("a", False, "tl"), ("b", True, "bl")], ids=["stone-tl", "stone-tr"]
)
def test_revealed_stone_is_turned_to_fit_and_joins_the_mine_r29(
    rulebook: str, stone: str, edges: str, *, is_turned: bool
) -> None:
    lay = Lay("path-rl", cell_at(7, 0))
    drawing = f"S──────.{stone}"
    ((cell, _, actual_orientation),) = turned_goals(drawing, rulebook, lay)
    assert (cell, actual_orientation) == (MIDDLE, is_turned)
    next_state = play(state_holding(drawing, "path-rl", rulebook), lay)
    assert next_state.mine.laid[MIDDLE] == f"goal-{edges}"
    assert MIDDLE in next_state.mine.reached_cells
    assert (next_state.turn, next_state.round) == (1, 1)


@every_rulebook
def test_treasure_ends_the_round_before_a_card_is_drawn_r31(rulebook: str) -> None:
    state = state_holding("S──────.$", "path-rl", rulebook)
    events = events_of(state, Lay("path-rl", cell_at(7, 0)))
    assert events_of_type(events, Drawn) == []
    assert [event.ending for event in events_of_type(events, RoundEnded)] == ["treasure"]


GOAL_CHAIN_SKETCH = """
S──────.b
........│
........$
"""


@all_goals_rulebooks
def test_goals_are_turned_until_no_new_goal_is_reached_e10(rulebook: str) -> None:
    lay = Lay("path-rl", cell_at(7, 0))
    assert turned_goals(GOAL_CHAIN_SKETCH, rulebook, lay) == [
        (MIDDLE, "stone-tr", True),
        (LOWER, "treasure", False),
    ]


@one_goal_rulebooks
def test_next_path_card_anywhere_turns_the_next_reached_goal_e11_e4(rulebook: str) -> None:
    other_lay = Lay("path-rl", cell_at(-1, 0))
    state = drawn_state(
        GOAL_CHAIN_SKETCH, rulebook, hand=["path-rl"], hands={1: ["path-rl", "map"]}
    )
    state = play(state, Lay("path-rl", cell_at(7, 0)))
    assert state.mine.reached_goals == {LOWER}
    assert state.turn == 1
    assert events_of_type(events_of(state, Discard("map")), GoalTurned) == []
    events = events_of(state, other_lay)
    assert events_of_type(events, GoalTurned) == [GoalTurned(1, LOWER, "treasure")]
    (round_ended,) = events_of_type(events, RoundEnded)
    assert round_ended.ended_by == 1


FORK_SKETCH = """
......┌─a
......│..
S────.┤.$
......│..
......└─b
"""
LAY_AT_FORK = Lay("path-rl", cell_at(5, 0))


@all_goals_rulebooks
def test_card_turns_every_goal_it_reaches_r28(rulebook: str) -> None:
    assert turned_goals(FORK_SKETCH, rulebook, LAY_AT_FORK) == [
        (UPPER, "stone-tl", False),
        (LOWER, "stone-tr", True),
    ]


@one_goal_rulebooks
def test_player_chooses_one_of_several_reached_goals_r28_e4_e5(rulebook: str) -> None:
    state = state_holding(FORK_SKETCH, "path-rl", rulebook)
    assert events_of_type(events_of(state, LAY_AT_FORK), GoalsReached) == [
        GoalsReached(0, (UPPER, LOWER))
    ]
    awaiting_goal = play(state, LAY_AT_FORK)
    assert awaiting(awaiting_goal) == Awaiting(0, "goal", (UPPER, LOWER))
    assert offered_actions(awaiting_goal) == (ChooseGoal(UPPER), ChooseGoal(LOWER))
    for cell in (MIDDLE, cell_at(0, 0), "", "Z99"):
        assert refusal_reason(awaiting_goal, ChooseGoal(cell)) == Reason.NOT_OFFERED
    next_state = play(state, LAY_AT_FORK, ChooseGoal(LOWER))
    assert view_for(next_state, None).turned == (False, False, True)
    assert (next_state.turn, next_state.mine.reached_goals) == (1, {UPPER})


@one_goal_rulebooks
def test_goal_not_chosen_stays_face_down_until_the_next_path_card_e4_e5(rulebook: str) -> None:
    hands = {1: ["rockfall", "path-rl"], 2: ["path-rl"]}
    state = drawn_state(FORK_SKETCH, rulebook, hand=["path-rl"], hands=hands)
    state = play(state, LAY_AT_FORK, ChooseGoal(LOWER))
    next_state = events_of(state, Lay("path-rl", cell_at(-1, 0)))
    assert events_of_type(next_state, GoalTurned) == [GoalTurned(1, UPPER, "stone-tl")]
    state_after_rockfall = play(state, Rockfall(cell_at(1, 0)))
    assert (
        events_of_type(events_of(state_after_rockfall, Lay("path-rl", cell_at(-1, 0))), GoalTurned)
        == []
    )


@one_goal_rulebooks
def test_next_player_chooses_between_an_old_and_a_new_reached_goal_e4(rulebook: str) -> None:
    drawing = """
......┌─b
......│..
S───┐.│.$
....├─┘..
....└─.─a
"""
    state = state_holding(drawing, "path-rl", rulebook)
    next_state = play(state, Lay("path-rl", cell_at(6, 2)))
    assert awaiting(next_state) == Awaiting(0, "goal", (UPPER, LOWER))


@one_goal_rulebooks
def test_single_reached_goal_is_turned_without_a_choice_e4(rulebook: str) -> None:
    lay = Lay("path-rl", cell_at(7, 0))
    state = state_holding("S──────.a", "path-rl", rulebook)
    assert events_of_type(events_of(state, lay), GoalTurned) == [GoalTurned(0, MIDDLE, "stone-tl")]


@one_goal_rulebooks
def test_neutral_action_chooses_a_goal_by_chance_r28(rulebook: str) -> None:
    view = view_for(play(state_holding(FORK_SKETCH, "path-rl", rulebook), LAY_AT_FORK), 0)
    assert neutral_action(view, lambda _: 0) == ChooseGoal(UPPER)
    assert neutral_action(view, lambda _: 1) == ChooseGoal(LOWER)


@all_goals_rulebooks
def test_card_may_turn_three_goals_at_once_e11(rulebook: str) -> None:
    drawing = """
......┌─a
......│..
S────.┼─b
......│..
......└─$
"""
    assert turned_goals(drawing, rulebook, LAY_AT_FORK) == [
        (UPPER, "stone-tl", False),
        (MIDDLE, "stone-tr", True),
        (LOWER, "treasure", False),
    ]


@one_goal_rulebooks
def test_player_chooses_one_of_three_reached_goals_e11(rulebook: str) -> None:
    drawing = """
......┌─a
......│..
S────.┼─b
......│..
......└─$
"""
    state = state_holding(drawing, "path-rl", rulebook)
    assert awaiting(play(state, LAY_AT_FORK)) == Awaiting(0, "goal", (UPPER, MIDDLE, LOWER))
    events = events_of(state, LAY_AT_FORK, ChooseGoal(LOWER))
    assert events_of_type(events, RoundEnded)[0].winners == "diggers"
