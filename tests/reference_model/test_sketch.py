import pytest

from tests.reference_model.sketch import read_sketch


def test_sketch_is_read_relative_to_its_start() -> None:
    mine = read_sketch("""
 *b
┏S╸
 ╚$
""")
    assert mine.laid == [
        (-1, 0, frozenset("RB"), False, "path"),
        (0, 0, frozenset("TRBL"), True, "start"),
        (1, 0, frozenset("L"), False, "path"),
        (0, 1, frozenset("TR"), True, "goal"),
    ]
    assert mine.face_down == {(1, -1): "stone-tr", (1, 1): "treasure"}
    assert mine.cells_marked == {(0, -1)}


@pytest.mark.parametrize("line", ["┌─┬┐", "┏━┳┓", "╔═╦╗"])
def test_line_character_has_the_edges_it_shows(line: str) -> None:
    mine = read_sketch("S" + line)
    assert [card[2] for card in mine.laid[1:]] == [
        frozenset(edges) for edges in ("RB", "RL", "RBL", "BL")
    ]


def test_unknown_character_in_a_sketch_is_refused() -> None:
    with pytest.raises(ValueError, match="means nothing"):
        read_sketch("S#")
