"""The laid cards: what is joined to the start, and where a card may go.

A :class:`Mine` is a value: laying or removing a card gives another one. It keeps three things up to date card by card, so
that no question needs a walk through the maze: what each empty cell beside the maze *demands* of a card, which cells are
*joined* to the start, and which face-down goals are *reached*.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Final, Self, TypeAlias

from engine.actions import Lay, Rockfall
from engine.cards import (
    EDGES,
    GOAL_SHAPES,
    JOINED,
    OPPOSITE,
    PATH_CARDS,
    PRINTED,
    SHAPES,
    SIDES,
    START,
    TURNED,
    Card,
    Goal,
    Shape,
)
from engine.cells import GOAL_CELLS, START_CELL, Cell, around

Demand: TypeAlias = int
"""What an empty cell asks of a card (R15): the low four bits are edges that must be open, the next four must be wall."""

FREE: Final[Demand] = 0

_FACES: Final[dict[Shape, Demand]] = {
    shape: EDGES[shape] | (15 - EDGES[shape]) << 4 for shape in SHAPES
}
"""The strictest demand that each laid card meets."""


def agrees(shape: Shape, demand: Demand) -> bool:
    """Whether a card lying so agrees with all that is asked: open to open, wall to wall (R15)."""
    return _FACES[shape] & demand == demand


def _ways_to_lie(card: Card, demand: Demand) -> tuple[bool, ...]:
    ways = (False,) if TURNED[card] == card else (False, True)
    return tuple(turned for turned in ways if agrees(TURNED[card] if turned else card, demand))


WAYS_TO_LIE: Final[dict[Card, tuple[tuple[bool, ...], ...]]] = {
    card: tuple(_ways_to_lie(card, demand) for demand in range(256)) for card in PATH_CARDS
}
"""How each path card can lie, by demand: as printed (False), turned (True), both or neither.

A card that looks alike both ways lies as printed only (R16).
"""


class Mine:
    """The cards that lie face up. Face-down goals are no part of it: they ask nothing of their neighbours (E6)."""

    __slots__ = (
        "_menus",
        "_offers",
        "build_from_goal_alone",
        "continue_path",
        "demands",
        "joined",
        "laid",
        "places",
        "reached",
    )

    laid: dict[Cell, Shape]
    """Every card that lies face up, in the order laid."""
    demands: dict[Cell, Demand]
    """What each empty cell beside a laid card asks, places of face-down goals included."""
    joined: AbstractSet[Cell]
    """The cells that an unbroken path joins to the start, dead ends left out: nothing continues from them (E24, E27)."""
    reached: AbstractSet[Cell]
    """The face-down goals to which an unbroken path leads (R27, E6)."""
    places: dict[Cell, Demand]
    """The cells where a path card may go, with what each asks (R13, R14, R25)."""

    def __init__(
        self,
        *,
        continue_path: bool,
        build_from_goal_alone: bool,
        laid: Mapping[Cell, Shape] | None = None,
    ) -> None:
        """Build a mine from its laid cards, or one that holds the start alone (R4)."""
        self.continue_path = continue_path
        self.build_from_goal_alone = build_from_goal_alone
        self.laid, self.demands, self.places = {}, {}, {}
        self.joined = self.reached = frozenset()
        self._menus: dict[Card, tuple[Lay, ...]] = {}
        self._offers: list[dict[Card, tuple[Lay, ...]]] = []
        for cell, shape in ({START_CELL: START} if laid is None else laid).items():
            self._add(cell, shape)

    def with_card(self, cell: Cell, shape: Shape) -> Self:
        """The mine with one more card, a path card or a turned goal."""
        grown = self._copy()
        grown._add(cell, shape)  # noqa: SLF001 - nobody has seen it yet
        return grown

    def without_card(self, cell: Cell) -> "Mine":
        """The mine after a rockfall (R24); what lay behind the gap stays."""
        return Mine(
            continue_path=self.continue_path,
            build_from_goal_alone=self.build_from_goal_alone,
            laid={kept: shape for kept, shape in self.laid.items() if kept != cell},
        )

    def demand(self, cell: Cell) -> Demand:
        """What the face-up neighbours ask of a card at an empty cell (R15)."""
        return self.demands.get(cell, FREE)

    def lays(self, card: Card) -> tuple[Lay, ...]:
        """Every way to lay a path card (R13-R16, R25)."""
        menu = self._menus.get(card)
        if menu is None:
            lays = [lay for offer in self._offered() for lay in offer[card]]
            menu = self._menus[card] = tuple(lays)
        return menu

    def _offered(self) -> list[dict[Card, tuple[Lay, ...]]]:
        if not self._offers:
            self._offers = [_offer(cell, demand) for cell, demand in self.places.items()]
        return self._offers

    def rockfalls(self) -> tuple[Rockfall, ...]:
        """Every card that a rockfall can remove: neither the start nor a goal (R24)."""
        return tuple(_rockfall(cell) for cell, shape in self.laid.items() if shape in PRINTED)

    def joining(self, cell: Cell) -> dict[Cell, int]:
        """The neighbours that are joined to the start and open toward a cell, each with the side on which it lies."""
        return {
            neighbour: side
            for side, facing, neighbour in _beside(cell)
            if neighbour in self.joined and EDGES[self.laid[neighbour]] & facing
        }

    def __eq__(self, other: object) -> bool:
        """Two mines are equal when the same cards lie in them, laid in the same order, under the same rules."""
        if not isinstance(other, Mine):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        """Hash by what lies where."""
        return hash(self._key())

    def __repr__(self) -> str:
        """Show the laid cards, which are public."""
        return f"<Mine {self.laid}>"

    def _key(self) -> tuple[object, ...]:
        return self.continue_path, self.build_from_goal_alone, tuple(self.laid.items())

    def _copy(self) -> Self:
        """A mine that nobody has seen yet: only here, and in building one, do the parts of a mine change."""
        fresh = object.__new__(type(self))
        fresh.continue_path = self.continue_path
        fresh.build_from_goal_alone = self.build_from_goal_alone
        fresh.laid, fresh.demands, fresh.places = (
            self.laid.copy(),
            self.demands.copy(),
            self.places.copy(),
        )
        fresh.joined, fresh.reached = self.joined, self.reached
        fresh._menus = {}
        fresh._offers = []
        return fresh

    def _add(self, cell: Cell, shape: Shape) -> None:
        self.laid[cell] = shape
        self.demands.pop(cell, None)
        self.places.pop(cell, None)
        if cell in self.reached:
            self.reached -= {cell}
        self._demand_around(cell, EDGES[shape])
        if shape == START or (JOINED[shape] and self._meets_the_path(cell, EDGES[shape])):
            self._join_from(cell)

    def _demand_around(self, cell: Cell, edges: int) -> None:
        laid, demands, places = self.laid, self.demands, self.places
        for side, facing, neighbour in _beside(cell):
            if neighbour in laid:
                continue
            asked = demands.get(neighbour, FREE) | (facing if edges & side else facing << 4)
            demands[neighbour] = asked
            if neighbour in places or not (self.continue_path or neighbour in GOAL_CELLS):
                places[neighbour] = asked

    def _meets_the_path(self, cell: Cell, edges: int) -> bool:
        for side, facing, neighbour in _beside(cell):
            if edges & side and neighbour in self.joined and EDGES[self.laid[neighbour]] & facing:
                return True
        return False

    def _join_from(self, cell: Cell) -> None:
        joined, waiting = set(self.joined), [cell]
        while waiting:
            here = waiting.pop()
            if here not in joined:
                joined.add(here)
                waiting += self._led_to(here)
        self.joined = joined

    def _led_to(self, cell: Cell) -> list[Cell]:
        """The cards that a joined card leads on to; an open edge against a wall leads nowhere (E7, E8)."""
        edges, onward = EDGES[self.laid[cell]], []
        for side, facing, neighbour in _beside(cell):
            if not edges & side:
                continue
            shape = self.laid.get(neighbour)
            if shape is None:
                self._open_place(neighbour, cell)
            elif JOINED[shape] and EDGES[shape] & facing:
                onward.append(neighbour)
        return onward

    def _open_place(self, cell: Cell, origin: Cell) -> None:
        if cell in GOAL_CELLS:
            self.reached |= {cell}
        elif self.continue_path and (self.build_from_goal_alone or origin not in GOAL_CELLS):
            self.places[cell] = self.demands[cell]


@cache
def _beside(cell: Cell) -> tuple[tuple[int, int, Cell], ...]:
    """The neighbours of a cell: the side on which each lies, the side on which it faces back, and its label."""
    return tuple(
        (side, OPPOSITE[side], neighbour)
        for side, neighbour in zip(SIDES, around(cell), strict=True)
    )


@cache
def _offer(cell: Cell, demand: Demand) -> dict[Card, tuple[Lay, ...]]:
    """How each path card can be laid at a place that asks this."""
    return {
        card: tuple(Lay(card, cell, turned) for turned in ways[demand])
        for card, ways in WAYS_TO_LIE.items()
    }


@cache
def _rockfall(cell: Cell) -> Rockfall:
    return Rockfall(cell)


def joining_way(mine: Mine, cell: Cell, goal: Goal, last_laid: Cell | None) -> bool:
    """Which way round a misfit stone joins the card laid last, or else another card joined to the start."""
    sides = mine.joining(cell)
    side = sides.get(last_laid or "") or next(iter(sides.values()))
    return not EDGES[GOAL_SHAPES[goal][0]] & side
