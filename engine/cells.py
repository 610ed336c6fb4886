"""Labels of the cells of the mine, which stay the same when the mine grows: characters A to Z for columns, numbers for rows.

The start is at ``A5``; x grows to the right and y downward, so ``D5`` is three cells to the right of the start. The columns
left of the start are named with a minus (``-A5`` is the cell left of the start, ``-B5`` the next one); the rows above row 1
are row 0, row -1 and so on (``C0``, ``C-1``). The column after ``Z`` is ``AA``. The mine is unbounded.
"""

import re
from functools import lru_cache
from typing import Final, TypeAlias

Cell: TypeAlias = str

START_CELL: Final[Cell] = "A5"
GOAL_CELLS: Final[tuple[Cell, Cell, Cell]] = ("I3", "I5", "I7")
"""The cells of the three goals, top first (R4): (8, -2), (8, 0), (8, 2)."""

MAX_DISTANCE_FROM_START: Final = 50
"""The largest distance of a card from the start, in columns or rows: there are 40 path cards and 3 goals."""

_START_ROW: Final = 5
_ALPHABET_SIZE: Final = 26
_LABEL_PATTERN: Final = re.compile(r"(-?)([A-Z]{1,2})(0|-?[1-9][0-9]{0,2})")


# The caches in this module are bounded because a game file can name any cell.
@lru_cache(maxsize=16384)
def label(x: int, y: int) -> Cell:
    """Return the label of the cell at (x, y), counted from the start: x to the right, y downward."""
    column = _column_name(x) if x >= 0 else "-" + _column_name(-1 - x)
    return f"{column}{y + _START_ROW}"


@lru_cache(maxsize=4096)
def position(cell: Cell) -> tuple[int, int]:
    """Return the (x, y) of a cell, counted from the start. Raises ValueError for an invalid label."""
    match = _LABEL_PATTERN.fullmatch(cell)
    if match is None:
        message = "a cell is a column and a row, such as D5"
        raise ValueError(message)
    minus, column_name, row = match.groups()
    column = _column_index(column_name)
    return (-1 - column if minus else column), int(row) - _START_ROW


def is_cell(text: str) -> bool:
    """Return whether a text is a valid cell label."""
    return _LABEL_PATTERN.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def neighbours(cell: Cell) -> tuple[Cell, Cell, Cell, Cell]:
    """Return the neighbours of a cell: above, right, below, left."""
    x, y = position(cell)
    return label(x, y - 1), label(x + 1, y), label(x, y + 1), label(x - 1, y)


def _column_name(index: int) -> str:
    high_digit, low_digit = divmod(index, _ALPHABET_SIZE)
    return (chr(ord("A") + high_digit - 1) if high_digit else "") + chr(ord("A") + low_digit)


def _column_index(name: str) -> int:
    *high_digit, low_digit = (ord(character) - ord("A") for character in name)
    return (high_digit[0] + 1) * _ALPHABET_SIZE + low_digit if high_digit else low_digit
