"""The winning path drawn over the cards: a golden line with a nugget on the treasure, recognisable without colour by its beads."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from engine.cards import BOTTOM, LEFT, OPPOSITE_SIDE, RIGHT, TOP
from engine.cells import Cell, position
from webapp.picture.mine_box import Box
from webapp.picture.palette import Palette
from webapp.picture.symbols import picture_at
from webapp.picture.tunnels import CARD_HEIGHT, CARD_WIDTH

_SIDE_BY_STEP: Final = {(0, -1): TOP, (1, 0): RIGHT, (0, 1): BOTTOM, (-1, 0): LEFT}
_MIDDLE: Final = (CARD_WIDTH // 2, CARD_HEIGHT // 2)
_EDGE_MIDDLES: Final = {
    TOP: (30, 0),
    RIGHT: (CARD_WIDTH, 40),
    BOTTOM: (30, CARD_HEIGHT),
    LEFT: (0, 40),
}


def draw_golden_path(path: Sequence[Cell], box: Box, palette: Palette) -> str:
    """Draw the line through these cells, from the first to the last; nothing if there are none."""
    if len(path) < 2:  # noqa: PLR2004 - a line has two ends
        return ""
    line = "".join(_line_pieces(path, box))
    start, end = box.corner(path[0]), box.corner(path[-1])
    return (
        '<g class="golden-path" fill="none" stroke-linecap="round" stroke-linejoin="round">'
        f'<path d="{line}" stroke="{palette.gold_edge}" stroke-width="9"/>'
        f'<path d="{line}" stroke="{palette.gold}" stroke-width="6"/>'
        f'<path d="{line}" stroke="{palette.gold_glint}" stroke-width="3" stroke-dasharray=".1 10"/></g>'
        + "".join(picture_at(*corner, _end_mark(palette)) for corner in (start, end))
    )


def _end_mark(palette: Palette) -> str:
    x, y = _MIDDLE
    return f'<circle cx="{x}" cy="{y}" r="7" fill="{palette.gold_glint}" stroke="{palette.gold_edge}" stroke-width="2.5"/>'


def _line_pieces(path: Sequence[Cell], box: Box) -> Iterator[str]:
    """Yield the path data: from the middle of the first card, round the corners of bends, to the middle of the last."""
    entry = 0
    for cell, next_cell in pairwise(path):
        left, top = box.corner(cell)
        exit_side = _side_towards(cell, next_cell)
        if not entry:
            yield f"M{left + _MIDDLE[0]} {top + _MIDDLE[1]}"
        x, y = _EDGE_MIDDLES[exit_side]
        yield f"Q{left + _MIDDLE[0]} {top + _MIDDLE[1]} {left + x} {top + y}"
        entry = OPPOSITE_SIDE[exit_side]
    left, top = box.corner(path[-1])
    yield f"L{left + _MIDDLE[0]} {top + _MIDDLE[1]}"


def _side_towards(cell: Cell, neighbour: Cell) -> int:
    (x, y), (next_x, next_y) = position(cell), position(neighbour)
    return _SIDE_BY_STEP[next_x - x, next_y - y]
