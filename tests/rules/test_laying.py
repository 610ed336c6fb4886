"""R13-R16, R25, E6, E9, E23-E25: where a path card may lie, and why not elsewhere."""

import pytest

from engine.actions import Lay
from engine.cards import CONNECTS_EDGES, EDGES, PATH_CARDS, PRINTED, TURNED
from engine.errors import Reason
from engine.events import CardLaid
from engine.state import State
from tests.reference_model import cards as printed
from tests.reference_model.sketch import read
from tests.support.drawn_positions import drawn
from tests.support.positions import (
    CONNECTING,
    NEIGHBOURING,
    at,
    every_rulebook,
    happens,
    menu,
    play,
    refusal,
)

connecting = pytest.mark.parametrize("rulebook", CONNECTING)
neighbouring = pytest.mark.parametrize("rulebook", NEIGHBOURING)


def holding(drawing: str, card: str, rulebook: str = "en-2004") -> State:
    return drawn(drawing, rulebook, hand=[card])


def places(drawing: str, card: str, rulebook: str) -> set[tuple[str, bool]]:
    lays = (action for action in menu(holding(drawing, card, rulebook)) if isinstance(action, Lay))
    return {(lay.cell, lay.turned) for lay in lays}


def cells(drawing: str, card: str, rulebook: str) -> set[str]:
    return {cell for cell, _ in places(drawing, card, rulebook)}


def marked(drawing: str) -> set[str]:
    return {at(x, y) for x, y in read(drawing).marked}


def why_not(drawing: str, lay: Lay, rulebook: str = "en-2004") -> Reason:
    return refusal(holding(drawing, lay.card, rulebook), lay)


@pytest.mark.parametrize("card", PATH_CARDS)
def test_a_card_is_what_is_printed_on_it_turned_by_half_a_circle_r16(card: str) -> None:
    for turned, shape in ((False, card), (True, TURNED[card])):
        letters = {letter for bit, letter in enumerate("TRBL") if EDGES[shape] >> bit & 1}
        assert letters == printed.edges_of(card, turned=turned)
        assert PRINTED[shape] == card
    assert CONNECTS_EDGES[card] == printed.is_joined(card)


SYMMETRIC = [card for card in PATH_CARDS if TURNED[card] == card]


@every_rulebook
@pytest.mark.parametrize("card", SYMMETRIC)
def test_a_card_that_looks_the_same_both_ways_may_be_laid_turned_r16_e35(
    rulebook: str, card: str
) -> None:
    state = holding("S", card, rulebook)
    listed = next(action for action in menu(state) if isinstance(action, Lay))
    turned = Lay(card, listed.cell, turned=True)
    assert happens(state, turned) == happens(state, listed)
    assert happens(state, turned)[0] == CardLaid(0, card, listed.cell, turned=False)


@pytest.mark.parametrize("card", SYMMETRIC)
def test_a_placement_of_a_symmetric_card_is_listed_once_r16_e35(card: str) -> None:
    assert all(not turned for _, turned in places("S", card, "en-2004"))


def test_a_symmetric_card_laid_turned_must_still_fit_r15_e35() -> None:
    turned = Lay("path-tb", at(1, 0), turned=True)
    assert why_not("S", turned) == Reason.EDGES_DISAGREE


@pytest.mark.parametrize("rulebook", NEIGHBOURING)
def test_face_down_goals_alone_are_no_neighbours_to_build_from_e23_e36(rulebook: str) -> None:
    """The text of two rulebooks counts goals among the tunnel cards; the engine does not follow it (E36)."""
    assert why_not("S", Lay("path-rl", at(8, 1)), rulebook) == Reason.GOAL_ALONE
    assert why_not("S", Lay("path-tb", at(9, 0)), rulebook) == Reason.GOAL_ALONE


def test_a_card_may_be_turned_r16() -> None:
    after = play(holding("S", "path-tr"), Lay("path-tr", at(1, 0), turned=True))
    assert after.mine.laid[at(1, 0)] == "path-bl"


@every_rulebook
def test_every_edge_agrees_with_every_neighbour_r15(rulebook: str) -> None:
    drawing = """
..*
S─.
"""
    assert places(drawing, "path-rl", rulebook) >= {(at(2, 0), False)}
    assert why_not(drawing, Lay("path-tb", at(2, 0)), rulebook) == Reason.EDGES_DISAGREE
    assert why_not("S", Lay("path-tb", at(1, 0)), rulebook) == Reason.EDGES_DISAGREE


@every_rulebook
def test_a_wall_never_meets_an_open_edge_r15(rulebook: str) -> None:
    drawing = """
.*.
.S.
.*.
"""
    assert cells(drawing, "path-tb", rulebook) == marked(drawing)


@every_rulebook
def test_a_face_down_goal_asks_nothing_of_its_neighbours_e6(rulebook: str) -> None:
    drawing = "S──────.$"
    for card, turned in [
        ("path-rl", False),
        ("path-tr", True),
        ("path-rb", True),
        ("dead-l", False),
    ]:
        assert (at(7, 0), turned) in places(drawing, card, rulebook)


@every_rulebook
def test_a_revealed_stone_must_be_matched_e9(rulebook: str) -> None:
    below = why_not("S───────╝", Lay("path-tb", at(8, 1)), rulebook)
    above = why_not("S───────╝", Lay("path-rl", at(8, -1)), rulebook)
    connects = rulebook in CONNECTING
    assert below == (Reason.NOT_CONNECTED if connects else Reason.EDGES_DISAGREE)
    assert above == (Reason.GOAL_ALONE if rulebook == "sv-web" else Reason.EDGES_DISAGREE)


@connecting
def test_a_card_continues_a_path_from_the_start_r13(rulebook: str) -> None:
    assert cells("*S─*", "path-rl", rulebook) == marked("*S─*")
    wall_to_wall = Lay("path-rl", at(1, 1))
    assert why_not("S─", wall_to_wall, rulebook) == Reason.NOT_CONNECTED


@connecting
def test_only_a_place_to_which_a_path_leads_is_built_on_r25(rulebook: str) -> None:
    assert cells("*S*.──", "path-rl", rulebook) == marked("*S*.──")
    assert why_not("S..──", Lay("path-rl", at(5, 0)), rulebook) == Reason.NOT_CONNECTED


@connecting
def test_nothing_continues_from_a_dead_end_e24(rulebook: str) -> None:
    assert cells("*S━.", "path-rl", rulebook) == marked("*S━.")
    assert why_not("S━", Lay("path-rl", at(2, 0)), rulebook) == Reason.NOT_CONNECTED


@every_rulebook
def test_a_dead_end_may_end_a_path_and_stranded_cards_must_agree_e24(rulebook: str) -> None:
    assert (at(2, 0), False) in places("S─.", "dead-l", rulebook)
    assert (at(1, 0), False) in places("S.│", "dead-l", rulebook)
    assert why_not("S.│", Lay("path-rl", at(1, 0)), rulebook) == Reason.EDGES_DISAGREE


@every_rulebook
def test_a_gap_may_be_closed_again_r25(rulebook: str) -> None:
    assert at(2, 0) in cells("S─.─", "path-rl", rulebook)


@neighbouring
def test_any_laid_neighbour_will_do_and_walls_against_walls_make_islands_e23(rulebook: str) -> None:
    drawing = """
..*..
*S━*.
..*..
"""
    assert cells(drawing, "path-rl", rulebook) == marked(drawing)
    island = play(holding("S─", "path-rl", rulebook), Lay("path-rl", at(1, 1)))
    assert at(1, 1) not in island.mine.reached_cells


@every_rulebook
def test_goals_alone_are_no_neighbours_to_build_from_while_face_down_r14_e23(rulebook: str) -> None:
    for cell in (at(8, 1), at(8, -1), at(7, 0), at(9, 2), at(8, -3)):
        assert why_not("S─", Lay("path-trbl", cell), rulebook) == Reason.GOAL_ALONE


@every_rulebook
def test_between_two_face_down_goals_another_neighbour_is_needed_r14(rulebook: str) -> None:
    drawing = """
S───┐...$
....└───.
........a
"""
    assert at(8, 1) in cells(drawing, "path-rl", rulebook)


@every_rulebook
def test_a_stone_alone_may_be_continued_from_but_in_one_rulebook_r14_e9_e25(rulebook: str) -> None:
    drawing = "S───────╝"
    assert (at(8, -1) in cells(drawing, "path-tb", rulebook)) == (rulebook != "sv-web")
    if rulebook == "sv-web":
        assert why_not(drawing, Lay("path-tb", at(8, -1)), rulebook) == Reason.GOAL_ALONE


def test_a_stone_and_a_path_card_together_may_be_continued_from_e25() -> None:
    drawing = """
.......┌*
S──────┴╝
"""
    assert (at(8, -1), True) in places(drawing, "path-tr", "sv-web")
    assert at(7, 0) in cells("S──────*╝", "path-rl", "sv-web")


def test_a_path_card_touched_at_its_wall_is_not_continued_from_e25() -> None:
    drawing = """
.......│*
S──────┴╝
"""
    assert at(8, -1) not in cells(drawing, "path-tb", "sv-web")
    assert at(8, -1) in cells(drawing, "path-tb", "lv-2009")


@every_rulebook
def test_a_taken_cell_takes_no_card_goals_face_down_included_r13(rulebook: str) -> None:
    for cell in (at(0, 0), at(1, 0), at(8, 0), at(8, 2)):
        assert why_not("S─", Lay("path-trbl", cell), rulebook) == Reason.CELL_TAKEN


@every_rulebook
@pytest.mark.parametrize("cell", [at(3, 0), at(-7, 12), "-ZZ-999", "ZZ999"])
def test_a_card_lies_beside_another_r13(rulebook: str, cell: str) -> None:
    assert why_not("S─", Lay("path-trbl", cell), rulebook) == Reason.NOT_BESIDE


@pytest.mark.parametrize("cell", ["", "here", "a5", "A1000", "AAA1", "A5;", "\x00"])
def test_what_is_no_cell_takes_no_card_r13(cell: str) -> None:
    assert why_not("S─", Lay("path-trbl", cell)) == Reason.NO_SUCH_CELL


@pytest.mark.parametrize("card", ["map", "rockfall", "break-cart", "repair-cart"])
def test_only_path_cards_are_laid_r13(card: str) -> None:
    assert why_not("S", Lay(card, at(1, 0))) == Reason.NOT_A_PATH_CARD


def test_mines_are_equal_when_the_same_lies_in_them_under_the_same_rules() -> None:
    mine, other = (holding("S─", "map", rulebook).mine for rulebook in ("en-2004", "uk-2017"))
    assert mine == other
    assert hash(mine) == hash(other)
    assert mine != holding("S─", "map", "lv-2009").mine
    assert mine != holding("S│", "map").mine
    assert mine != dict(mine.laid)


@every_rulebook
def test_the_mine_has_no_borders_r4(rulebook: str) -> None:
    row = "─" * 30 + "S"
    after = play(holding(row, "path-rl", rulebook), Lay("path-rl", at(-31, 0)))
    assert after.mine.laid["-AE5"] == "path-rl"
