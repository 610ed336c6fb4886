"""What a bot sees when it looks at the table, worked out once for a turn."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from engine.actions import Action, Lay, Look, Repair
from engine.bots.distance import FAR, distances, nearest, open_ends
from engine.bots.suspicion import suspicions
from engine.cards import TURNED, Shape
from engine.cells import GOAL_CELLS, Cell
from engine.mine import Mine
from engine.story import Line
from engine.view import View

A = TypeVar("A", bound=Action)


class Situation(NamedTuple):
    """A view with what follows from it."""

    view: View
    menu: tuple[Action, ...]
    seat: int
    goals: tuple[Cell, ...]
    """Where the treasure may lie, as far as this seat knows."""
    field: Mapping[Cell, int]
    """How far each empty cell is from those goals."""
    ends: frozenset[Cell]
    """Where the path from the start leads."""
    remaining: int
    """How many cards the path still needs at least."""
    suspicions: Sequence[float]

    @classmethod
    def of(cls, view: View, lines: Sequence[Line], menu: tuple[Action, ...]) -> "Situation":
        """Look at the table from the seat of this view."""
        goals, ends = treasure_places(view), open_ends(view.mine)
        field = distances(view.mine, goals)
        return cls(
            view=view,
            menu=menu,
            seat=view.seat or 0,
            goals=goals,
            field=field,
            ends=ends,
            remaining=nearest(field, ends),
            suspicions=suspicions(lines, view.seats),
        )

    def __repr__(self) -> str:
        """Blank in tracebacks and logs, for its menu shows a hand."""
        return f"<Situation of seat {self.seat}>"

    def actions(self, kind: type[A]) -> list[A]:
        """The legal actions of one kind."""
        return [action for action in self.menu if isinstance(action, kind)]

    def own_repair(self) -> Repair | None:
        """A repair of one's own tool, if there is one."""
        return next((repair for repair in self.actions(Repair) if repair.seat == self.seat), None)

    def useful_look(self) -> Look | None:
        """A look at a goal that may hide the treasure, while this seat does not know where it lies."""
        looks = [look for look in self.actions(Look) if look.cell in self.goals]
        return None if self.knows_treasure() else next(iter(looks), None)

    def remaining_after(self, lay: Lay) -> int:
        """How many cards the path would still need after this card."""
        return nearest(self.field, open_ends(self.view.mine.with_card(lay.cell, shape_of(lay))))

    def led_on(self, lay: Lay) -> int:
        """How many cards it would still take from this card onward; FAR when it continues no path."""
        mine = self.view.mine.with_card(lay.cell, shape_of(lay))
        return nearest(self.field, open_ends(mine) - self.ends) if lay.cell in self.ends else FAR

    def remaining_in(self, mine: Mine) -> int:
        """How many cards the path would need in another mine, such as one after a rockfall."""
        return nearest(distances(mine, self.goals), open_ends(mine))

    def knows_treasure(self) -> bool:
        """Whether this seat knows where the treasure lies."""
        return len(self.goals) == 1


def shape_of(lay: Lay) -> Shape:
    """How the card will lie."""
    return TURNED[lay.card] if lay.turned else lay.card


def treasure_places(view: View) -> tuple[Cell, ...]:
    """Where the treasure may lie, as far as this seat knows."""
    known: Iterable[tuple[Cell, str | None]] = tuple(zip(GOAL_CELLS, view.goals, strict=True))
    treasure = tuple(cell for cell, goal in known if goal == "treasure")
    return treasure or tuple(cell for cell, goal in known if goal is None)
