"""The path by which a round was won: from the start to the treasure through cards that lie in the mine (R34)."""

from collections import deque

from engine.cards import CONNECTS_EDGES, EDGES, GOAL_SHAPES, OPPOSITE_SIDE, SIDES
from engine.cells import START_CELL, Cell, neighbours
from engine.mine import Mine

_TREASURE_SHAPE = GOAL_SHAPES["treasure"][0]


def winning_path(mine: Mine) -> tuple[Cell, ...]:
    """Return the cells of a shortest unbroken path from the start to the treasure, both included; none if there is no such path.

    Of paths of the same length it is always the same one, so that all players see the same picture.
    """
    came_from: dict[Cell, Cell | None] = {START_CELL: None}
    cells = deque([START_CELL])
    while cells:
        cell = cells.popleft()
        if mine.laid[cell] == _TREASURE_SHAPE:
            return _way_back(cell, came_from)
        for neighbour in _joined_neighbours(mine, cell):
            if neighbour not in came_from:
                came_from[neighbour] = cell
                cells.append(neighbour)
    return ()


def _way_back(cell: Cell, came_from: dict[Cell, Cell | None]) -> tuple[Cell, ...]:
    path, earlier = [cell], came_from[cell]
    while earlier is not None:
        path.append(earlier)
        earlier = came_from[earlier]
    return tuple(reversed(path))


def _joined_neighbours(mine: Mine, cell: Cell) -> list[Cell]:
    """Return the neighbours that share an open edge with a card; an edge that meets a wall joins nothing (E7, E8)."""
    laid, edges = mine.laid, EDGES[mine.laid[cell]]
    return [
        neighbour
        for side, neighbour in zip(SIDES, neighbours(cell), strict=True)
        if edges & side
        and neighbour in laid
        and CONNECTS_EDGES[laid[neighbour]]
        and EDGES[laid[neighbour]] & OPPOSITE_SIDE[side]
    ]
