"""Every action that a client could submit at a position, most of them illegal."""

from collections.abc import Iterator
from itertools import product

from engine.actions import (
    Action,
    Break,
    ChooseGoal,
    ChooseOrientation,
    Discard,
    Lay,
    Look,
    Pass,
    Repair,
    Rockfall,
    TakeGold,
)
from engine.cards import DECK, TOOLS, TURNED_SHAPES
from engine.cells import GOAL_CELLS, Cell, neighbours
from engine.view import View

CARDS = (*dict.fromkeys(DECK), "start", "goal-trbl", "path-tbl", "no-such-card", "")
"""Every card of the deck, cards that are never in a hand, and the name of a card laid turned."""
INVALID_CELLS = ("", "I", "5", "a5", "A-0", "ZZZ1", "A1000", "Z99", "-Z-99")


def conceivable_actions(view: View) -> Iterator[Action]:
    """Yield a superset of the legal actions, to check that the engine lists exactly the legal ones."""
    cells = tuple(_cells_to_try(view))
    seats = range(-1, view.seats + 1)
    hand = tuple(dict.fromkeys((*view.hand, "map", "path-trbl", "", "start")))
    yield Pass()
    yield from map(Discard, CARDS)
    yield from (
        Lay(card, cell, turned) for card, cell, turned in product(hand, cells, (False, True))
    )
    yield from (Break(card, seat) for card, seat in product(CARDS, seats))
    yield from (Repair(card, seat, tool) for card, seat, tool in product(CARDS, seats, TOOLS))
    for kind in (Rockfall, Look, ChooseGoal):
        yield from map(kind, cells)
    yield from (ChooseOrientation(turned) for turned in (False, True))
    yield from map(TakeGold, range(-1, 5))


def as_offered_by_engine(action: Action) -> Action:
    """Return the action as the engine offers it: a card that looks alike both ways lies as printed (R16, E35)."""
    if isinstance(action, Lay) and TURNED_SHAPES.get(action.card) == action.card:
        return Lay(action.card, action.cell)
    return action


def _cells_to_try(view: View) -> dict[Cell, None]:
    laid = list(view.mine.laid)
    neighbouring_cells = [
        cell for taken_cell in (*laid, *GOAL_CELLS) for cell in neighbours(taken_cell)
    ]
    return dict.fromkeys((*laid, *GOAL_CELLS, *neighbouring_cells, *INVALID_CELLS))
