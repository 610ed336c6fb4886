import pytest

from tests.reference_model.cards import PATH_CARD_COUNTS
from tests.reference_model.places import Placement, legal_places
from tests.reference_model.sketch import read_sketch
from tests.support.rulebook_groups import (
    ANY_NEIGHBOUR_RULEBOOKS,
    any_neighbour_rulebooks,
    every_rulebook,
    must_continue_path_rulebooks,
)


def places_in(rulebook: str, drawing: str, card: str) -> set[Placement]:
    mine = read_sketch(drawing)
    return legal_places(rulebook, mine.laid, face_down_goals=mine.face_down, card=card)


def cells_in(rulebook: str, drawing: str, card: str) -> set[tuple[int, int]]:
    return {(x, y) for x, y, _ in places_in(rulebook, drawing, card)}


def marked_cells(drawing: str) -> set[tuple[int, int]]:
    return read_sketch(drawing).cells_marked


OPENING_SKETCH = """
........b
.*.......
*S*.....$
.*.......
........a
"""


@every_rulebook
@pytest.mark.parametrize("card", PATH_CARD_COUNTS)
def test_first_card_is_laid_beside_the_start_r14_e23(rulebook: str, card: str) -> None:
    assert cells_in(rulebook, OPENING_SKETCH, card) <= marked_cells(OPENING_SKETCH)


@every_rulebook
@pytest.mark.parametrize(
    "card,expected",
    [
        ("path-trbl", {(1, 0, False), (-1, 0, False), (0, 1, False), (0, -1, False)}),
        ("path-rl", {(1, 0, False), (-1, 0, False)}),
        ("path-tb", {(0, 1, False), (0, -1, False)}),
        ("dead-rl", {(1, 0, False), (-1, 0, False)}),
        ("path-tr", {(0, 1, False), (-1, 0, False), (0, -1, True), (1, 0, True)}),
        ("path-rb", {(-1, 0, False), (0, -1, False), (1, 0, True), (0, 1, True)}),
        ("dead-b", {(0, -1, False), (0, 1, True)}),
        ("dead-l", {(1, 0, False), (-1, 0, True)}),
        (
            "path-trb",
            {(0, 1, False), (0, -1, False), (-1, 0, False)}
            | {(0, 1, True), (0, -1, True), (1, 0, True)},
        ),
        (
            "path-rbl",
            {(1, 0, False), (-1, 0, False), (0, -1, False)}
            | {(1, 0, True), (-1, 0, True), (0, 1, True)},
        ),
    ],
)
def test_first_card_meets_an_open_edge_of_the_start(
    rulebook: str, card: str, expected: set[Placement]
) -> None:
    assert places_in(rulebook, OPENING_SKETCH, card) == expected


@must_continue_path_rulebooks
def test_wall_against_a_wall_does_not_continue_a_path_r13(rulebook: str) -> None:
    drawing = """
....
*S─*
....
"""
    assert cells_in(rulebook, drawing, "path-rl") == marked_cells(drawing)


@any_neighbour_rulebooks
def test_wall_against_a_wall_is_enough_under_neighbour_rulebooks_e23(rulebook: str) -> None:
    drawing = """
..*.
*S─*
..*.
"""
    assert cells_in(rulebook, drawing, "path-rl") == marked_cells(drawing)


@every_rulebook
def test_open_edge_may_not_lie_against_a_wall_r15(rulebook: str) -> None:
    drawing = """
.*..
.S─.
.*..
"""
    assert cells_in(rulebook, drawing, "path-tb") == marked_cells(drawing)


@every_rulebook
def test_edges_must_match_a_disconnected_card_e24(rulebook: str) -> None:
    drawing = "S.│"
    assert (1, 0) not in cells_in(rulebook, drawing, "path-rl")
    assert (1, 0) not in cells_in(rulebook, drawing, "path-trbl")
    assert (1, 0, False) in places_in(rulebook, drawing, "dead-l")


@every_rulebook
def test_disconnected_cards_are_continued_only_under_neighbour_rulebooks_r25(rulebook: str) -> None:
    drawing = "S..──"
    assert ((5, 0) in cells_in(rulebook, drawing, "path-rl")) == (
        rulebook in ANY_NEIGHBOUR_RULEBOOKS
    )
    assert ((2, 0) in cells_in(rulebook, drawing, "path-rl")) == (
        rulebook in ANY_NEIGHBOUR_RULEBOOKS
    )
    assert (1, 0) in cells_in(rulebook, drawing, "path-rl")


@every_rulebook
def test_gap_may_be_closed_again_r25(rulebook: str) -> None:
    assert (2, 0) in cells_in(rulebook, "S─.─", "path-rl")


@every_rulebook
def test_dead_end_cannot_be_continued_e24(rulebook: str) -> None:
    connecting_card, neighbour = (
        """
.....
*S━..
.....
""",
        """
..*..
*S━*.
..*..
""",
    )
    drawing = neighbour if rulebook in ANY_NEIGHBOUR_RULEBOOKS else connecting_card
    assert cells_in(rulebook, drawing, "path-rl") == marked_cells(drawing)


@every_rulebook
def test_dead_end_may_continue_a_path(rulebook: str) -> None:
    assert (2, 0) in cells_in(rulebook, "S─.", "dead-rl")
    assert (2, 0, False) in places_in(rulebook, "S─.", "dead-l")


BEFORE_THE_GOAL_SKETCH = """
........b
.........
S──────.$
.........
........a
"""


@every_rulebook
@pytest.mark.parametrize(
    "place", [("path-rl", False), ("path-tr", True), ("path-rb", True), ("dead-l", False)]
)
def test_face_down_goal_requires_nothing_of_its_neighbours_e6(
    rulebook: str, place: tuple[str, bool]
) -> None:
    card, turned = place
    assert (7, 0, turned) in places_in(rulebook, BEFORE_THE_GOAL_SKETCH, card)


BETWEEN_THE_GOALS_SKETCH = """
........b
.........
S───┐...$
....└───*
........a
"""


@every_rulebook
def test_card_between_two_face_down_goals_needs_another_neighbour(rulebook: str) -> None:
    assert (8, 1) in cells_in(rulebook, BETWEEN_THE_GOALS_SKETCH, "path-rl")
    assert (8, 1) in cells_in(rulebook, BETWEEN_THE_GOALS_SKETCH, "path-trbl")
    assert (8, 1) not in cells_in(rulebook, BETWEEN_THE_GOALS_SKETCH, "path-tb")
    assert (8, -1) not in cells_in(rulebook, BETWEEN_THE_GOALS_SKETCH, "path-rl")


BEHIND_A_STONE_SKETCH = """
........$
.........
S───────╝
.........
........b
"""


@every_rulebook
def test_revealed_stone_alone_may_be_continued_except_in_one_rulebook_e9_e25(rulebook: str) -> None:
    expected = {
        "lv-2009": {(0, 1), (0, -1), (8, -1)},
        "lt-2009": {(0, 1), (0, -1), (8, -1)},
        "sv-web": {(0, 1), (0, -1)},
    }
    cells_against_walls = {(0, 1), (0, -1), (8, -1), (9, 0)}
    assert cells_in(rulebook, BEHIND_A_STONE_SKETCH, "path-tb") == expected.get(
        rulebook, cells_against_walls
    )


@every_rulebook
def test_edges_must_match_a_revealed_stone_e9(rulebook: str) -> None:
    assert (8, 1) not in cells_in(rulebook, BEHIND_A_STONE_SKETCH, "path-tb")
    assert (9, 0) not in cells_in(rulebook, BEHIND_A_STONE_SKETCH, "path-rl")
    assert (8, -1) not in cells_in(rulebook, BEHIND_A_STONE_SKETCH, "path-rl")


@every_rulebook
def test_stone_and_path_card_together_may_be_continued_e25(rulebook: str) -> None:
    drawing = """
.......┌*
S──────┴╝
"""
    assert (8, -1, True) in places_in(rulebook, drawing, "path-tr")


@every_rulebook
def test_path_card_touched_at_its_wall_is_not_continued_in_one_rulebook_e25(rulebook: str) -> None:
    drawing = """
.......│*
S──────┴╝
"""
    assert ((8, -1) in cells_in(rulebook, drawing, "path-tb")) == (rulebook != "sv-web")


@every_rulebook
def test_path_card_behind_a_stone_may_be_continued_e25(rulebook: str) -> None:
    drawing = """
S───────╗
........└*
"""
    assert (9, 1) in cells_in(rulebook, drawing, "path-rl")


@every_rulebook
def test_path_may_end_at_a_revealed_stone_e25(rulebook: str) -> None:
    assert (7, 0) in cells_in(rulebook, "S──────*╝", "path-rl")


@every_rulebook
def test_path_card_beside_a_mismatched_stone_needs_a_rulebook_that_counts_neighbours_e7(
    rulebook: str,
) -> None:
    drawing = """
........*
S───────╚*
"""
    is_allowed = rulebook in ANY_NEIGHBOUR_RULEBOOKS
    assert ((9, 0) in cells_in(rulebook, drawing, "path-rl")) == is_allowed
    assert ((8, -1) in cells_in(rulebook, drawing, "path-tb")) == is_allowed


@every_rulebook
def test_card_must_match_neighbours_on_all_sides(rulebook: str) -> None:
    drawing = """
┌─┐
S.│
└─┘
"""
    assert places_in(rulebook, drawing, "path-rl") >= {(-1, 0, False)}
    assert (1, 0, False) in places_in(rulebook, drawing, "dead-l")
    assert (1, 0) not in cells_in(rulebook, drawing, "path-rl")


@every_rulebook
def test_mine_has_no_borders_r4(rulebook: str) -> None:
    assert (-3, 0) in cells_in(rulebook, "──S", "path-rl")
