"""How far it is to the goals: a rough measure, in cards still to be laid."""

from collections.abc import Iterable, Mapping
from typing import Final

from engine.cards import EDGES, JOINED, SIDES, Shape
from engine.cells import GOAL_CELLS, Cell, around, label
from engine.mine import Mine

FAR: Final = 99
_FIELD: Final = frozenset(label(x, y) for x in range(-2, 11) for y in range(-5, 6))


def distances(mine: Mine, goals: Iterable[Cell]) -> Mapping[Cell, int]:
    """For each empty cell near the mine, how many cards it takes from there to the nearest of the goals, itself included.

    Stranded tunnels cost nothing: one card in the gap brings all of them back.
    """
    found = dict.fromkeys(goals, 0)
    border, far = set(found), 0
    while border:
        far += 1
        beside = {cell for here in border for cell in _beside(mine, here)}
        border = {cell for cell in beside if cell in _FIELD and cell not in found}
        found.update(dict.fromkeys(border, far))
    return found


def _beside(mine: Mine, cell: Cell) -> set[Cell]:
    """The empty cells from which one goes on to this one, next to it or through stranded tunnels."""
    ends, waiting, walked = set[Cell](), [cell], set[Cell]()
    while waiting:
        here = waiting.pop()
        walked.add(here)
        for beside in around(here) if here == cell else led_to(here, mine.laid[here]):
            if beside not in mine.laid and beside not in GOAL_CELLS:
                ends.add(beside)
            elif (
                beside not in walked
                and _is_stranded(mine, beside)
                and here in led_to(beside, mine.laid[beside])
            ):
                waiting.append(beside)
    return ends


def _is_stranded(mine: Mine, cell: Cell) -> bool:
    return cell in mine.laid and cell not in mine.joined


def open_ends(mine: Mine) -> frozenset[Cell]:
    """The empty cells and face-down goals to which a path from the start leads."""
    return frozenset(
        end for cell in mine.joined for end in led_to(cell, mine.laid[cell]) if end not in mine.laid
    )


def led_to(cell: Cell, shape: Shape) -> tuple[Cell, ...]:
    """The cells to which a path leads on from a card lying here; from a dead end, none."""
    if not JOINED[shape]:
        return ()
    return tuple(
        beside for side, beside in zip(SIDES, around(cell), strict=True) if EDGES[shape] & side
    )


def nearest(field: Mapping[Cell, int], cells: Iterable[Cell]) -> int:
    """The least distance of these cells; FAR when none of them leads anywhere."""
    return min((field.get(cell, FAR) for cell in cells), default=FAR)
