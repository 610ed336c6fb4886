import pytest

from tests.reference_model.laying import CARD_FAR_AWAY, lay, lay_after, turned_goals
from tests.reference_model.reaching import PlacedCard, edges_joined_to_start
from tests.support.rulebook_groups import all_goals_rulebooks, every_rulebook, one_goal_rulebooks

MISFIT_SKETCH = """
........─
S──────.a
"""


@every_rulebook
def test_player_chooses_the_orientation_of_a_misfit_stone_e7(rulebook: str) -> None:
    outcome = lay(rulebook, MISFIT_SKETCH, ("path-rl", 7, 0, False))
    assert turned_goals(outcome) == [((8, 0), "stone-tl", None)]
    assert outcome["question"] == {"kind": "orientation", "cell": (8, 0), "options": (False, True)}
    assert outcome["face_down"] == {}


@every_rulebook
@pytest.mark.parametrize("turned,joined_edges_of_goal", [(False, {"T", "L"}), (True, set())])
def test_open_edge_against_a_wall_is_not_joined_e7_e8(
    rulebook: str, *, turned: bool, joined_edges_of_goal: set[str]
) -> None:
    outcome = lay(rulebook, MISFIT_SKETCH, ("path-rl", 7, 0, False), answers=[turned])
    assert turned_goals(outcome) == [((8, 0), "stone-tl", turned)]
    joined_edges = edges_joined_to_start(outcome["laid"])
    assert {edge for cell, edge in joined_edges if cell == (8, 0)} == joined_edges_of_goal
    assert all(cell != (8, -1) for cell, _ in joined_edges)


@every_rulebook
def test_answer_of_the_wrong_kind_is_refused(rulebook: str) -> None:
    with pytest.raises(ValueError, match="does not answer"):
        lay(rulebook, MISFIT_SKETCH, ("path-rl", 7, 0, False), answers=[(8, 0)])


@one_goal_rulebooks
def test_goal_that_is_not_reached_cannot_be_chosen(rulebook: str) -> None:
    with pytest.raises(ValueError, match="does not answer"):
        lay(rulebook, TWO_MISFITS_SKETCH, CARD_AT_FORK, answers=[(8, 0)])


GOAL_CHAIN_SKETCH = """
S──────.b
........│
........$
"""


@all_goals_rulebooks
def test_stone_that_reaches_another_goal_turns_it_too_e10(rulebook: str) -> None:
    outcome = lay(rulebook, GOAL_CHAIN_SKETCH, ("path-rl", 7, 0, False))
    assert turned_goals(outcome) == [((8, 0), "stone-tr", True), ((8, 2), "treasure", False)]


@one_goal_rulebooks
def test_goal_behind_a_stone_waits_for_the_next_card_e11(rulebook: str) -> None:
    outcome = lay(rulebook, GOAL_CHAIN_SKETCH, ("path-rl", 7, 0, False))
    assert turned_goals(outcome) == [((8, 0), "stone-tr", True)]
    assert outcome["question"] is None
    assert lay_after(rulebook, outcome, CARD_FAR_AWAY)["treasure"]


TWO_MISFITS_SKETCH = """
........─
......┌─a
......│..
S────.┤.$
......│..
......└─b
........─
"""
CARD_AT_FORK: PlacedCard = ("path-rl", 5, 0, False)


@all_goals_rulebooks
def test_misfit_stones_are_oriented_from_top_to_bottom_e10(rulebook: str) -> None:
    first_outcome = lay(rulebook, TWO_MISFITS_SKETCH, CARD_AT_FORK)
    assert turned_goals(first_outcome) == [((8, -2), "stone-tl", None), ((8, 2), "stone-tr", None)]
    assert first_outcome["question"] == {
        "kind": "orientation",
        "cell": (8, -2),
        "options": (False, True),
    }
    second_outcome = lay(rulebook, TWO_MISFITS_SKETCH, CARD_AT_FORK, answers=[True])
    assert second_outcome["question"] == {
        "kind": "orientation",
        "cell": (8, 2),
        "options": (False, True),
    }
    last_outcome = lay(rulebook, TWO_MISFITS_SKETCH, CARD_AT_FORK, answers=[True, False])
    assert turned_goals(last_outcome) == [((8, -2), "stone-tl", True), ((8, 2), "stone-tr", False)]
    assert last_outcome["question"] is None


@one_goal_rulebooks
def test_goal_is_chosen_before_its_orientation(rulebook: str) -> None:
    first_outcome = lay(rulebook, TWO_MISFITS_SKETCH, CARD_AT_FORK)
    assert first_outcome["question"] == {"kind": "goal", "cell": None, "options": ((8, -2), (8, 2))}
    second_outcome = lay(rulebook, TWO_MISFITS_SKETCH, CARD_AT_FORK, answers=[(8, 2)])
    assert second_outcome["question"] == {
        "kind": "orientation",
        "cell": (8, 2),
        "options": (False, True),
    }
    last_outcome = lay(rulebook, TWO_MISFITS_SKETCH, CARD_AT_FORK, answers=[(8, 2), True])
    assert turned_goals(last_outcome) == [((8, 2), "stone-tr", True)]
    assert last_outcome["question"] is None


@all_goals_rulebooks
def test_treasure_ends_the_round_without_further_questions_e10(rulebook: str) -> None:
    drawing = TWO_MISFITS_SKETCH.replace("$", "x").replace("b", "$").replace("x", "b")
    outcome = lay(rulebook, drawing, CARD_AT_FORK)
    assert turned_goals(outcome) == [((8, -2), "stone-tl", None), ((8, 2), "treasure", False)]
    assert outcome["question"] is None


@all_goals_rulebooks
def test_treasure_at_the_end_of_a_chain_ends_the_round_without_questions_e10(rulebook: str) -> None:
    drawing = """
......┌─b
......│.─
S────.┤.$
......│.│
......└─a
"""
    outcome = lay(rulebook, drawing, CARD_AT_FORK)
    assert turned_goals(outcome) == [
        ((8, -2), "stone-tr", None),
        ((8, 2), "stone-tl", False),
        ((8, 0), "treasure", False),
    ]
    assert outcome["question"] is None


GOAL_BEHIND_A_MISFIT_SKETCH = """
........$
........│
S──────.a─
"""


@all_goals_rulebooks
def test_chosen_orientation_may_reach_another_goal_e10(rulebook: str) -> None:
    card = ("path-rl", 7, 0, False)
    assert lay(rulebook, GOAL_BEHIND_A_MISFIT_SKETCH, card)["question"] is not None
    joined = lay(rulebook, GOAL_BEHIND_A_MISFIT_SKETCH, card, answers=[False])
    assert turned_goals(joined) == [((8, 0), "stone-tl", False), ((8, -2), "treasure", False)]
    blocked_outcome = lay(rulebook, GOAL_BEHIND_A_MISFIT_SKETCH, card, answers=[True])
    assert turned_goals(blocked_outcome) == [((8, 0), "stone-tl", True)]
    assert not blocked_outcome["treasure"]


@all_goals_rulebooks
def test_card_may_turn_three_goals_at_once_e10(rulebook: str) -> None:
    drawing = """
......┌─a
......│..
S────.┼─b
......│..
......└─$
"""
    outcome = lay(rulebook, drawing, CARD_AT_FORK)
    assert turned_goals(outcome) == [
        ((8, -2), "stone-tl", False),
        ((8, 0), "stone-tr", True),
        ((8, 2), "treasure", False),
    ]
