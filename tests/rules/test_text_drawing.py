"""The mine drawn as text: golden drawings in ``drawings/``, and drawings of random games that are parsed again."""

from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from engine.cards import BOTTOM, CONNECTS_EDGES, EDGES, LEFT, RIGHT, START_SHAPE, TOP
from engine.cells import GOAL_CELLS, Cell, position
from engine.state import State
from engine.text_drawing import ASCII_STYLE, BOX_STYLE, Style, draw_mine
from engine.view import View, view_for
from tests.support.engine.drawn_positions import drawn_state
from tests.support.engine.in_memory_game import InMemoryGame, dealt_state
from tests.support.engine.positions import cell_at
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.golden import equals_golden_file
from tests.support.rulebook_groups import every_rulebook

DRAWINGS_FOLDER: Final = Path(__file__).parent / "drawings"

EVERY_CARD_SKETCH: Final = """
.╺..┌┬┐....╔
.╸..├┼┤....│
.┏━S┴┼┼────╬
.┃╋╻│└┼─┐..│
.┗┫┳┻.└.└..╚
.┛┣┓╹.......
"""
BEHIND_A_ROCKFALL_SKETCH: Final = """
........a
....┌─.┌.
S───┤..│$
....└──┘.
........b
"""
WEST_AND_NORTH_SKETCH: Final = """
....│......
....├┐.....
.╺─┬┘└─....
...└─┐.....
.....│.....
.....└S....
"""
STYLES: Final = {"boxes": BOX_STYLE, "ascii": ASCII_STYLE}


def view_of(seat: int | None, state: State) -> View:
    return view_for(state, seat)


def views_to_draw() -> dict[str, View]:
    state_after_rockfall = drawn_state(
        BEHIND_A_ROCKFALL_SKETCH, last_laid=cell_at(7, 1), seen=((), (GOAL_CELLS[0],), GOAL_CELLS)
    )
    return {
        "dealt": view_of(None, dealt_state(seats=3)),
        "dealt-connecting": view_of(None, dealt_state("lv-2009", seats=3)),
        "every-card": view_of(None, drawn_state(EVERY_CARD_SKETCH, last_laid=cell_at(7, 0))),
        "behind-a-rockfall": view_of(0, state_after_rockfall),
        "behind-a-rockfall-with-one-map": view_of(1, state_after_rockfall),
        "behind-a-rockfall-with-three-maps": view_of(2, state_after_rockfall),
        "west-and-north": view_of(None, drawn_state(WEST_AND_NORTH_SKETCH)),
        "wide": view_of(None, drawn_state("─" * 12 + "S")),
        "undecided": view_with_an_undecided_stone(),
        "found": view_of(0, drawn_state("S───────╬", last_laid=cell_at(7, 0))),
    }


def view_with_an_undecided_stone() -> View:
    """Return a view with a misfit turned over whose way round is still to be chosen."""
    state = drawn_state("S───────$")
    goals = ("treasure", "stone-tl", "stone-tr")
    open_question = ((GOAL_CELLS[1], "stone-tl"),)
    return view_of(0, msgspec.structs.replace(state, goals=goals, unsettled=open_question))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", views_to_draw())
def test_drawing_equals_its_golden_file(name: str, style: str) -> None:
    picture = draw_mine(views_to_draw()[name], style=STYLES[style]) + "\n"
    assert equals_golden_file(DRAWINGS_FOLDER / f"{name}.{style}.txt", picture)


def test_every_golden_drawing_belongs_to_a_position() -> None:
    expected = {f"{name}.{style}.txt" for name in views_to_draw() for style in STYLES}
    assert {path.name for path in DRAWINGS_FOLDER.iterdir()} == expected


class ParsedDrawing:
    """A drawing parsed into the three lines of every cell."""

    def __init__(self, view: View, **drawing_options: Any) -> None:
        header, *rows = draw_mine(view, **drawing_options).split("\n")
        self.card_width = 5 if "width" not in drawing_options else 3
        self.columns = header.split()
        self.rows = [rows[column_start + 1].split()[0] for column_start in range(0, len(rows), 3)]
        margin = max(map(len, self.rows)) + 1
        line_width = margin + self.card_width * len(self.columns)
        self.lines = [line.ljust(line_width)[margin:] for line in rows]

    def cell(self, cell: Cell) -> tuple[str, str, str]:
        x, y = position(cell)
        western_columns = sum(column.startswith("-") for column in self.columns)
        first_row = (y + 5) - int(self.rows[0])
        column_start = (x + western_columns) * self.card_width
        upper_strip, center, lower_strip = (
            line[column_start : column_start + self.card_width]
            for line in self.lines[3 * first_row :][:3]
        )
        return upper_strip, center, lower_strip


def shows_edges(strips: tuple[str, str, str], edges: int) -> bool:
    center = len(strips[0]) // 2
    shown_edges = {
        TOP: strips[0][center],
        RIGHT: strips[1][-1],
        BOTTOM: strips[2][center],
        LEFT: strips[1][0],
    }
    return all((character != " ") == bool(edges & side) for side, character in shown_edges.items())


@every_rulebook
@pytest.mark.parametrize(
    "drawing_options",
    [{}, {"style": ASCII_STYLE}, {"width": 20}, {"width": 20, "style": ASCII_STYLE}],
)
def test_drawing_shows_every_card_of_a_game(rulebook: str, drawing_options: dict[str, Any]) -> None:
    style: Style = drawing_options.get("style", BOX_STYLE)
    game, rng = InMemoryGame(rulebook, seats=4), SeededRng(11)
    while not game.is_over:
        view = view_for(game.state, 1)
        picture = ParsedDrawing(view, **drawing_options)
        for cell, shape in view.mine.laid.items():
            strips = picture.cell(cell)
            assert shows_edges(strips, EDGES[shape])
            character = strips[1][picture.card_width // 2]
            assert (character == style.start) == (shape == START_SHAPE)
            assert (character == style.dead_end) == (not CONNECTS_EDGES[shape])
        for cell, goal, is_face_up in zip(GOAL_CELLS, view.goals, view.turned, strict=True):
            goal_symbol = {None: "?", "treasure": "$"}.get(goal, "#")
            strips = picture.cell(cell)
            assert strips[1][picture.card_width // 2] == goal_symbol
            assert (
                strips[0][0]
                == (style.face_up_corners if is_face_up else style.face_down_corners)[0]
            )
        for cell in view.mine.open_cells:
            if cell not in GOAL_CELLS:
                assert picture.cell(cell)[1].strip() == style.open_cell
        game.play(mostly_digging_action(game.state, rng))


def test_cards_joined_to_the_start_are_drawn_heavy_and_others_light() -> None:
    view = view_of(None, drawn_state("S─.─"))
    picture = ParsedDrawing(view)
    assert picture.cell(cell_at(1, 0))[1] == "━━━━━"
    assert picture.cell(cell_at(3, 0))[1] == "─────"


def test_dead_end_is_drawn_differently_from_a_crossing() -> None:
    picture = ParsedDrawing(view_of(None, drawn_state("S┼╋")))
    assert picture.cell(cell_at(1, 0))[1] == "━━╋━━"
    assert picture.cell(cell_at(2, 0))[1] == "─ x ─"


def test_only_the_card_laid_last_is_marked() -> None:
    view = view_of(None, drawn_state("S───", last_laid=cell_at(2, 0)))
    text = draw_mine(view)
    assert [text.count(corner) for corner in "╭╮╰╯"] == [1, 1, 1, 1]
    assert ParsedDrawing(view).cell(cell_at(2, 0))[0] == "╭   ╮"
    assert not set(draw_mine(view_of(None, drawn_state("S───")))) & set("╭╮╰╯")


def test_face_down_goal_is_shown_only_to_a_seat_that_has_seen_it() -> None:
    state = drawn_state("S.......$", seen=((), (GOAL_CELLS[1],), ()))
    assert "$" not in draw_mine(view_for(state, 0))
    assert "$" in draw_mine(view_for(state, 1))
    assert "$" not in draw_mine(view_for(state, None))


@every_rulebook
def test_usual_mine_fits_into_72_columns(rulebook: str) -> None:
    game, rng = InMemoryGame(rulebook, seats=5), SeededRng(3)
    while not game.is_over:
        lines = draw_mine(view_for(game.state, 0)).split("\n")
        assert max(map(len, lines)) <= 72
        assert all(line == line.rstrip() for line in lines)
        game.play(mostly_digging_action(game.state, rng))


@pytest.mark.parametrize(
    "western_card_count,width", [(3, 67), (4, 72), (5, 47), (13, 71), (14, 74)]
)
def test_mine_wider_than_72_columns_is_drawn_with_narrower_cells(
    western_card_count: int, width: int
) -> None:
    """The mine has nine more columns and one for the open cell; a mine too wide for any style is drawn anyway."""
    view = view_of(None, drawn_state("─" * western_card_count + "S"))
    assert max(map(len, draw_mine(view).split("\n"))) == width


def test_ascii_drawing_contains_only_ascii_characters() -> None:
    assert all(draw_mine(view, style=ASCII_STYLE).isascii() for view in views_to_draw().values())
