"""The mine as text, for emails, terminals and tests: each cell is three lines high and five characters wide.

The symbols of the style ``BOXES``:

- heavy lines are cards that a path joins to the start, light lines are disconnected cards;
- an ``x`` with a gap around it is a dead end;
- double corners mark the start (``S``) and goals that lie face up: ``$`` is the treasure, ``#`` a stone, drawn without paths
  until its orientation is chosen;
- a closed frame is a face-down goal: ``?``, or the goal that the viewer saw with a map;
- round corners mark the card laid last;
- a dot is an open cell, where a path card may be laid.

Rows and columns have the labels of :mod:`engine.cells`. A mine that is too wide is drawn with cells three characters wide.
"""

from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from engine.cards import BOTTOM, CONNECTS_EDGES, EDGES, LEFT, RIGHT, START_SHAPE, TOP, Goal, Shape
from engine.cells import GOAL_CELLS, Cell, label, position
from engine.view import View

EMAIL_WIDTH: Final = 72
"""The width of a plain-text email, in characters."""

_WIDE_CELL_WIDTH: Final = 5
_NARROW_CELL_WIDTH: Final = 3
_CACHE_SIZE: Final = 1024
_VERTICAL_EDGES: Final = TOP | BOTTOM
_HORIZONTAL_EDGES: Final = RIGHT | LEFT


class Style(NamedTuple):
    """The symbols of a drawing: lines are indexed by the mask of open edges, corners go from top left to bottom right."""

    reached_lines: str
    """Lines of a card that a path joins to the start."""
    disconnected_lines: str
    """Lines of any other card."""
    dead_end: str
    open_cell: str
    face_up_corners: str
    """Corners of the start and of goals that lie face up."""
    last_laid_corners: str
    """Corners of the card laid last."""
    face_down_corners: str
    """Corners of a face-down goal, then its horizontal and its vertical side."""
    start: str = "S"
    treasure: str = "$"
    stone: str = "#"
    unknown_goal: str = "?"


BOX_STYLE: Final = Style(
    reached_lines=" ╹╺┗╻┃┏┣╸┛━┻┓┫┳╋",
    disconnected_lines=" ╵╶└╷│┌├╴┘─┴┐┤┬┼",
    dead_end="x",
    open_cell="·",
    face_up_corners="╔╗╚╝",
    last_laid_corners="╭╮╰╯",
    face_down_corners="┌┐└┘─│",
)
ASCII_STYLE: Final = Style(
    reached_lines=" |-+||++-+-+++++",
    disconnected_lines=" :~+::++~+~+++++",
    dead_end="x",
    open_cell=".",
    face_up_corners="/\\\\/",
    last_laid_corners="<><>",
    face_down_corners="++++-|",
)


def draw_mine(view: View, *, style: Style = BOX_STYLE, width: int = EMAIL_WIDTH) -> str:
    """Return the mine as a viewer knows it, in lines without trailing spaces.

    The drawing is at most ``width`` characters wide if the narrow cells fit.
    """
    xs, ys = _visible_ranges(view)
    margin = max(len(_row_label(y)) for y in ys) + 1
    cell_width = (
        _WIDE_CELL_WIDTH if margin + _WIDE_CELL_WIDTH * len(xs) <= width else _NARROW_CELL_WIDTH
    )
    drawer = _CellDrawer(view, style, cell_width, view.mine.reached_cells)
    header = " " * margin + "".join(_column_label(x, cell_width) for x in xs)
    rows = (line for y in ys for line in _row_lines(drawer, xs, y, margin))
    return "\n".join(line.rstrip() for line in (header, *rows))


def _visible_ranges(view: View) -> tuple[range, range]:
    xs, ys = zip(*map(position, (*view.mine.laid, *view.mine.open_cells, *GOAL_CELLS)), strict=True)
    return range(min(xs), max(xs) + 1), range(min(ys), max(ys) + 1)


def _row_lines(drawer: "_CellDrawer", xs: range, y: int, margin: int) -> tuple[str, str, str]:
    cells = [drawer.cell(label(x, y)) for x in xs]
    top_line, middle, bottom_line = map("".join, zip(*cells, strict=True))
    spaces, row_label = " " * margin, _row_label(y).rjust(margin - 1) + " "
    return spaces + top_line, row_label + middle, spaces + bottom_line


def _row_label(y: int) -> str:
    return label(0, y).removeprefix("A")


def _column_label(x: int, width: int) -> str:
    column = label(x, 0).removesuffix("5")
    return column.rjust(width // 2 + 1).ljust(width)


_Strips: TypeAlias = tuple[str, str, str]


class _CellDrawer(NamedTuple):
    """Draws the cells of one view, each as three strips of text that are ``width`` characters wide."""

    view: View
    style: Style
    width: int
    reached_cells: AbstractSet[Cell]

    def cell(self, cell: Cell) -> _Strips:
        shape = self.view.mine.laid.get(cell)
        if shape is not None:
            lines = (
                self.style.reached_lines
                if cell in self.reached_cells
                else self.style.disconnected_lines
            )
            return _card_strips(
                shape, self._symbol(cell, shape), lines, self._corners(cell), self.width
            )
        if cell in GOAL_CELLS:
            return self._goal_without_paths(GOAL_CELLS.index(cell))
        return _strips_without_paths(
            self.style.open_cell if cell in self.view.mine.open_cells else "", "    ", self.width
        )

    def _goal_without_paths(self, index: int) -> _Strips:
        """Draw a goal that lies face down, or whose orientation is still to be chosen (E7)."""
        symbol = self._goal_symbol(self.view.goals[index])
        if self.view.turned[index]:
            return _strips_without_paths(symbol, self.style.face_up_corners, self.width)
        top_left, top_right, bottom_left, bottom_right, horizontal_line, vertical_line = tuple(
            self.style.face_down_corners
        )
        inner_width = self.width - 2
        return (
            top_left + horizontal_line * inner_width + top_right,
            vertical_line + symbol.center(inner_width) + vertical_line,
            bottom_left + horizontal_line * inner_width + bottom_right,
        )

    def _symbol(self, cell: Cell, shape: Shape) -> str:
        """Return the symbol in the middle of a card; empty for a path card, whose lines meet there."""
        if shape == START_SHAPE:
            return self.style.start
        if cell in GOAL_CELLS:
            return self._goal_symbol(self.view.goals[GOAL_CELLS.index(cell)])
        return "" if CONNECTS_EDGES[shape] else self.style.dead_end

    def _goal_symbol(self, goal: Goal | None) -> str:
        if goal is None:
            return self.style.unknown_goal
        return self.style.treasure if goal == "treasure" else self.style.stone

    def _corners(self, cell: Cell) -> str:
        if cell in GOAL_CELLS or self.view.mine.laid[cell] == START_SHAPE:
            return self.style.face_up_corners
        return self.style.last_laid_corners if cell == self.view.last_laid else " " * 4


@lru_cache(maxsize=_CACHE_SIZE)
def _card_strips(shape: Shape, symbol: str, lines: str, corners: str, width: int) -> _Strips:
    """Draw a card with its paths. The cache pays off because few cards look different."""
    edges = EDGES[shape]
    top_line = lines[_VERTICAL_EDGES] if edges & TOP else ""
    bottom_line = lines[_VERTICAL_EDGES] if edges & BOTTOM else ""
    return (
        _symbol_between_corners(top_line, corners[:2], width),
        _middle_strip(shape, symbol or lines[edges], lines, width),
        _symbol_between_corners(bottom_line, corners[2:], width),
    )


def _middle_strip(shape: Shape, centre_symbol: str, lines: str, width: int) -> str:
    edges, arm_width = EDGES[shape], width // 2
    left_arm = (lines[_HORIZONTAL_EDGES] if edges & LEFT else " ") * arm_width
    right_arm = (lines[_HORIZONTAL_EDGES] if edges & RIGHT else " ") * arm_width
    if not CONNECTS_EDGES[shape]:
        # A narrow cell has no room for the gap, only for the symbol in the middle.
        left_arm, right_arm = (
            left_arm[: max(arm_width - 1, 1)].ljust(arm_width),
            right_arm[: max(arm_width - 1, 1)].rjust(arm_width),
        )
    return left_arm + centre_symbol + right_arm


@lru_cache(maxsize=_CACHE_SIZE)
def _strips_without_paths(symbol: str, corners: str, width: int) -> _Strips:
    """Draw a cell without paths."""
    return (
        _symbol_between_corners("", corners[:2], width),
        _symbol_between_corners(symbol, "  ", width),
        _symbol_between_corners("", corners[2:], width),
    )


def _symbol_between_corners(symbol: str, corners: str, width: int) -> str:
    return corners[0] + symbol.center(width - 2) + corners[1]
