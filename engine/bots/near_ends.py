"""The open ends of a position in a rollout that a seat considers, and what blocks the path."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.bots.distance import (
    CROSSING,
    NEGLIGIBLE_GAIN,
    UNREACHABLE_CARD_COUNT,
    CardsNeededByCell,
    OpenEnds,
    exits,
    fewest_cards_from_exits,
)
from engine.cards import CONNECTS_EDGES, SHAPES
from engine.cells import Cell, neighbours
from engine.edge_masks import PATH_BITS, EdgeMask
from engine.mine import Mine

_MAX_EXTRA_CARDS: Final = 0.8
"""How many cards farther than the nearest open end others may be to be considered."""
_LEAST_PATH_MASK: Final = PATH_BITS & -PATH_BITS
_DEAD_END_SHAPES: Final = frozenset(shape for shape in SHAPES if not CONNECTS_EDGES[shape])


class NearEnds(NamedTuple):
    """The open ends of a position; it holds until a card is laid or removed."""

    all_ends: OpenEnds
    near_cells: Sequence[tuple[Cell, EdgeMask]]
    """The open ends that are nearest to the treasure, or nearly so, each with the edges it requires."""


def near_ends_of(mine: Mine, cards_needed_by_cell: CardsNeededByCell) -> NearEnds:
    """Return the open ends of a mine."""
    nearest_cell, cards_needed, cards_needed_elsewhere, max_cards = (
        None,
        UNREACHABLE_CARD_COUNT,
        UNREACHABLE_CARD_COUNT,
        UNREACHABLE_CARD_COUNT + _MAX_EXTRA_CARDS,
    )
    candidates: list[tuple[float, Cell, EdgeMask]] = []
    for cell, mask in mine.open_cells.items():
        if mask < _LEAST_PATH_MASK:
            continue
        cards = cards_needed_by_cell.get(cell, UNREACHABLE_CARD_COUNT)
        if cards > max_cards:
            continue
        candidates.append((cards, cell, mask))
        if cards < cards_needed:
            nearest_cell, cards_needed, cards_needed_elsewhere, max_cards = (
                cell,
                cards,
                cards_needed,
                cards + _MAX_EXTRA_CARDS,
            )
        elif cards < cards_needed_elsewhere:
            cards_needed_elsewhere = cards
    near_cells = [(cell, mask) for cards, cell, mask in candidates if cards <= max_cards]
    for cell in mine.reached_goals:
        cards_needed = min(cards_needed, cards_needed_by_cell[cell])
    return NearEnds(OpenEnds(nearest_cell, cards_needed, cards_needed_elsewhere), near_cells)


def cell_to_clear(
    mine: Mine, cards_needed: float, cards_needed_by_cell: CardsNeededByCell
) -> Cell | None:
    """Return the cell of a dead end in whose place a card would lead nearer than ``cards_needed``; None if there is none."""
    best_cell, fewest_cards = None, cards_needed - NEGLIGIBLE_GAIN
    for cell, shape in mine.laid.items():
        if shape in _DEAD_END_SHAPES and _is_reached(mine, cell):
            cards = 1 + fewest_cards_from_exits(mine, cell, CROSSING, cards_needed_by_cell)
            if cards < fewest_cards:
                best_cell, fewest_cards = cell, cards
    return best_cell


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
