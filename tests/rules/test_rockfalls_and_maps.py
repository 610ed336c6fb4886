"""R24, R26, E9, E19, E20, E22: what a rockfall removes and what a map shows."""

import pytest

from engine.actions import Lay, Look, Rockfall
from engine.cells import GOAL_CELLS
from engine.errors import Reason
from engine.events import GoalSeen, RockFell
from engine.view import view_for
from tests.support.engine.drawn_positions import drawn_state
from tests.support.engine.positions import cell_at, events_of_type
from tests.support.engine.vectors import events_of, offered_actions, play, refusal_reason
from tests.support.rulebook_groups import (
    any_neighbour_rulebooks,
    every_rulebook,
    must_continue_path_rulebooks,
)


@every_rulebook
def test_rockfall_removes_any_laid_path_card_r24(rulebook: str) -> None:
    drawing = """
.┐
S┴─━.│
"""
    state = drawn_state(drawing, rulebook, hand=["rockfall"])
    targets = [action for action in offered_actions(state) if isinstance(action, Rockfall)]
    assert {action.cell for action in targets} == {
        cell_at(1, -1),
        cell_at(1, 0),
        cell_at(2, 0),
        cell_at(3, 0),
        cell_at(5, 0),
    }
    next_state = play(state, Rockfall(cell_at(1, 0)))
    assert cell_at(1, 0) not in next_state.mine.laid
    assert next_state.discards == ("rockfall", "path-rbl")
    assert events_of_type(events_of(state, Rockfall(cell_at(1, 0))), RockFell) == [
        RockFell(0, cell_at(1, 0), "path-rbl")
    ]


@every_rulebook
def test_cards_behind_the_gap_stay_but_are_disconnected_r24(rulebook: str) -> None:
    next_state = play(drawn_state("S───", rulebook, hand=["rockfall"]), Rockfall(cell_at(1, 0)))
    assert set(next_state.mine.laid) == {cell_at(0, 0), cell_at(2, 0), cell_at(3, 0)}
    assert next_state.mine.reached_cells == {cell_at(0, 0)}


@must_continue_path_rulebooks
def test_disconnected_cards_cannot_be_continued_until_the_gap_is_closed_r24_r25(
    rulebook: str,
) -> None:
    state = drawn_state("S──", rulebook, hand=["rockfall"], hands={1: ["path-rl"], 2: ["path-rl"]})
    state = play(state, Rockfall(cell_at(1, 0)))
    assert refusal_reason(state, Lay("path-rl", cell_at(3, 0))) == Reason.NOT_CONNECTED
    state = play(state, Lay("path-rl", cell_at(1, 0)))
    assert Lay("path-rl", cell_at(3, 0)) in offered_actions(state)


@any_neighbour_rulebooks
def test_disconnected_cards_can_be_continued_under_neighbour_rulebooks_r24_e23(
    rulebook: str,
) -> None:
    state = drawn_state("S──", rulebook, hand=["rockfall"], hands={1: ["path-rl"]})
    assert Lay("path-rl", cell_at(3, 0)) in offered_actions(play(state, Rockfall(cell_at(1, 0))))


@every_rulebook
def test_rockfall_without_a_target_can_only_be_discarded_e19(rulebook: str) -> None:
    state = drawn_state("S", rulebook, hand=["rockfall"])
    assert [type(action).__name__ for action in offered_actions(state)] == ["Discard"]
    for cell in (cell_at(1, 0), cell_at(5, 5), "nowhere", ""):
        assert refusal_reason(state, Rockfall(cell)) == Reason.NO_PATH_THERE


@every_rulebook
def test_rockfall_cannot_remove_the_start_or_a_goal_e20_e9(rulebook: str) -> None:
    state = drawn_state("S───────╝", rulebook, hand=["rockfall"])
    for cell in (cell_at(0, 0), cell_at(8, 0), cell_at(8, 2), cell_at(8, -2)):
        assert refusal_reason(state, Rockfall(cell)) == Reason.NO_PATH_THERE
        assert Rockfall(cell) not in offered_actions(state)


def test_rockfall_on_the_card_laid_last_clears_the_mark_r24() -> None:
    state = drawn_state("S", hand=["path-rl"], hands={1: ["rockfall"], 2: ["rockfall"]})
    laid = play(state, Lay("path-rl", cell_at(1, 0)))
    assert view_for(laid, 0).last_laid == cell_at(1, 0)
    assert view_for(play(laid, Rockfall(cell_at(1, 0))), 0).last_laid is None


def test_rockfall_elsewhere_keeps_the_mark_of_the_card_laid_last_r24() -> None:
    state = drawn_state("──S", hand=["path-rl"], hands={1: ["rockfall"]})
    laid = play(state, Lay("path-rl", cell_at(1, 0)), Rockfall(cell_at(-2, 0)))
    assert laid.last_laid == cell_at(1, 0)


@every_rulebook
def test_map_shows_one_face_down_goal_to_its_player_only_r26(rulebook: str) -> None:
    state = drawn_state("S.......$", rulebook, hand=["map"])
    assert set(offered_actions(state)) >= {Look(cell) for cell in GOAL_CELLS}
    events = events_of(state, Look(cell_at(8, 0)))
    assert events_of_type(events, GoalSeen) == [GoalSeen(0, cell_at(8, 0), "treasure")]
    next_state = play(state, Look(cell_at(8, 0)))
    assert view_for(next_state, 0).goals == (None, "treasure", None)
    assert view_for(next_state, 1).goals == view_for(next_state, None).goals == (None, None, None)
    assert next_state.discards == ("map",)
    assert next_state.mine == state.mine


def test_map_may_show_a_goal_seen_before_r26() -> None:
    state = drawn_state("S", hand=["map"], seen=((cell_at(8, 0),), (), ()))
    assert Look(cell_at(8, 0)) in offered_actions(state)
    assert play(state, Look(cell_at(8, 0))).seen[0] == (cell_at(8, 0),)
    assert play(state, Look(cell_at(8, 2))).seen[0] == (cell_at(8, 0), cell_at(8, 2))


@every_rulebook
def test_map_cannot_be_used_on_a_face_up_goal_e22(rulebook: str) -> None:
    state = drawn_state("S───────╝", rulebook, hand=["map"])
    assert refusal_reason(state, Look(cell_at(8, 0))) == Reason.GOAL_FACE_UP
    assert {action.cell for action in offered_actions(state) if isinstance(action, Look)} == {
        cell_at(8, -2),
        cell_at(8, 2),
    }


@pytest.mark.parametrize("cell", [cell_at(0, 0), cell_at(1, 0), cell_at(8, 1), "", "I6"])
def test_map_cannot_be_used_on_other_cells_e22(cell: str) -> None:
    assert refusal_reason(drawn_state("S─", hand=["map"]), Look(cell)) == Reason.NOT_A_GOAL
