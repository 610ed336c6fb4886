"""The mine as text, for letters, terminals and tests: three lines for each row, five columns for each column.

What the signs say, in the style ``BOXES``:

- heavy lines are paths that an unbroken way joins to the start, light ones are not joined to it;
- an ``x`` with a gap around it is a dead end: nothing goes through;
- double corners are around the start (``S``) and around goals that were turned over: ``$`` is the treasure, ``#`` is stone,
  without paths while it is still to be said which way round it lies;
- a closed frame is a face-down goal: ``?``, or what one's own map has shown;
- round corners are around the card laid last;
- a dot is a place where a path card may go.

Rows and columns carry the labels of :mod:`engine.cells`. A mine that is too wide is drawn with narrower cells.
"""

from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from engine.cards import BOTTOM, CONNECTS_EDGES, EDGES, LEFT, RIGHT, START, TOP, Goal, Shape
from engine.cells import GOAL_CELLS, Cell, label, position
from engine.view import View

EMAIL_WIDTH: Final = 72
"""Columns that a plain-text letter has."""

_WIDE: Final = 5
_NARROW: Final = 3
_REMEMBERED: Final = 1024
_VERTICAL: Final = TOP | BOTTOM
_HORIZONTAL: Final = RIGHT | LEFT


class Style(NamedTuple):
    """The signs of a drawing: lines by the mask of open edges; corners from top left to bottom right."""

    joined: str
    stranded: str
    dead_end: str
    place: str
    special: str
    """Corners of the start and of turned goals."""
    last: str
    """Corners of the card laid last."""
    closed: str
    """Corners of a face-down goal, then its top and its side."""
    start: str = "S"
    treasure: str = "$"
    stone: str = "#"
    unknown: str = "?"


BOXES: Final = Style(
    joined=" ╹╺┗╻┃┏┣╸┛━┻┓┫┳╋",
    stranded=" ╵╶└╷│┌├╴┘─┴┐┤┬┼",
    dead_end="x",
    place="·",
    special="╔╗╚╝",
    last="╭╮╰╯",
    closed="┌┐└┘─│",
)
ASCII: Final = Style(
    joined=" |-+||++-+-+++++",
    stranded=" :~+::++~+~+++++",
    dead_end="x",
    place=".",
    special="/\\\\/",
    last="<><>",
    closed="++++-|",
)


def draw(view: View, *, style: Style = BOXES, width: int = EMAIL_WIDTH) -> str:
    """The mine as a seat knows it, in lines without trailing blanks; at most ``width`` columns wide if it can be."""
    xs, ys = _extent(view)
    margin = max(len(_row_label(y)) for y in ys) + 1
    broad = _WIDE if margin + _WIDE * len(xs) <= width else _NARROW
    pen = _Pen(view, style, broad, view.mine.reached_cells)
    header = " " * margin + "".join(_column_label(x, broad) for x in xs)
    rows = (line for y in ys for line in _row(pen, xs, y, margin))
    return "\n".join(line.rstrip() for line in (header, *rows))


def _extent(view: View) -> tuple[range, range]:
    xs, ys = zip(*map(position, (*view.mine.laid, *view.mine.open_cells, *GOAL_CELLS)), strict=True)
    return range(min(xs), max(xs) + 1), range(min(ys), max(ys) + 1)


def _row(pen: "_Pen", xs: range, y: int, margin: int) -> tuple[str, str, str]:
    cells = [pen.cell(label(x, y)) for x in xs]
    above, middle, below = map("".join, zip(*cells, strict=True))
    blank, beside = " " * margin, _row_label(y).rjust(margin - 1) + " "
    return blank + above, beside + middle, blank + below


def _row_label(y: int) -> str:
    return label(0, y).removeprefix("A")


def _column_label(x: int, broad: int) -> str:
    letters = label(x, 0).removesuffix("5")
    return letters.rjust(broad // 2 + 1).ljust(broad)


_Strips: TypeAlias = tuple[str, str, str]


class _Pen(NamedTuple):
    """Draws cells of one view: each is three strips of text, ``broad`` columns wide."""

    view: View
    style: Style
    broad: int
    joined: AbstractSet[Cell]

    def cell(self, cell: Cell) -> _Strips:
        shape = self.view.mine.laid.get(cell)
        if shape is not None:
            lines = self.style.joined if cell in self.joined else self.style.stranded
            return _card(shape, self._sign(cell, shape), lines, self._corners(cell), self.broad)
        if cell in GOAL_CELLS:
            return self._goal_card(GOAL_CELLS.index(cell))
        return _bare(
            self.style.place if cell in self.view.mine.open_cells else "", "    ", self.broad
        )

    def _goal_card(self, place: int) -> _Strips:
        """A goal without paths: face down, or turned over and still to be laid one way round (E7)."""
        sign = self._goal(self.view.goals[place])
        if self.view.turned[place]:
            return _bare(sign, self.style.special, self.broad)
        corners, top, side = self.style.closed[:4], self.style.closed[4], self.style.closed[5]
        bar = top * (self.broad - 2)
        return (
            corners[0] + bar + corners[1],
            side + sign.center(self.broad - 2) + side,
            corners[2] + bar + corners[3],
        )

    def _sign(self, cell: Cell, shape: Shape) -> str:
        """What stands in the middle of a card; nothing where its lines meet."""
        if shape == START:
            return self.style.start
        if cell in GOAL_CELLS:
            return self._goal(self.view.goals[GOAL_CELLS.index(cell)])
        return "" if CONNECTS_EDGES[shape] else self.style.dead_end

    def _goal(self, goal: Goal | None) -> str:
        if goal is None:
            return self.style.unknown
        return self.style.treasure if goal == "treasure" else self.style.stone

    def _corners(self, cell: Cell) -> str:
        if cell in GOAL_CELLS or self.view.mine.laid[cell] == START:
            return self.style.special
        return self.style.last if cell == self.view.last_laid else " " * 4


@lru_cache(maxsize=_REMEMBERED)
def _card(shape: Shape, sign: str, lines: str, corners: str, broad: int) -> _Strips:
    """A card with its paths. Few look different, and they lie in drawing after drawing."""
    edges = EDGES[shape]
    above = lines[_VERTICAL] if edges & TOP else ""
    below = lines[_VERTICAL] if edges & BOTTOM else ""
    return (
        _strip(above, corners[:2], broad),
        _middle(shape, sign or lines[edges], lines, broad),
        _strip(below, corners[2:], broad),
    )


def _middle(shape: Shape, centre: str, lines: str, broad: int) -> str:
    edges, arm = EDGES[shape], broad // 2
    left = (lines[_HORIZONTAL] if edges & LEFT else " ") * arm
    right = (lines[_HORIZONTAL] if edges & RIGHT else " ") * arm
    if not CONNECTS_EDGES[shape]:
        # A narrow arm has no room for the gap; the sign in the middle must do.
        left, right = left[: max(arm - 1, 1)].ljust(arm), right[: max(arm - 1, 1)].rjust(arm)
    return left + centre + right


@lru_cache(maxsize=_REMEMBERED)
def _bare(sign: str, corners: str, broad: int) -> _Strips:
    """A cell without paths."""
    blank = " " * 2
    return (
        _strip("", corners[:2], broad),
        _strip(sign, blank, broad),
        _strip("", corners[2:], broad),
    )


def _strip(sign: str, corners: str, broad: int) -> str:
    return corners[0] + sign.center(broad - 2) + corners[1]
