"""The distance from the path to the goals: a rough estimate, in cards still to be laid."""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Final

from engine.cards import EDGES, SIDES, Shape
from engine.cells import GOAL_CELLS, Cell, label, neighbours
from engine.mine import Mine

UNREACHABLE: Final = 99
"""The distance of a cell from which no goal can be reached."""
_SEARCHED_CELLS: Final = frozenset(
    label(x, y) for x in range(-2, 11) for y in range(-5, 6)
).difference(GOAL_CELLS)


def distances_to(goals: Iterable[Cell], mine: Mine) -> Mapping[Cell, int]:
    """Return for each empty cell near the mine the number of cards needed from it, inclusive, to the nearest of the goals.

    Disconnected paths cost nothing, because one card in the gap connects all of them.
    """
    found = dict.fromkeys(goals, 0)
    empty = _SEARCHED_CELLS - mine.laid.keys()
    frontier, distance = frozenset(found), 0
    while frontier:
        distance += 1
        beside = {cell for here in frontier for cell in _cells_one_card_away(mine, here)}
        frontier = empty.intersection(beside) - found.keys()
        found.update(dict.fromkeys(frontier, distance))
    return found


def _cells_one_card_away(mine: Mine, cell: Cell) -> Collection[Cell]:
    """Return the neighbours of a cell, and the cells from which disconnected paths lead to it."""
    if not mine.disconnected:
        return neighbours(cell)
    found, pending, visited = set[Cell](), [cell], set[Cell]()
    while pending:
        here = pending.pop()
        visited.add(here)
        beside = neighbours(here) if here == cell else exits(here, mine.laid[here])
        found.update(beside)
        pending += [
            back
            for back in (mine.disconnected & set(beside)) - visited
            if here in exits(back, mine.laid[back])
        ]
    return found


def open_ends(mine: Mine) -> frozenset[Cell]:
    """Return the empty cells and face-down goals to which a path from the start leads."""
    return frozenset(
        end
        for cell in mine.reached_cells
        for end in exits(cell, mine.laid[cell])
        if end not in mine.laid
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
    """Return the shortest distance of these cells; UNREACHABLE if there is none."""
    return min((distances.get(cell, UNREACHABLE) for cell in cells), default=UNREACHABLE)
