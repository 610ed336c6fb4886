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

from typing import Final, NamedTuple

from engine.cards import BOTTOM, EDGES, JOINED, LEFT, RIGHT, START, TOP, Goal, Shape
from engine.cells import GOAL_CELLS, Cell, label, position
from engine.view import View

LETTER_WIDTH: Final = 72
"""Columns that a plain-text letter has."""

_WIDE: Final = 5
_NARROW: Final = 3
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


def draw(view: View, *, style: Style = BOXES, width: int = LETTER_WIDTH) -> str:
    """The mine as a seat knows it, in lines without trailing blanks; at most ``width`` columns wide if it can be."""
    xs, ys = _extent(view)
    margin = max(len(_row_label(y)) for y in ys) + 1
    broad = _WIDE if margin + _WIDE * len(xs) <= width else _NARROW
    pen = _Pen(view, style, broad)
    header = " " * margin + "".join(_column_label(x, broad) for x in xs)
    rows = (line for y in ys for line in _row(pen, xs, y, margin))
    return "\n".join(line.rstrip() for line in (header, *rows))


def _extent(view: View) -> tuple[range, range]:
    xs, ys = zip(*map(position, (*view.mine.laid, *view.mine.places, *GOAL_CELLS)), strict=True)
    return range(min(xs), max(xs) + 1), range(min(ys), max(ys) + 1)


def _row(pen: "_Pen", xs: range, y: int, margin: int) -> tuple[str, str, str]:
    cells = [pen.cell(label(x, y)) for x in xs]
    above, middle, below = ("".join(cell[strip] for cell in cells) for strip in range(3))
    blank, beside = " " * margin, _row_label(y).rjust(margin - 1) + " "
    return blank + above, beside + middle, blank + below


def _row_label(y: int) -> str:
    return label(0, y).removeprefix("A")


def _column_label(x: int, broad: int) -> str:
    letters = label(x, 0).removesuffix("5")
    return letters.rjust(broad // 2 + 1).ljust(broad)


class _Pen(NamedTuple):
    """Draws cells of one view: each is three strips of text, ``broad`` columns wide."""

    view: View
    style: Style
    broad: int

    def cell(self, cell: Cell) -> tuple[str, str, str]:
        shape = self.view.mine.laid.get(cell)
        if shape is not None:
            return self._card(cell, shape)
        if cell in GOAL_CELLS:
            return self._goal_card(GOAL_CELLS.index(cell))
        dot = self.style.place if cell in self.view.mine.places else ""
        return self._strip(""), self._strip(dot), self._strip("")

    def _goal_card(self, place: int) -> tuple[str, str, str]:
        """A goal without paths: face down, or turned over and still to be laid one way round (E7)."""
        sign = self._goal(self.view.goals[place])
        if self.view.turned[place]:
            corners = self.style.special
            return self._strip("", corners[:2]), self._strip(sign), self._strip("", corners[2:])
        corners, top, side = self.style.closed[:4], self.style.closed[4], self.style.closed[5]
        bar = top * (self.broad - 2)
        return (
            corners[0] + bar + corners[1],
            side + sign.center(self.broad - 2) + side,
            corners[2] + bar + corners[3],
        )

    def _card(self, cell: Cell, shape: Shape) -> tuple[str, str, str]:
        lines = self.style.joined if cell in self.view.mine.joined else self.style.stranded
        edges, corners = EDGES[shape], self._corners(cell)
        above = lines[_VERTICAL] if edges & TOP else ""
        below = lines[_VERTICAL] if edges & BOTTOM else ""
        return (
            self._strip(above, corners[:2]),
            self._middle(cell, shape, lines),
            self._strip(below, corners[2:]),
        )

    def _middle(self, cell: Cell, shape: Shape, lines: str) -> str:
        edges, arm = EDGES[shape], self.broad // 2
        left = (lines[_HORIZONTAL] if edges & LEFT else " ") * arm
        right = (lines[_HORIZONTAL] if edges & RIGHT else " ") * arm
        if not JOINED[shape]:
            # A narrow arm has no room for the gap; the sign in the middle must do.
            left, right = left[: max(arm - 1, 1)].ljust(arm), right[: max(arm - 1, 1)].rjust(arm)
        return left + self._centre(cell, shape, lines) + right

    def _centre(self, cell: Cell, shape: Shape, lines: str) -> str:
        if shape == START:
            return self.style.start
        if cell in GOAL_CELLS:
            return self._goal(self.view.goals[GOAL_CELLS.index(cell)])
        return lines[EDGES[shape]] if JOINED[shape] else self.style.dead_end

    def _goal(self, goal: Goal | None) -> str:
        if goal is None:
            return self.style.unknown
        return self.style.treasure if goal == "treasure" else self.style.stone

    def _corners(self, cell: Cell) -> str:
        if cell in GOAL_CELLS or self.view.mine.laid[cell] == START:
            return self.style.special
        return self.style.last if cell == self.view.last_laid else " " * 4

    def _strip(self, sign: str, corners: str = "  ") -> str:
        return corners[0] + sign.center(self.broad - 2) + corners[1]
