"""R13-R16, R25, E6, E9, E23-E25: where a path card may be laid, and why it is refused elsewhere."""

import pytest

from engine.actions import Lay
from engine.cards import CARD_BY_SHAPE, CONNECTS_EDGES, EDGES, PATH_CARDS, TURNED_SHAPES
from engine.cells import position
from engine.errors import Reason
from engine.events import CardLaid
from engine.state import State
from tests.reference_model import cards as printed
from tests.reference_model.sketch import read_sketch
from tests.support.engine.drawn_positions import drawn_state
from tests.support.engine.positions import cell_at
from tests.support.engine.vectors import events_of, offered_actions, play, refusal_reason
from tests.support.rulebook_groups import (
    MUST_CONTINUE_PATH_RULEBOOKS,
    any_neighbour_rulebooks,
    every_rulebook,
    must_continue_path_rulebooks,
)


def state_holding(drawing: str, card: str, rulebook: str = "en-2004") -> State:
    return drawn_state(drawing, rulebook, hand=[card])


def legal_places(drawing: str, card: str, rulebook: str) -> set[tuple[int, int, bool]]:
    return {
        (*position(action.cell), action.turned)
        for action in offered_actions(state_holding(drawing, card, rulebook))
        if isinstance(action, Lay)
    }


def legal_cells(drawing: str, card: str, rulebook: str) -> set[tuple[int, int]]:
    return {(x, y) for x, y, _ in legal_places(drawing, card, rulebook)}


def marked_cells(drawing: str) -> set[tuple[int, int]]:
    return read_sketch(drawing).cells_marked


def reason_against(drawing: str, lay: Lay, rulebook: str = "en-2004") -> Reason:
    return refusal_reason(state_holding(drawing, lay.card, rulebook), lay)


def test_turned_card_has_its_edges_rotated_by_half_a_circle_r16() -> None:
    expected_edges = {
        "path-tr": "BL",
        "path-rb": "TL",
        "path-trb": "TBL",
        "path-rbl": "TRL",
        "dead-b": "T",
        "dead-l": "R",
        "stone-tl": "RB",
        "stone-tr": "BL",
    }
    for card, edges in expected_edges.items():
        assert printed.edges_of(card, turned=True) == set(edges)


@pytest.mark.parametrize("card", PATH_CARDS)
def test_card_has_its_printed_edges_both_ways_r16(card: str) -> None:
    for turned, shape in ((False, card), (True, TURNED_SHAPES[card])):
        edges = {side for bit_number, side in enumerate("TRBL") if EDGES[shape] >> bit_number & 1}
        assert edges == printed.edges_of(card, turned=turned)
        assert CARD_BY_SHAPE[shape] == card
    assert CONNECTS_EDGES[card] == printed.is_joined(card)


SYMMETRIC_CARDS = ("path-trbl", "path-tb", "path-rl", "dead-tb", "dead-rl", "dead-trbl")
PLACES_BESIDE_THE_START = {
    "path-trbl": {(1, 0, False), (-1, 0, False), (0, 1, False), (0, -1, False)},
    "path-rl": {(1, 0, False), (-1, 0, False)},
    "path-tb": {(0, 1, False), (0, -1, False)},
    "dead-rl": {(1, 0, False), (-1, 0, False)},
    "path-tr": {(0, 1, False), (-1, 0, False), (0, -1, True), (1, 0, True)},
    "path-rb": {(-1, 0, False), (0, -1, False), (1, 0, True), (0, 1, True)},
    "dead-b": {(0, -1, False), (0, 1, True)},
    "dead-l": {(1, 0, False), (-1, 0, True)},
    "path-trb": {(0, 1, False), (0, -1, False), (-1, 0, False)}
    | {(0, 1, True), (0, -1, True), (1, 0, True)},
    "path-rbl": {(1, 0, False), (-1, 0, False), (0, -1, False)}
    | {(1, 0, True), (-1, 0, True), (0, 1, True)},
}


def test_symmetric_cards_are_those_that_look_alike_when_turned_r16() -> None:
    assert {card for card in PATH_CARDS if TURNED_SHAPES[card] == card} == set(SYMMETRIC_CARDS)


@every_rulebook
def test_first_card_meets_an_open_edge_of_the_start_r14_e23(rulebook: str) -> None:
    assert {
        card: legal_places("S", card, rulebook) for card in PLACES_BESIDE_THE_START
    } == PLACES_BESIDE_THE_START


@every_rulebook
@pytest.mark.parametrize("card", SYMMETRIC_CARDS)
def test_symmetric_card_may_be_laid_turned_and_is_recorded_as_printed_r16_e35(
    rulebook: str, card: str
) -> None:
    state = state_holding("S", card, rulebook)
    offered_lay = next(action for action in offered_actions(state) if isinstance(action, Lay))
    turned = Lay(card, offered_lay.cell, turned=True)
    assert events_of(state, turned) == events_of(state, offered_lay)
    assert events_of(state, turned)[0] == CardLaid(0, card, offered_lay.cell, turned=False)


def test_symmetric_card_laid_turned_must_still_match_its_neighbours_r15_e35() -> None:
    turned = Lay("path-tb", cell_at(1, 0), turned=True)
    assert reason_against("S", turned) == Reason.EDGES_DIFFER


@any_neighbour_rulebooks
def test_face_down_goals_alone_cannot_be_built_from_e23_e36(rulebook: str) -> None:
    """The text of two rulebooks counts goals among the tunnel cards; the engine does not follow it (E36)."""
    assert reason_against("S", Lay("path-rl", cell_at(8, 1)), rulebook) == Reason.GOAL_ALONE
    assert reason_against("S", Lay("path-tb", cell_at(9, 0)), rulebook) == Reason.GOAL_ALONE


def test_path_card_may_be_laid_turned_r16() -> None:
    next_state = play(state_holding("S", "path-tr"), Lay("path-tr", cell_at(1, 0), turned=True))
    assert next_state.mine.laid[cell_at(1, 0)] == "path-bl"


@every_rulebook
def test_every_edge_must_match_every_neighbour_r15(rulebook: str) -> None:
    drawing = """
..*
S─.
"""
    assert legal_places(drawing, "path-rl", rulebook) >= {(2, 0, False)}
    assert reason_against(drawing, Lay("path-tb", cell_at(2, 0)), rulebook) == Reason.EDGES_DIFFER
    assert reason_against("S", Lay("path-tb", cell_at(1, 0)), rulebook) == Reason.EDGES_DIFFER


@every_rulebook
def test_wall_may_not_meet_an_open_edge_r15(rulebook: str) -> None:
    drawing = """
.*.
.S.
.*.
"""
    assert legal_cells(drawing, "path-tb", rulebook) == marked_cells(drawing)


@every_rulebook
def test_face_down_goal_requires_nothing_of_its_neighbours_e6(rulebook: str) -> None:
    drawing = "S──────.$"
    for card, turned in [
        ("path-rl", False),
        ("path-tr", True),
        ("path-rb", True),
        ("dead-l", False),
    ]:
        assert (7, 0, turned) in legal_places(drawing, card, rulebook)


@every_rulebook
def test_edges_must_match_a_revealed_stone_e9(rulebook: str) -> None:
    reason_below = reason_against("S───────╝", Lay("path-tb", cell_at(8, 1)), rulebook)
    reason_above = reason_against("S───────╝", Lay("path-rl", cell_at(8, -1)), rulebook)
    must_continue = rulebook in MUST_CONTINUE_PATH_RULEBOOKS
    assert reason_below == (Reason.NOT_CONNECTED if must_continue else Reason.EDGES_DIFFER)
    assert reason_above == (Reason.GOAL_ALONE if rulebook == "sv-web" else Reason.EDGES_DIFFER)


@must_continue_path_rulebooks
def test_path_card_must_continue_a_path_from_the_start_r13(rulebook: str) -> None:
    assert legal_cells("*S─*", "path-rl", rulebook) == marked_cells("*S─*")
    lay_wall_to_wall = Lay("path-rl", cell_at(1, 1))
    assert reason_against("S─", lay_wall_to_wall, rulebook) == Reason.NOT_CONNECTED


@any_neighbour_rulebooks
def test_disconnected_cards_can_be_continued_under_neighbour_rulebooks_r25_e23(
    rulebook: str,
) -> None:
    assert legal_cells("S..──", "path-rl", rulebook) >= {(1, 0), (2, 0), (5, 0)}


@must_continue_path_rulebooks
def test_disconnected_cards_cannot_be_continued_r25(rulebook: str) -> None:
    assert legal_cells("*S*.──", "path-rl", rulebook) == marked_cells("*S*.──")
    assert reason_against("S..──", Lay("path-rl", cell_at(5, 0)), rulebook) == Reason.NOT_CONNECTED


@must_continue_path_rulebooks
def test_dead_end_cannot_be_continued_e24(rulebook: str) -> None:
    assert legal_cells("*S━.", "path-rl", rulebook) == marked_cells("*S━.")
    assert reason_against("S━", Lay("path-rl", cell_at(2, 0)), rulebook) == Reason.NOT_CONNECTED


@every_rulebook
def test_dead_end_may_end_a_path_and_must_match_disconnected_cards_e24(rulebook: str) -> None:
    assert (2, 0, False) in legal_places("S─.", "dead-l", rulebook)
    assert (1, 0, False) in legal_places("S.│", "dead-l", rulebook)
    assert reason_against("S.│", Lay("path-rl", cell_at(1, 0)), rulebook) == Reason.EDGES_DIFFER


@every_rulebook
def test_gap_may_be_closed_again_r25(rulebook: str) -> None:
    assert (2, 0) in legal_cells("S─.─", "path-rl", rulebook)


@any_neighbour_rulebooks
def test_card_may_be_laid_beside_any_card_with_wall_against_wall_e23(rulebook: str) -> None:
    drawing = """
..*..
*S━*.
..*..
"""
    assert legal_cells(drawing, "path-rl", rulebook) == marked_cells(drawing)
    state_with_island = play(
        state_holding("S─", "path-rl", rulebook), Lay("path-rl", cell_at(1, 1))
    )
    assert cell_at(1, 1) not in state_with_island.mine.reached_cells


@every_rulebook
def test_face_down_goal_alone_cannot_be_built_from_r14_e23(rulebook: str) -> None:
    for cell in (cell_at(8, 1), cell_at(8, -1), cell_at(7, 0), cell_at(9, 2), cell_at(8, -3)):
        assert reason_against("S─", Lay("path-trbl", cell), rulebook) == Reason.GOAL_ALONE


@every_rulebook
def test_card_between_two_face_down_goals_needs_another_neighbour_r14(rulebook: str) -> None:
    drawing = """
........b
.........
S───┐...$
....└───.
........a
"""
    for card, is_legal in (("path-rl", True), ("path-trbl", True), ("path-tb", False)):
        assert ((8, 1) in legal_cells(drawing, card, rulebook)) == is_legal
    assert (8, -1) not in legal_cells(drawing, "path-rl", rulebook)


@every_rulebook
def test_revealed_stone_alone_may_be_continued_except_in_one_rulebook_r14_e9_e25(
    rulebook: str,
) -> None:
    drawing = "S───────╝"
    cells_of_paths = {(0, 1), (0, -1), (8, -1)}
    expected_cells = {
        "lv-2009": cells_of_paths,
        "lt-2009": cells_of_paths,
        "sv-web": cells_of_paths - {(8, -1)},
    }
    actual_cells = legal_cells(drawing, "path-tb", rulebook)
    assert actual_cells == expected_cells.get(rulebook, cells_of_paths | {(9, 0)})
    if rulebook == "sv-web":
        assert (
            reason_against(drawing, Lay("path-tb", cell_at(8, -1)), rulebook) == Reason.GOAL_ALONE
        )


@every_rulebook
def test_stone_and_path_card_together_may_be_continued_e25(rulebook: str) -> None:
    drawing = """
.......┌*
S──────┴╝
"""
    assert (8, -1, True) in legal_places(drawing, "path-tr", rulebook)
    assert (7, 0) in legal_cells("S──────*╝", "path-rl", rulebook)


@every_rulebook
def test_path_card_behind_a_stone_may_be_continued_e25(rulebook: str) -> None:
    drawing = """
S───────╗
........└*
"""
    assert (9, 1) in legal_cells(drawing, "path-rl", rulebook)


@every_rulebook
def test_path_card_touched_at_its_wall_is_not_continued_in_one_rulebook_e25(rulebook: str) -> None:
    drawing = """
.......│*
S──────┴╝
"""
    assert ((8, -1) in legal_cells(drawing, "path-tb", rulebook)) == (rulebook != "sv-web")


@every_rulebook
def test_mismatched_stone_is_continued_only_where_neighbours_are_enough_e7_e23(
    rulebook: str,
) -> None:
    drawing = """
........*
S───────╚*
"""
    needs_path = rulebook in MUST_CONTINUE_PATH_RULEBOOKS
    assert ((9, 0) in legal_cells(drawing, "path-rl", rulebook)) != needs_path
    assert ((8, -1) in legal_cells(drawing, "path-tb", rulebook)) != needs_path


@every_rulebook
def test_card_must_match_neighbours_on_all_sides_r15(rulebook: str) -> None:
    drawing = """
┌─┐
S.│
└─┘
"""
    assert (1, 0, False) in legal_places(drawing, "dead-l", rulebook)
    assert (1, 0) not in legal_cells(drawing, "path-rl", rulebook)


@every_rulebook
def test_taken_cell_or_face_down_goal_accepts_no_card_r13(rulebook: str) -> None:
    for cell in (cell_at(0, 0), cell_at(1, 0), cell_at(8, 0), cell_at(8, 2)):
        assert reason_against("S─", Lay("path-trbl", cell), rulebook) == Reason.CELL_TAKEN


@every_rulebook
@pytest.mark.parametrize("cell", [cell_at(3, 0), cell_at(-7, 12), "-ZZ-999", "ZZ999"])
def test_card_must_lie_beside_another_card_r13(rulebook: str, cell: str) -> None:
    assert reason_against("S─", Lay("path-trbl", cell), rulebook) == Reason.NOT_BESIDE


@pytest.mark.parametrize("cell", ["", "here", "a5", "A1000", "AAA1", "A5;", "\x00"])
def test_malformed_cell_accepts_no_card_r13(cell: str) -> None:
    assert reason_against("S─", Lay("path-trbl", cell)) == Reason.NO_SUCH_CELL


@pytest.mark.parametrize("card", ["map", "rockfall", "break-cart", "repair-cart"])
def test_only_path_cards_can_be_laid_r13(card: str) -> None:
    assert reason_against("S", Lay(card, cell_at(1, 0))) == Reason.NOT_A_PATH_CARD


def test_mines_with_the_same_cards_and_rules_are_equal() -> None:
    mine, other = (state_holding("S─", "map", rulebook).mine for rulebook in ("en-2004", "uk-2017"))
    assert mine == other
    assert hash(mine) == hash(other)
    assert mine != state_holding("S─", "map", "lv-2009").mine
    assert mine != state_holding("S│", "map").mine
    assert mine != dict(mine.laid)


@every_rulebook
def test_mine_has_no_borders_r4(rulebook: str) -> None:
    row = "─" * 30 + "S"
    next_state = play(state_holding(row, "path-rl", rulebook), Lay("path-rl", cell_at(-31, 0)))
    assert next_state.mine.laid["-AE5"] == "path-rl"
