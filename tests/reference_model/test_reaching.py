import pytest

from tests.reference_model.cards import PATH_CARD_COUNTS, Cell
from tests.reference_model.laying import CARD_FAR_AWAY, lay, lay_after, turned_goals
from tests.reference_model.reaching import connected_goals, edges_joined_to_start
from tests.reference_model.sketch import read_sketch
from tests.support.rulebook_groups import all_goals_rulebooks, every_rulebook, one_goal_rulebooks


@every_rulebook
def test_path_of_seven_cards_reaches_the_middle_goal_r27(rulebook: str) -> None:
    outcome = lay(rulebook, "S──────.$", ("path-rl", 7, 0, False))
    assert turned_goals(outcome) == [((8, 0), "treasure", False)]
    assert outcome["treasure"]
    assert outcome["question"] is None
    assert outcome["face_down"] == {}


@every_rulebook
@pytest.mark.parametrize("card", ["dead-rl", "dead-l", "dead-trbl"])
def test_dead_end_does_not_reach_a_goal_e27(rulebook: str, card: str) -> None:
    outcome = lay(rulebook, "S──────.$", (card, 7, 0, False))
    assert turned_goals(outcome) == []
    assert outcome["face_down"] == {(8, 0): "treasure"}


@every_rulebook
def test_dead_end_within_a_path_interrupts_it(rulebook: str) -> None:
    assert turned_goals(lay(rulebook, "S──━───.$", ("path-rl", 7, 0, False))) == []


@every_rulebook
def test_wall_towards_a_goal_does_not_reach_it_e6(rulebook: str) -> None:
    assert turned_goals(lay(rulebook, "S──────.$", ("path-tr", 7, 0, True))) == []


@every_rulebook
def test_path_with_a_gap_reaches_no_goal_until_it_is_closed(rulebook: str) -> None:
    assert turned_goals(lay(rulebook, "S─────..$", ("path-rl", 7, 0, False))) == []
    outcome = lay(rulebook, "S─────.─$", ("path-rl", 6, 0, False))
    assert outcome["treasure"]


@every_rulebook
@pytest.mark.parametrize(
    "stone,turned,edges", [("a", False, "TL"), ("b", True, "BL")], ids=["stone A", "stone B"]
)
def test_stone_is_turned_to_join_the_path_that_reached_it_r30(
    rulebook: str, *, stone: str, turned: bool, edges: str
) -> None:
    outcome = lay(rulebook, f"S──────.{stone}", ("path-rl", 7, 0, False))
    assert [goal["turned"] for goal in outcome["turned"]] == [turned]
    assert outcome["question"] is None
    assert not outcome["treasure"]
    assert (8, 0, frozenset(edges), True, "goal") in outcome["laid"]
    assert ((8, 0), edges[0]) in edges_joined_to_start(outcome["laid"])


TWO_GOALS_SKETCH = """
........b
.........
S───┐...$
....└───.
........a
"""


@all_goals_rulebooks
def test_card_turns_every_goal_it_reaches_r28(rulebook: str) -> None:
    outcome = lay(rulebook, TWO_GOALS_SKETCH, ("path-trbl", 8, 1, False))
    assert turned_goals(outcome) == [((8, 0), "treasure", False), ((8, 2), "stone-tl", False)]
    assert outcome["treasure"]
    assert outcome["question"] is None


@one_goal_rulebooks
def test_card_turns_the_one_goal_its_player_chooses_r28(rulebook: str) -> None:
    card = ("path-trbl", 8, 1, False)
    outcome_with_question = lay(rulebook, TWO_GOALS_SKETCH, card)
    assert turned_goals(outcome_with_question) == []
    assert outcome_with_question["question"] == {
        "kind": "goal",
        "cell": None,
        "options": ((8, 0), (8, 2)),
    }
    treasure_outcome = lay(rulebook, TWO_GOALS_SKETCH, card, answers=[(8, 0)])
    assert turned_goals(treasure_outcome) == [((8, 0), "treasure", False)]
    assert treasure_outcome["treasure"]
    stone = lay(rulebook, TWO_GOALS_SKETCH, card, answers=[(8, 2)])
    assert turned_goals(stone) == [((8, 2), "stone-tl", False)]
    assert not stone["treasure"]
    assert stone["question"] is None


@one_goal_rulebooks
def test_goal_not_chosen_is_turned_by_the_next_card_laid_anywhere_e4(rulebook: str) -> None:
    stone = lay(rulebook, TWO_GOALS_SKETCH, ("path-trbl", 8, 1, False), answers=[(8, 2)])
    later_outcome = lay_after(rulebook, stone, CARD_FAR_AWAY)
    assert turned_goals(later_outcome) == [((8, 0), "treasure", False)]


@one_goal_rulebooks
def test_goal_not_chosen_and_cut_off_again_stays_face_down_e4(rulebook: str) -> None:
    stone = lay(rulebook, TWO_GOALS_SKETCH, ("path-trbl", 8, 1, False), answers=[(8, 2)])
    stone["laid"] = [card for card in stone["laid"] if card[:2] != (5, 1)]
    assert turned_goals(lay_after(rulebook, stone, CARD_FAR_AWAY)) == []


@one_goal_rulebooks
def test_next_player_chooses_between_an_old_and_a_new_reached_goal_e4(rulebook: str) -> None:
    drawing = """
......┌─b
......│..
S───┐.│.$
....├─┘..
....└─.─a
"""
    outcome = lay(rulebook, drawing, ("path-rl", 6, 2, False))
    assert outcome["question"] == {"kind": "goal", "cell": None, "options": ((8, -2), (8, 2))}


@every_rulebook
def test_card_laid_far_from_any_goal_turns_none(rulebook: str) -> None:
    assert turned_goals(lay(rulebook, "S......─$", CARD_FAR_AWAY)) == []


@every_rulebook
def test_answer_without_a_question_is_refused(rulebook: str) -> None:
    with pytest.raises(ValueError, match="without a question"):
        lay(rulebook, "S......─$", CARD_FAR_AWAY, answers=[True])


def test_outer_goal_takes_nine_cards_and_the_middle_one_seven() -> None:
    assert fewest_cards((8, 0)) == 7
    assert fewest_cards((8, 2)) == fewest_cards((8, -2)) == 9


def fewest_cards(goal: Cell) -> int:
    """Spread crossings from the start, one ring of cells a step, until the goal is connected."""
    laid = read_sketch("S").laid
    for cards in range(1, 20):
        reachable_cells = {
            (x, y) for x in range(-cards, cards + 1) for y in range(-cards, cards + 1)
        }
        cells_at_distance = {(x, y) for x, y in reachable_cells if abs(x) + abs(y) == cards} - {
            goal
        }
        laid += [(x, y, frozenset("TRBL"), True, "path") for x, y in sorted(cells_at_distance)]
        if connected_goals(laid, {goal: "treasure"}):
            return cards
    raise AssertionError


def test_path_card_joins_its_open_edges_unless_it_is_a_dead_end() -> None:
    for card in PATH_CARD_COUNTS:
        outcome = lay("lv-2009", "S.", (card, 1, 0, False))
        joined_sides = {
            edge for cell, edge in edges_joined_to_start(outcome["laid"]) if cell == (1, 0)
        }
        edges = set(card.split("-")[1].upper())
        left_edge_if_open = edges & {"L"}
        assert joined_sides == (
            edges if card.startswith("path-") and left_edge_if_open else left_edge_if_open
        )
