"""The labels of the cells of the mine, the edges that a cell requires of a path card, and how each card meets them.

The labels stay the same when the mine grows: characters A to Z for columns, numbers for rows. The start is at ``A5``; x
grows to the right and y downward, so ``D5`` is three cells to the right of the start. The columns left of the start are
named with a minus (``-A5`` is the cell left of the start, ``-B5`` the next one); the rows above row 1 are row 0, row -1
and so on (``C0``, ``C-1``). The column after ``Z`` is ``AA``. The mine is unbounded.

Precomputed tables say how each card meets the edges that an empty cell requires.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from struct import Struct
from typing import Final, TypeAlias

from engine.cards import CONNECTS_EDGES, EDGES, PATH_CARDS, SHAPES, TURNED_SHAPES, Card, Shape

EdgeMask: TypeAlias = int
"""The edges that an empty cell requires of a card (R15), as twelve bits.

The low four bits are edges that must be open, the next four are edges that must be wall. The high four bits (``PATH_BITS``)
are those of the open edges through which a path from the start leads into the cell.
"""

NO_REQUIREMENT: Final[EdgeMask] = 0
PATH_BITS: Final[EdgeMask] = 15 << 8

_STRICTEST_MASKS: Final[dict[Shape, EdgeMask]] = {
    shape: EDGES[shape] | (15 - EDGES[shape]) << 4 | EDGES[shape] << 8 for shape in SHAPES
}
"""The strictest mask that each shape meets."""

PATH_ENTRIES: Final[dict[Shape, EdgeMask]] = {
    shape: EDGES[shape] << 8 if CONNECTS_EDGES[shape] else 0 for shape in SHAPES
}
"""The ``PATH_BITS`` through which a path can enter each shape and continue; none for a dead end."""


def matches_mask(shape: Shape, mask: EdgeMask) -> bool:
    """Return whether the edges of a shape agree with a mask: open to open, wall to wall (R15)."""
    return _STRICTEST_MASKS[shape] & mask == mask


def _orientations(card: Card, mask: EdgeMask) -> tuple[bool, ...]:
    possible_orientations = (False,) if TURNED_SHAPES[card] == card else (False, True)
    return tuple(
        turned
        for turned in possible_orientations
        if matches_mask(TURNED_SHAPES[card] if turned else card, mask)
    )


ORIENTATIONS: Final[dict[Card, tuple[tuple[bool, ...], ...]]] = {
    card: tuple(_orientations(card, mask) for mask in range(256)) * 16 for card in PATH_CARDS
}
"""How each path card fits, indexed by edge mask: as printed (False), turned (True), both ways or not at all.

A card that looks the same both ways is listed as printed only (R16, E35). The ``PATH_BITS`` do not matter here, so the 256
entries are repeated for each of their 16 values.
"""

_COUNTS_STRUCT: Final = Struct(f"<{len(PATH_CARDS)}H")
_PACKED_COUNTS: Final = 16 * tuple(
    sum(len(ORIENTATIONS[card][mask]) << 16 * number for number, card in enumerate(PATH_CARDS))
    for mask in range(256)
)
"""The number of orientations of every path card, 16 bits each, indexed by edge mask: one sum counts them for all cards."""


PATH_CARD_NUMBERS: Final = {card: number for number, card in enumerate(PATH_CARDS)}
"""The position of each path card in the result of ``count_placements``."""


def count_placements(masks: Iterable[EdgeMask]) -> tuple[int, ...]:
    """Return the number of placements of every path card in cells with these edge masks."""
    packed_counts = sum(map(_PACKED_COUNTS.__getitem__, masks))
    return _COUNTS_STRUCT.unpack(packed_counts.to_bytes(_COUNTS_STRUCT.size, "little"))


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
