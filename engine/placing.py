"""The check of where a path card may be laid (R13-R16, R25, E6, E23-E25, E35, E36)."""

from typing import Final

from engine.actions import Lay
from engine.cards import TURNED_SHAPES, Shape
from engine.cells import GOAL_CELLS, Cell, is_cell, neighbours
from engine.edge_masks import matches_mask
from engine.errors import IllegalAction, Reason
from engine.mine import Mine

_CELLS_BESIDE_GOALS: Final = frozenset(cell for goal in GOAL_CELLS for cell in neighbours(goal))


def shape_to_lay(mine: Mine, lay: Lay) -> Shape:
    """Return the shape in which the card will lie; as printed if it looks the same both ways (R16, E35).

    Raises IllegalAction if the rules in force do not allow the placement.
    """
    mask = mine.open_cells.get(lay.cell)
    if mask is None:
        raise IllegalAction(_closed_cell_reason(mine, lay.cell))
    shape = TURNED_SHAPES[lay.card] if lay.turned else lay.card
    if not matches_mask(shape, mask):
        raise IllegalAction(Reason.EDGES_DIFFER)
    return shape


def _closed_cell_reason(mine: Mine, cell: Cell) -> Reason:
    if not is_cell(cell):
        return Reason.NO_SUCH_CELL
    if cell in mine.laid or cell in GOAL_CELLS:
        return Reason.CELL_TAKEN
    if mine.edge_mask(cell):
        return Reason.GOAL_ALONE if mine.reached_neighbours(cell) else Reason.NOT_CONNECTED
    return Reason.GOAL_ALONE if cell in _CELLS_BESIDE_GOALS else Reason.NOT_BESIDE
