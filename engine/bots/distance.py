"""How far it is to the goals: a rough measure, in cards still to be laid."""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Final

from engine.cards import EDGES, SIDES, Shape
from engine.cells import GOAL_CELLS, Cell, label, neighbours
from engine.mine import Mine

FAR: Final = 99
_FIELD: Final = frozenset(label(x, y) for x in range(-2, 11) for y in range(-5, 6))
_GROUND: Final = _FIELD.difference(GOAL_CELLS)


def distances(mine: Mine, goals: Iterable[Cell]) -> Mapping[Cell, int]:
    """For each empty cell near the mine, how many cards it takes from there to the nearest of the goals, itself included.

    Stranded tunnels cost nothing: one card in the gap brings all of them back.
    """
    found = dict.fromkeys(goals, 0)
    empty = _GROUND - mine.laid.keys()
    border, far = frozenset(found), 0
    while border:
        far += 1
        beside = {cell for here in border for cell in _beside(mine, here)}
        border = empty.intersection(beside) - found.keys()
        found.update(dict.fromkeys(border, far))
    return found


def _beside(mine: Mine, cell: Cell) -> Collection[Cell]:
    """The cells next to this one, and those from which stranded tunnels lead to it."""
    if not mine.disconnected:
        return neighbours(cell)
    ends, waiting, walked = set[Cell](), [cell], set[Cell]()
    while waiting:
        here = waiting.pop()
        walked.add(here)
        beside = neighbours(here) if here == cell else led_to(here, mine.laid[here])
        ends.update(beside)
        waiting += [
            back
            for back in (mine.disconnected & set(beside)) - walked
            if here in led_to(back, mine.laid[back])
        ]
    return ends


def open_ends(mine: Mine) -> frozenset[Cell]:
    """The empty cells and face-down goals to which a path from the start leads."""
    return frozenset(
        end
        for cell in mine.reached_cells
        for end in led_to(cell, mine.laid[cell])
        if end not in mine.laid
    )


# Bounded, for anybody may ask about any cell.
@lru_cache(maxsize=8192)
def led_to(cell: Cell, shape: Shape) -> tuple[Cell, ...]:
    """The cells to which a path leads on from a card lying here that is no dead end."""
    return tuple(
        beside for side, beside in zip(SIDES, neighbours(cell), strict=True) if EDGES[shape] & side
    )


def nearest(field: Mapping[Cell, int], cells: Iterable[Cell]) -> int:
    """The least distance of these cells; FAR when none of them leads anywhere."""
    return min((field.get(cell, FAR) for cell in cells), default=FAR)
