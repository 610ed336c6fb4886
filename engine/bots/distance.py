"""The distance from the path to the goals: a rough estimate, in cards still to be laid."""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Final

from engine.cards import EDGES, SIDES, Shape
from engine.cells import GOAL_CELLS, Cell, label, neighbours
from engine.mine import Mine

UNREACHABLE_DISTANCE: Final = 99
"""The distance of a cell from which no goal can be reached."""
_SEARCHED_CELLS: Final = frozenset(
    label(x, y) for x in range(-2, 11) for y in range(-5, 6)
).difference(GOAL_CELLS)


def distances_to(goals: Iterable[Cell], mine: Mine) -> Mapping[Cell, int]:
    """Return for each empty cell near the mine the number of cards needed from it, inclusive, to the nearest of the goals.

    Disconnected paths cost nothing, because one card in the gap connects all of them.
    """
    distances = dict.fromkeys(goals, 0)
    empty_cells = _SEARCHED_CELLS - mine.laid.keys()
    frontier, distance = frozenset(distances), 0
    while frontier:
        distance += 1
        adjacent_cells = {
            cell for current_cell in frontier for cell in _cells_one_card_away(mine, current_cell)
        }
        frontier = empty_cells.intersection(adjacent_cells) - distances.keys()
        distances.update(dict.fromkeys(frontier, distance))
    return distances


def _cells_one_card_away(mine: Mine, cell: Cell) -> Collection[Cell]:
    """Return the neighbours of a cell, and the cells from which disconnected paths lead to it."""
    if not mine.disconnected:
        return neighbours(cell)
    found_cells, cells_to_visit, visited = set[Cell](), [cell], set[Cell]()
    while cells_to_visit:
        current_cell = cells_to_visit.pop()
        visited.add(current_cell)
        adjacent_cells = (
            neighbours(current_cell)
            if current_cell == cell
            else exits(current_cell, mine.laid[current_cell])
        )
        found_cells.update(adjacent_cells)
        cells_to_visit += [
            cell_behind
            for cell_behind in (mine.disconnected & set(adjacent_cells)) - visited
            if current_cell in exits(cell_behind, mine.laid[cell_behind])
        ]
    return found_cells


def open_ends(mine: Mine) -> frozenset[Cell]:
    """Return the empty cells and face-down goals to which a path from the start leads."""
    return frozenset(
        open_cell
        for cell in mine.reached_cells
        for open_cell in exits(cell, mine.laid[cell])
        if open_cell not in mine.laid
    )


# Bounded, because a view can hold any cell.
@lru_cache(maxsize=8192)
def exits(cell: Cell, shape: Shape) -> tuple[Cell, ...]:
    """Return the neighbours of a cell that the open edges of a card lying there face."""
    return tuple(
        neighbour
        for side, neighbour in zip(SIDES, neighbours(cell), strict=True)
        if EDGES[shape] & side
    )


def shortest_distance(distances: Mapping[Cell, int], cells: Iterable[Cell]) -> int:
    """Return the shortest distance of these cells; UNREACHABLE_DISTANCE if there is none."""
    return min(
        (distances.get(cell, UNREACHABLE_DISTANCE) for cell in cells), default=UNREACHABLE_DISTANCE
    )
