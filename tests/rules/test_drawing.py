"""The mine as text. The pictures in ``drawings/`` are for the eye; what they must hold is read back from random games."""

from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from engine.cards import BOTTOM, CONNECTS_EDGES, EDGES, LEFT, RIGHT, START, TOP
from engine.cells import GOAL_CELLS, Cell, position
from engine.drawing import ASCII, BOXES, Style, draw
from engine.state import State
from engine.view import View, view_for
from tests.support.drawn_positions import drawn
from tests.support.golden import is_golden
from tests.support.positions import Dice, Game, at, erring_action, every_rulebook, opening

PICTURES: Final = Path(__file__).parent / "drawings"

EVERY_CARD: Final = """
.╺..┌┬┐....╔
.╸..├┼┤....│
.┏━S┴┼┼────╬
.┃╋╻│└┼─┐..│
.┗┫┳┻.└.└..╚
.┛┣┓╹.......
"""
BEHIND_A_ROCKFALL: Final = """
........a
....┌─.┌.
S───┤..│$
....└──┘.
........b
"""
WEST_AND_NORTH: Final = """
....│......
....├┐.....
.╺─┬┘└─....
...└─┐.....
.....│.....
.....└S....
"""
STYLES: Final = {"boxes": BOXES, "ascii": ASCII}


def seen_by(seat: int | None, state: State) -> View:
    return view_for(state, seat)


def positions() -> dict[str, View]:
    rock = drawn(BEHIND_A_ROCKFALL, last_laid=at(7, 1), seen=((), (GOAL_CELLS[0],), GOAL_CELLS))
    return {
        "dealt": seen_by(None, opening(seats=3)),
        "dealt-connecting": seen_by(None, opening("lv-2009", seats=3)),
        "every-card": seen_by(None, drawn(EVERY_CARD, last_laid=at(7, 0))),
        "behind-a-rockfall": seen_by(0, rock),
        "behind-a-rockfall-with-one-map": seen_by(1, rock),
        "behind-a-rockfall-with-three-maps": seen_by(2, rock),
        "west-and-north": seen_by(None, drawn(WEST_AND_NORTH)),
        "wide": seen_by(None, drawn("─" * 12 + "S")),
        "undecided": undecided(),
        "found": seen_by(0, drawn("S───────╬", last_laid=at(7, 0))),
    }


def undecided() -> View:
    """A stone was turned over and fits neither way; it is still to be said how it lies."""
    state = drawn("S───────$")
    goals = ("treasure", "stone-tl", "stone-tr")
    open_question = ((GOAL_CELLS[1], "stone-tl"),)
    return seen_by(0, msgspec.structs.replace(state, goals=goals, unsettled=open_question))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", positions())
def test_a_position_is_drawn_like_this(name: str, style: str) -> None:
    picture = draw(positions()[name], style=STYLES[style]) + "\n"
    assert is_golden(PICTURES / f"{name}.{style}.txt", picture)


def test_no_picture_is_left_over() -> None:
    wanted = {f"{name}.{style}.txt" for name in positions() for style in STYLES}
    assert {path.name for path in PICTURES.iterdir()} == wanted


class Picture:
    """A drawing read back: the strips of every cell."""

    def __init__(self, view: View, **how: Any) -> None:
        header, *rows = draw(view, **how).split("\n")
        self.broad = 5 if "width" not in how else 3
        self.columns = header.split()
        self.rows = [rows[begin + 1].split()[0] for begin in range(0, len(rows), 3)]
        margin = max(map(len, self.rows)) + 1
        wide = margin + self.broad * len(self.columns)
        self.lines = [line.ljust(wide)[margin:] for line in rows]

    def cell(self, cell: Cell) -> tuple[str, str, str]:
        x, y = position(cell)
        west = sum(column.startswith("-") for column in self.columns)
        top = (y + 5) - int(self.rows[0])
        begin = (x + west) * self.broad
        above, middle, below = (
            line[begin : begin + self.broad] for line in self.lines[3 * top :][:3]
        )
        return above, middle, below


def shows_edges(strips: tuple[str, str, str], edges: int) -> bool:
    middle = len(strips[0]) // 2
    shown = {
        TOP: strips[0][middle],
        RIGHT: strips[1][-1],
        BOTTOM: strips[2][middle],
        LEFT: strips[1][0],
    }
    return all((sign != " ") == bool(edges & side) for side, sign in shown.items())


@every_rulebook
@pytest.mark.parametrize(
    "how", [{}, {"style": ASCII}, {"width": 20}, {"width": 20, "style": ASCII}]
)
def test_every_card_of_a_game_can_be_read_from_its_drawing(
    rulebook: str, how: dict[str, Any]
) -> None:
    style: Style = how.get("style", BOXES)
    game, dice = Game(rulebook, seats=4), Dice(11)
    while not game.is_over:
        view = view_for(game.state, 1)
        picture = Picture(view, **how)
        for cell, shape in view.mine.laid.items():
            strips = picture.cell(cell)
            assert shows_edges(strips, EDGES[shape])
            sign = strips[1][picture.broad // 2]
            assert (sign == style.start) == (shape == START)
            assert (sign == style.dead_end) == (not CONNECTS_EDGES[shape])
        for cell, goal, face_up in zip(GOAL_CELLS, view.goals, view.turned, strict=True):
            known = {None: "?", "treasure": "$"}.get(goal, "#")
            strips = picture.cell(cell)
            assert strips[1][picture.broad // 2] == known
            assert strips[0][0] == (style.special if face_up else style.closed)[0]
        for cell in view.mine.open_cells:
            if cell not in GOAL_CELLS:
                assert picture.cell(cell)[1].strip() == style.place
        game.play(erring_action(game.state, dice))


def test_what_is_joined_to_the_start_is_drawn_heavy_and_the_rest_light() -> None:
    view = seen_by(None, drawn("S─.─"))
    picture = Picture(view)
    assert picture.cell(at(1, 0))[1] == "━━━━━"
    assert picture.cell(at(3, 0))[1] == "─────"


def test_a_dead_end_looks_different_from_a_crossing() -> None:
    picture = Picture(seen_by(None, drawn("S┼╋")))
    assert picture.cell(at(1, 0))[1] == "━━╋━━"
    assert picture.cell(at(2, 0))[1] == "─ x ─"


def test_the_card_laid_last_is_marked_and_no_other() -> None:
    view = seen_by(None, drawn("S───", last_laid=at(2, 0)))
    text = draw(view)
    assert [text.count(corner) for corner in "╭╮╰╯"] == [1, 1, 1, 1]
    assert Picture(view).cell(at(2, 0))[0] == "╭   ╮"
    assert not set(draw(seen_by(None, drawn("S───")))) & set("╭╮╰╯")


def test_a_face_down_goal_shows_no_more_than_the_seat_has_seen() -> None:
    state = drawn("S.......$", seen=((), (GOAL_CELLS[1],), ()))
    assert "$" not in draw(view_for(state, 0))
    assert "$" in draw(view_for(state, 1))
    assert "$" not in draw(view_for(state, None))


@every_rulebook
def test_a_mine_of_usual_size_fits_into_a_letter(rulebook: str) -> None:
    game, dice = Game(rulebook, seats=5), Dice(3)
    while not game.is_over:
        lines = draw(view_for(game.state, 0)).split("\n")
        assert max(map(len, lines)) <= 72
        assert all(line == line.rstrip() for line in lines)
        game.play(erring_action(game.state, dice))


@pytest.mark.parametrize("to_the_west,width", [(3, 67), (4, 72), (5, 47), (13, 71), (14, 74)])
def test_a_mine_too_wide_for_a_letter_is_drawn_narrower(to_the_west: int, width: int) -> None:
    """There are nine columns more, and one for the place that goes on; what fits in no way is drawn all the same."""
    view = seen_by(None, drawn("─" * to_the_west + "S"))
    assert max(map(len, draw(view).split("\n"))) == width


def test_the_ascii_drawing_has_plain_signs_only() -> None:
    assert all(draw(view, style=ASCII).isascii() for view in positions().values())
