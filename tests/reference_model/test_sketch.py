import pytest

from tests.reference_model.sketch import read


def test_a_drawing_is_read_around_its_start() -> None:
    mine = read("""
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
    assert mine.marked == {(0, -1)}


@pytest.mark.parametrize("line", ["┌─┬┐", "┏━┳┓", "╔═╦╗"])
def test_a_line_goes_where_it_is_drawn(line: str) -> None:
    mine = read("S" + line)
    assert [card[2] for card in mine.laid[1:]] == [
        frozenset(edges) for edges in ("RB", "RL", "RBL", "BL")
    ]


def test_a_character_without_a_meaning_is_refused() -> None:
    with pytest.raises(ValueError, match="means nothing"):
        read("S#")
