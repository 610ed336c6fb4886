"""The open ends of a position in a rollout that a seat considers, and what blocks the path."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.bots.distance import (
    CROSSING,
    NO_GAIN,
    UNREACHABLE,
    CardsFrom,
    OpenEnds,
    exits,
    fewest_from_exits,
)
from engine.cards import CONNECTS_EDGES, SHAPES
from engine.cells import Cell, neighbours
from engine.edge_masks import PATH_BITS, EdgeMask
from engine.mine import Mine

_NEAR: Final = 0.8
"""How many cards farther than the nearest open end others may be to be considered."""
_LEAST_PATH_MASK: Final = PATH_BITS & -PATH_BITS
_DEAD_END_SHAPES: Final = frozenset(shape for shape in SHAPES if not CONNECTS_EDGES[shape])


class NearEnds(NamedTuple):
    """The open ends of a position; it holds until a card is laid or removed."""

    all_ends: OpenEnds
    near: Sequence[tuple[Cell, EdgeMask]]
    """The open ends that are nearest to the treasure, or nearly so, each with the edges it requires."""


def near_ends_of(mine: Mine, cards_from: CardsFrom) -> NearEnds:
    """Return the open ends of a mine."""
    nearest, needed, elsewhere, farthest = None, UNREACHABLE, UNREACHABLE, UNREACHABLE + _NEAR
    candidates: list[tuple[float, Cell, EdgeMask]] = []
    for cell, mask in mine.open_cells.items():
        if mask < _LEAST_PATH_MASK:
            continue
        cards = cards_from.get(cell, UNREACHABLE)
        if cards > farthest:
            continue
        candidates.append((cards, cell, mask))
        if cards < needed:
            nearest, needed, elsewhere, farthest = cell, cards, needed, cards + _NEAR
        elif cards < elsewhere:
            elsewhere = cards
    near = [(cell, mask) for cards, cell, mask in candidates if cards <= farthest]
    for cell in mine.reached_goals:
        needed = min(needed, cards_from[cell])
    return NearEnds(OpenEnds(nearest, needed, elsewhere), near)


def clearing_of(mine: Mine, needed: float, cards_from: CardsFrom) -> Cell | None:
    """Return the cell of a dead end in whose place a card would lead nearer than ``needed``; None if there is none."""
    best, fewest = None, needed - NO_GAIN
    for cell, shape in mine.laid.items():
        if shape in _DEAD_END_SHAPES and _is_reached(mine, cell):
            cards = 1 + fewest_from_exits(mine, cell, CROSSING, cards_from)
            if cards < fewest:
                best, fewest = cell, cards
    return best


def _is_reached(mine: Mine, cell: Cell) -> bool:
    """Return whether a path from the start leads to a laid card."""
    laid = mine.laid
    return any(
        neighbour in laid
        and CONNECTS_EDGES[laid[neighbour]]
        and neighbour not in mine.disconnected
        and cell in exits(neighbour, laid[neighbour])
        for neighbour in neighbours(cell)
    )
