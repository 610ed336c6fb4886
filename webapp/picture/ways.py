"""Where the tunnels of a card run, as path data in a box of 60 by 80.

Every tunnel leaves its card in the middle of a side, at a right angle, so that neighbouring cards join without a seam. A straight tunnel is one
line and not two arms, so that its rails pass through a junction unbroken. A dead end has stubs that do not meet.
"""

from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from engine.cards import BOTTOM, CONNECTS_EDGES, EDGES, LEFT, RIGHT, TOP, Shape


class _Way(NamedTuple):
    """A line from a point; the rest of its path data is relative, so that it can lie in any cell."""

    x: int
    y: int
    line: str


_ACROSS: Final = _Way(0, 40, "c12 0 19-2 30 0s18 0 30 0")
_DOWN: Final = _Way(30, 0, "c0 16 1.5 26 0 40s0 24 0 40")
_ARMS: Final = {
    TOP: _Way(30, 0, "c0 16 1.5 26 0 40"),
    RIGHT: _Way(60, 40, "c-12 0-19 2-30 0"),
    BOTTOM: _Way(30, 80, "c0-16-1.5-26 0-40"),
    LEFT: _Way(0, 40, "c12 0 19-2 30 0"),
}
_BENDS: Final = {
    TOP | RIGHT: _Way(30, 0, "c0 25 9 40 30 40"),
    RIGHT | BOTTOM: _Way(60, 40, "c-21 0-30 15-30 40"),
    BOTTOM | LEFT: _Way(30, 80, "c0-25-9-40-30-40"),
    LEFT | TOP: _Way(0, 40, "c21 0 30-15 30-40"),
}
_STUBS: Final = {
    TOP: _Way(30, 0, "v21"),
    RIGHT: _Way(60, 40, "h-14"),
    BOTTOM: _Way(30, 80, "v-21"),
    LEFT: _Way(0, 40, "h14"),
}


@cache
def way_data(shape: Shape, x: int = 0, y: int = 0) -> str:
    """Return the path data of a card's tunnels, if its corner lies at this point."""
    return "".join(f"M{x + way.x} {y + way.y}{way.line}" for way in _ways_of(shape))


@cache
def _ways_of(shape: Shape) -> tuple[_Way, ...]:
    edges = EDGES[shape]
    if not CONNECTS_EDGES[shape]:
        return tuple(way for side, way in _STUBS.items() if edges & side)
    return (_BENDS[edges],) if edges in _BENDS else tuple(_through_ways(edges))


def _through_ways(edges: int) -> Iterator[_Way]:
    across, down = LEFT | RIGHT, TOP | BOTTOM
    if edges & across == across:
        yield _ACROSS
        edges &= ~across
    if edges & down == down:
        yield _DOWN
        edges &= ~down
    yield from (way for side, way in _ARMS.items() if edges & side)
