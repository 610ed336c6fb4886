"""Cells of the mine have labels that never move: columns are letters, rows are numbers, as on a map.

The start lies at ``A5``; x grows to the right and y downward, so ``D5`` is three to the right of the start. West of the
start a minus stands before the letter (``-A5`` is the cell left of the start, ``-B5`` the next); north of row 1 come row
0, row -1 and so on (``C0``, ``C-1``). East of ``Z`` comes ``AA``. The maze is unbounded.
"""

import re
from functools import lru_cache
from typing import Final, TypeAlias

Cell: TypeAlias = str

START_CELL: Final[Cell] = "A5"
GOAL_CELLS: Final[tuple[Cell, Cell, Cell]] = ("I3", "I5", "I7")
"""Where the goals lie (R4): (8, -2), (8, 0), (8, 2)."""

MAX_DISTANCE: Final = 50
"""Columns or rows from the start beyond which no card can lie: there are forty path cards and three goals."""

_START_ROW: Final = 5
_LETTERS: Final = 26
_LABEL: Final = re.compile(r"(-?)([A-Z]{1,2})(0|-?[1-9][0-9]{0,2})")


# Bounded, as the tables below: a game file may name any cell.
@lru_cache(maxsize=16384)
def label(x: int, y: int) -> Cell:
    """The label of the cell at (x, y), counted from the start: x to the right, y downward."""
    column = _column(x) if x >= 0 else "-" + _column(-1 - x)
    return f"{column}{y + _START_ROW}"


@lru_cache(maxsize=4096)
def position(cell: Cell) -> tuple[int, int]:
    """The (x, y) of a cell. Raises ValueError when the label cannot be read."""
    found = _LABEL.fullmatch(cell)
    if found is None:
        message = "a cell is a column and a row, such as D5"
        raise ValueError(message)
    west, letters, row = found.groups()
    column = _number(letters)
    return (-1 - column if west else column), int(row) - _START_ROW


def is_cell(text: str) -> bool:
    """Whether a text is the label of a cell, whatever lies there."""
    return _LABEL.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def neighbours(cell: Cell) -> tuple[Cell, Cell, Cell, Cell]:
    """The neighbours of a cell: above, right, below, left."""
    x, y = position(cell)
    return label(x, y - 1), label(x + 1, y), label(x, y + 1), label(x - 1, y)


def _column(number: int) -> str:
    high, low = divmod(number, _LETTERS)
    return (chr(ord("A") + high - 1) if high else "") + chr(ord("A") + low)


def _number(letters: str) -> int:
    *high, low = (ord(letter) - ord("A") for letter in letters)
    return (high[0] + 1) * _LETTERS + low if high else low
