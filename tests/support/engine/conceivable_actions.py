"""Every action that anybody could think of at a position, most of them absurd."""

from collections.abc import Iterator
from itertools import product

from engine.actions import (
    Action,
    Break,
    ChooseGoal,
    Discard,
    Lay,
    Look,
    Pass,
    Repair,
    Rockfall,
    TakeGold,
    TurnGoal,
)
from engine.cards import DECK, TOOLS, TURNED
from engine.cells import GOAL_CELLS, Cell, neighbours
from engine.view import View

CARDS = (*dict.fromkeys(DECK), "start", "goal-trbl", "path-tbl", "no-such-card", "")
"""Every card, cards that are never in a hand, and a card as it lies when it is turned."""
ODD_CELLS = ("", "I", "5", "a5", "A-0", "ZZZ1", "A1000", "Z99", "-Z-99")


def conceivable_actions(view: View) -> Iterator[Action]:
    """The universe over which legal actions must be complete."""
    cells = tuple(_cells_of_interest(view))
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
    yield from (TurnGoal(turned) for turned in (False, True))
    yield from map(TakeGold, range(-1, 5))


def as_listed(action: Action) -> Action:
    """The action as the menu lists it: a card that looks the same both ways lies as printed (R16, E35)."""
    if isinstance(action, Lay) and TURNED.get(action.card) == action.card:
        return Lay(action.card, action.cell)
    return action


def _cells_of_interest(view: View) -> dict[Cell, None]:
    laid = list(view.mine.laid)
    beside = [cell for taken in (*laid, *GOAL_CELLS) for cell in neighbours(taken)]
    return dict.fromkeys((*laid, *GOAL_CELLS, *beside, *ODD_CELLS))
