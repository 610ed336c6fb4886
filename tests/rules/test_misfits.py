"""R30, E7, E8, E10, E11, E21: stones that fit neither way round."""

import pytest

from engine.actions import ChooseGoal, ChooseOrientation, Lay
from engine.errors import Reason
from engine.events import GoalTurned, RoundEnded, StoneMisfit
from engine.state import State
from engine.view import Awaiting, awaiting, neutral_action, view_for
from tests.support.engine.drawn_positions import drawn_state
from tests.support.engine.positions import cell_at, events_of_type
from tests.support.engine.vectors import events_of, offered_actions, play, refusal_reason
from tests.support.rulebook_groups import all_goals_rulebooks, every_rulebook, one_goal_rulebooks

CHOOSE_AS_PRINTED, CHOOSE_TURNED = ChooseOrientation(turned=False), ChooseOrientation(turned=True)
UPPER_GOAL_CELL, MIDDLE_GOAL_CELL, LOWER_GOAL_CELL = cell_at(8, -2), cell_at(8, 0), cell_at(8, 2)


def state_holding(drawing: str, card: str, rulebook: str, **changes: object) -> State:
    return drawn_state(drawing, rulebook, hand=[card, "map"], **changes)  # type: ignore[arg-type]


def turned_goals(drawing: str, rulebook: str, lay: Lay) -> list[tuple[str, str, bool]]:
    events = events_of(state_holding(drawing, lay.card, rulebook), lay)
    return [(event.cell, event.goal, event.turned) for event in events_of_type(events, GoalTurned)]


def misfit_cells(drawing: str, rulebook: str, lay: Lay) -> list[str]:
    events = events_of(state_holding(drawing, lay.card, rulebook), lay)
    return [event.cell for event in events_of_type(events, StoneMisfit)]


LAY_AT_FORK, LAY_AT_GOAL = Lay("path-rl", cell_at(5, 0)), Lay("path-rl", cell_at(7, 0))


MISFIT_SKETCH = """
........─
S──────.a
"""


@every_rulebook
def test_player_who_turned_a_misfit_chooses_its_orientation_r30_e7(rulebook: str) -> None:
    state = state_holding(MISFIT_SKETCH, "path-rl", rulebook)
    events = events_of(state, LAY_AT_GOAL)
    assert events[1:] == (StoneMisfit(0, MIDDLE_GOAL_CELL, "stone-tl"),)
    next_state = play(state, LAY_AT_GOAL)
    assert awaiting(next_state) == Awaiting(0, "way-round", (MIDDLE_GOAL_CELL,))
    assert offered_actions(next_state) == (CHOOSE_AS_PRINTED, CHOOSE_TURNED)
    for seat in (0, 1, None):
        assert view_for(next_state, seat).goals[1] == "stone-tl"
        assert view_for(next_state, seat).turned == (False, True, False)


@every_rulebook
def test_open_edge_against_a_wall_is_not_joined_e7_e8(rulebook: str) -> None:
    state = state_holding(MISFIT_SKETCH, "path-rl", rulebook)
    extended_mine = play(state, LAY_AT_GOAL, CHOOSE_AS_PRINTED).mine
    assert extended_mine.laid[MIDDLE_GOAL_CELL] == "goal-tl"
    assert MIDDLE_GOAL_CELL in extended_mine.reached_cells
    mine_after_choice = play(state, LAY_AT_GOAL, CHOOSE_TURNED).mine
    assert mine_after_choice.laid[MIDDLE_GOAL_CELL] == "goal-rb"
    assert MIDDLE_GOAL_CELL not in mine_after_choice.reached_cells


@every_rulebook
def test_chosen_orientation_is_final_e21(rulebook: str) -> None:
    state = state_holding(MISFIT_SKETCH, "path-rl", rulebook)
    next_state = play(state, LAY_AT_GOAL, CHOOSE_TURNED)
    assert next_state.choice is None
    assert refusal_reason(next_state, CHOOSE_AS_PRINTED) == Reason.NO_CHOICE_OPEN
    assert all(
        action not in (CHOOSE_AS_PRINTED, CHOOSE_TURNED) for action in offered_actions(next_state)
    )


@every_rulebook
@pytest.mark.parametrize(
    "drawing,expected_action",
    [(MISFIT_SKETCH, CHOOSE_AS_PRINTED), ("S──────.b\n........─", CHOOSE_TURNED)],
    ids="ab",
)
def test_neutral_action_joins_the_stone_to_the_new_card_e7(
    rulebook: str, drawing: str, expected_action: ChooseOrientation
) -> None:
    state = play(state_holding(drawing, "path-rl", rulebook), LAY_AT_GOAL)
    assert neutral_action(view_for(state, 0), lambda _: 0) == expected_action


def test_neutral_action_joins_the_stone_to_any_path_when_the_new_card_is_far_away_e7() -> None:
    drawing = """
........─
S.──────a
"""
    state = play(state_holding(drawing, "path-rl", "en-2004"), Lay("path-rl", cell_at(1, 0)))
    assert neutral_action(view_for(state, 0), lambda _: 0) == ChooseOrientation(turned=False)


TWO_MISFITS_SKETCH = """
........─
......┌─a
......│..
S────.┤.$
......│..
......└─b
........─
"""


@all_goals_rulebooks
def test_misfit_stones_are_oriented_from_top_to_bottom_e10_e11(rulebook: str) -> None:
    state = state_holding(TWO_MISFITS_SKETCH, "path-rl", rulebook)
    assert misfit_cells(TWO_MISFITS_SKETCH, rulebook, LAY_AT_FORK) == [
        UPPER_GOAL_CELL,
        LOWER_GOAL_CELL,
    ]
    state_awaiting_upper = play(state, LAY_AT_FORK)
    assert awaiting(state_awaiting_upper) == Awaiting(0, "way-round", (UPPER_GOAL_CELL,))
    state_awaiting_lower = play(state, LAY_AT_FORK, CHOOSE_TURNED)
    assert awaiting(state_awaiting_lower) == Awaiting(0, "way-round", (LOWER_GOAL_CELL,))
    next_state = play(state, LAY_AT_FORK, CHOOSE_TURNED, CHOOSE_AS_PRINTED)
    assert (next_state.mine.laid[UPPER_GOAL_CELL], next_state.mine.laid[LOWER_GOAL_CELL]) == (
        "goal-rb",
        "goal-tr",
    )
    assert next_state.turn == 1


@one_goal_rulebooks
def test_goal_is_chosen_before_its_orientation_r28_r30(rulebook: str) -> None:
    state = state_holding(TWO_MISFITS_SKETCH, "path-rl", rulebook)
    choose_goal = ChooseGoal(LOWER_GOAL_CELL)
    awaited_choice = awaiting(play(state, LAY_AT_FORK, choose_goal))
    assert awaited_choice == Awaiting(0, "way-round", (LOWER_GOAL_CELL,))
    next_state = play(state, LAY_AT_FORK, choose_goal, CHOOSE_TURNED)
    assert (next_state.turn, next_state.mine.reached_goals) == (1, {UPPER_GOAL_CELL})


@all_goals_rulebooks
def test_treasure_ends_the_round_without_further_choices_e10_r31(rulebook: str) -> None:
    drawing = TWO_MISFITS_SKETCH.replace("$", "x").replace("b", "$").replace("x", "b")
    state = state_holding(drawing, "path-rl", rulebook)
    events = events_of(state, LAY_AT_FORK)
    assert events_of_type(events, StoneMisfit) == []
    assert events_of_type(events, RoundEnded)[0].ending == "treasure"
    assert [event.cell for event in events_of_type(events, GoalTurned)] == [
        LOWER_GOAL_CELL,
        UPPER_GOAL_CELL,
    ]
    assert play(state, LAY_AT_FORK).mine.laid[UPPER_GOAL_CELL] == "goal-tl"


@all_goals_rulebooks
def test_treasure_at_the_end_of_a_chain_ends_the_round_without_choices_e10(rulebook: str) -> None:
    drawing = """
......┌─b
......│.─
S────.┤.$
......│.│
......└─a
"""
    state = state_holding(drawing, "path-rl", rulebook)
    events = events_of(state, LAY_AT_FORK)
    assert events_of_type(events, RoundEnded)[0].ending == "treasure"
    assert {event.cell for event in events_of_type(events, GoalTurned)} == {
        UPPER_GOAL_CELL,
        MIDDLE_GOAL_CELL,
        LOWER_GOAL_CELL,
    }


@all_goals_rulebooks
def test_goals_behind_the_treasure_are_not_turned_r31(rulebook: str) -> None:
    drawing = """
S──────.$
........│
........a
"""
    assert turned_goals(drawing, rulebook, LAY_AT_GOAL) == [(MIDDLE_GOAL_CELL, "treasure", False)]


GOAL_BEHIND_A_MISFIT_SKETCH = """
........$
........│
S──────.a─
"""


@all_goals_rulebooks
def test_chosen_orientation_may_reach_another_goal_e10_e7(rulebook: str) -> None:
    state = state_holding(GOAL_BEHIND_A_MISFIT_SKETCH, "path-rl", rulebook)
    events = events_of(state, LAY_AT_GOAL, CHOOSE_AS_PRINTED)
    assert events_of_type(events, GoalTurned) == [
        GoalTurned(0, MIDDLE_GOAL_CELL, "stone-tl"),
        GoalTurned(0, UPPER_GOAL_CELL, "treasure"),
    ]
    assert not events_of_type(events_of(state, LAY_AT_GOAL, CHOOSE_TURNED), RoundEnded)


@all_goals_rulebooks
def test_treasure_behind_a_chosen_stone_settles_the_remaining_stones_e10_e11(
    rulebook: str,
) -> None:
    drawing = """
......┌─b─
......│.│
S────.┤.$
......│.─
......└─a
"""
    state = state_holding(drawing, "path-rl", rulebook)
    awaited_choice = awaiting(play(state, LAY_AT_FORK))
    assert awaited_choice == Awaiting(0, "way-round", (UPPER_GOAL_CELL,))
    events = events_of(state, LAY_AT_FORK, CHOOSE_TURNED)
    assert [event.cell for event in events_of_type(events, GoalTurned)] == [
        UPPER_GOAL_CELL,
        MIDDLE_GOAL_CELL,
        LOWER_GOAL_CELL,
    ]
    assert events_of_type(events, RoundEnded)[0].ending == "treasure"
