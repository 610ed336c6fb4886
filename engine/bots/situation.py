"""A bot's reading of the table, computed once per turn."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from engine.actions import Action, Lay, Look, Repair
from engine.bots.distance import UNREACHABLE_DISTANCE, distances_to, open_ends, shortest_distance
from engine.bots.suspicion import suspicions
from engine.cards import TURNED_SHAPES, Shape
from engine.cells import GOAL_CELLS, Cell
from engine.mine import Mine
from engine.narration import Line
from engine.view import View

A = TypeVar("A", bound=Action)


class Situation(NamedTuple):
    """A view and what a bot derives from it."""

    view: View
    legal_actions: tuple[Action, ...]
    seat: int
    treasure_cells: tuple[Cell, ...]
    """The cells where the treasure may be, as far as this seat knows."""
    distances: Mapping[Cell, int]
    """The distance of each empty cell to the nearest of those cells, in cards."""
    open_end_cells: frozenset[Cell]
    """The cells to which a path from the start leads."""
    cards_needed: int
    """The smallest number of cards that the path still needs."""
    suspicions: Sequence[float]
    """How much each seat looks like a saboteur (:mod:`engine.bots.suspicion`)."""

    @classmethod
    def from_view(
        cls, view: View, lines: Sequence[Line], legal_actions: tuple[Action, ...]
    ) -> "Situation":
        """Return the situation of the seat of a view."""
        treasure_cells, open_end_cells = possible_treasure_cells(view), open_ends(view.mine)
        distances = distances_to(treasure_cells, view.mine)
        return cls(
            view=view,
            legal_actions=legal_actions,
            seat=view.seat or 0,
            treasure_cells=treasure_cells,
            distances=distances,
            open_end_cells=open_end_cells,
            cards_needed=shortest_distance(distances, open_end_cells),
            suspicions=suspicions(lines, view.seats),
        )

    def __repr__(self) -> str:
        """Show the seat only, because the legal actions reveal its hand."""
        return f"<Situation of seat {self.seat}>"

    def actions_of(self, kind: type[A]) -> list[A]:
        """Return the legal actions of one kind."""
        return [action for action in self.legal_actions if isinstance(action, kind)]

    def own_repair(self) -> Repair | None:
        """Return a repair of the seat's own tool, if there is one."""
        repairs = self.actions_of(Repair)
        return next((repair for repair in repairs if repair.seat == self.seat), None)

    def useful_look(self) -> Look | None:
        """Return a look at a possible treasure cell, unless the seat knows where the treasure is."""
        if len(self.treasure_cells) == 1:
            return None
        looks = self.actions_of(Look)
        return next((look for look in looks if look.cell in self.treasure_cells), None)

    def cards_needed_after(self, lay: Lay) -> int:
        """Return how many cards the path would still need after this card."""
        mine = self.view.mine.with_card(lay.cell, shape_of(lay))
        return shortest_distance(self.distances, open_ends(mine))

    def cards_needed_beyond(self, lay: Lay) -> int:
        """Return how many cards a path through this card would still need; UNREACHABLE_DISTANCE if it continues no path."""
        if lay.cell not in self.open_end_cells:
            return UNREACHABLE_DISTANCE
        mine = self.view.mine.with_card(lay.cell, shape_of(lay))
        return shortest_distance(self.distances, open_ends(mine) - self.open_end_cells)

    def cards_needed_in(self, mine: Mine) -> int:
        """Return how many cards the path would need in another mine, such as one after a rockfall."""
        return shortest_distance(distances_to(self.treasure_cells, mine), open_ends(mine))


def shape_of(lay: Lay) -> Shape:
    """Return the shape in which the card will lie."""
    return TURNED_SHAPES[lay.card] if lay.turned else lay.card


def possible_treasure_cells(view: View) -> tuple[Cell, ...]:
    """Return the cells where the treasure may be, as far as the seat of the view knows."""
    known_goals: Iterable[tuple[Cell, str | None]] = tuple(zip(GOAL_CELLS, view.goals, strict=True))
    treasure = tuple(cell for cell, goal in known_goals if goal == "treasure")
    return treasure or tuple(cell for cell, goal in known_goals if goal is None)
