"""The laid cards: what is joined to the start, and where a card may go.

A :class:`Mine` is a value: laying or removing a card gives another one. It keeps three things up to date card by card, so
that no question needs a walk through the maze: what each empty cell beside the maze *demands* of a card, which cards are
*stranded*, and which face-down goals are *reached*.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final, Self

from engine.actions import Lay, Rockfall
from engine.cards import (
    CONNECTS_EDGES,
    EDGES,
    GOAL_SHAPES,
    OPPOSITE,
    PRINTED,
    SIDES,
    START,
    Card,
    Goal,
    Shape,
)
from engine.cells import GOAL_CELLS, START_CELL, Cell, neighbours
from engine.edge_masks import (
    FROM_START_MASK,
    NO_EDGES,
    ORIENTATIONS,
    PLACEMENT_COUNTS,
    REACHABLE_THROUGH,
    EdgeMask,
)

_FROM_START: Final = 16
"""Stands among the open edges of a card to which a path from the start leads."""

_GOAL_PLACES: Final = frozenset(GOAL_CELLS)


class Mine:
    """The cards that lie face up. Face-down goals are no part of it: they ask nothing of their neighbours (E6)."""

    __slots__ = (
        "_placement_counts",
        "build_from_goal_alone",
        "closed_cells",
        "continue_path",
        "disconnected",
        "laid",
        "open_cells",
        "reached_goals",
    )

    laid: dict[Cell, Shape]
    """Every card that lies face up, in the order laid."""
    open_cells: dict[Cell, EdgeMask]
    """The cells where a path card may go, with what each asks (R13, R14, R25)."""
    closed_cells: dict[Cell, EdgeMask]
    """What the other empty cells beside a laid card ask: places of face-down goals, and cells to which no path leads."""
    disconnected: AbstractSet[Cell]
    """The cards through which a path goes, but none from the start."""
    reached_goals: AbstractSet[Cell]
    """The face-down goals to which an unbroken path leads (R27, E6)."""

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
        self.laid, self.open_cells, self.closed_cells = {}, {}, {}
        self.disconnected = self.reached_goals = frozenset()
        self._placement_counts: int | None = None
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

    def edge_mask(self, cell: Cell) -> EdgeMask:
        """What the face-up neighbours ask of a card at an empty cell (R15)."""
        return self.open_cells.get(cell) or self.closed_cells.get(cell, NO_EDGES)

    @property
    def reached_cells(self) -> AbstractSet[Cell]:
        """The cells that an unbroken path joins to the start, dead ends left out: nothing continues from them (E24, E27)."""
        through = {cell for cell, shape in self.laid.items() if CONNECTS_EDGES[shape]}
        return through - self.disconnected

    @property
    def placement_counts(self) -> int:
        """In how many ways each path card can be laid: ``ways >> COLUMNS[card] & COLUMN``."""
        if self._placement_counts is None:
            self._placement_counts = sum(
                map(PLACEMENT_COUNTS.__getitem__, self.open_cells.values())
            )
        return self._placement_counts

    def placements(self, card: Card) -> tuple[Lay, ...]:
        """Every way to lay a path card (R13-R16, R25)."""
        ways = ORIENTATIONS[card]
        return tuple(
            [
                Lay(card, cell, turned)
                for cell, demand in self.open_cells.items()
                for turned in ways[demand]
            ]
        )

    def placement(self, card: Card, number: int) -> Lay:
        """One of the ways to lay a path card, by its number among them."""
        ways = ORIENTATIONS[card]
        for cell, demand in self.open_cells.items():
            turns = ways[demand]
            if number < len(turns):
                return Lay(card, cell, turns[number])
            number -= len(turns)
        raise IndexError(number)

    def rockfalls(self) -> tuple[Rockfall, ...]:
        """Every card that a rockfall can remove: neither the start nor a goal (R24)."""
        return tuple([Rockfall(cell) for cell, shape in self.laid.items() if shape in PRINTED])

    def reached_neighbours(self, cell: Cell) -> dict[Cell, int]:
        """The neighbours that are joined to the start and open toward a cell, each with the side on which it lies."""
        return {
            neighbour: side
            for side, facing, neighbour in _beside(cell)
            if self.edge_mask(cell) & side << 8
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
        fresh.laid, fresh.open_cells = self.laid.copy(), self.open_cells.copy()
        fresh.closed_cells, fresh.disconnected, fresh.reached_goals = (
            self.closed_cells,
            self.disconnected,
            self.reached_goals,
        )
        fresh._placement_counts = None
        return fresh

    def _add(self, cell: Cell, shape: Shape) -> None:
        demand = self.open_cells.pop(cell, None)
        if demand is None:
            demand = self._uncover(cell)
        self.laid[cell] = shape
        if demand & REACHABLE_THROUGH[shape] or shape == START:
            self._join(cell)
            return
        if CONNECTS_EDGES[shape]:
            self.disconnected |= {cell}
        self._ask_around(cell, EDGES[shape])

    def _uncover(self, cell: Cell) -> EdgeMask:
        """Take what an empty cell asks that is no place."""
        self.reached_goals -= {cell}
        demand = self.closed_cells.get(cell, NO_EDGES)
        self.closed_cells = {
            kept: asked for kept, asked in self.closed_cells.items() if kept != cell
        }
        return demand

    def _join(self, cell: Cell) -> None:
        """A path leads to this card, and on to what was stranded behind it."""
        self._ask_around(cell, EDGES[self.laid[cell]] | _FROM_START)
        waiting = self._led_to(cell) if self.disconnected else []
        while waiting:
            here = waiting.pop()
            if here in self.disconnected:
                self.disconnected -= {here}
                self._ask_around(here, EDGES[self.laid[here]] | _FROM_START)
                waiting += self._led_to(here)

    def _led_to(self, cell: Cell) -> list[Cell]:
        """The stranded cards that a card leads on to; an open edge against a wall leads nowhere (E7, E8)."""
        edges = EDGES[self.laid[cell]]
        return [
            neighbour
            for side, facing, neighbour in _beside(cell)
            if edges & side
            and neighbour in self.disconnected
            and EDGES[self.laid[neighbour]] & facing
        ]

    def _ask_around(self, cell: Cell, edges: int) -> None:
        laid, places, anywhere = self.laid, self.open_cells, not self.continue_path
        for neighbour, asked in _asked_around(cell, edges):
            if neighbour in places:
                places[neighbour] |= asked
            elif neighbour in laid:
                continue
            elif anywhere and neighbour not in _GOAL_PLACES:
                places[neighbour] = asked
            else:
                self._ask_aside(neighbour, asked, cell)

    def _ask_aside(self, cell: Cell, asked: EdgeMask, origin: Cell) -> None:
        """Ask something of an empty cell that is no place so far."""
        if self._opens(cell, asked, origin):
            self.open_cells[cell] = asked | self._uncover(cell)
            return
        self.closed_cells = self.closed_cells | {
            cell: asked | self.closed_cells.get(cell, NO_EDGES)
        }
        if asked & FROM_START_MASK and cell in GOAL_CELLS:
            self.reached_goals |= {cell}

    def _opens(self, cell: Cell, asked: EdgeMask, origin: Cell) -> bool:
        """Whether what a card asks makes a place of an empty cell, where a path must be continued."""
        if not asked & FROM_START_MASK or cell in GOAL_CELLS:
            return False
        return self.build_from_goal_alone or origin not in GOAL_CELLS


# Both bounded, for a game file may name any cell.
@lru_cache(maxsize=4096)
def _beside(cell: Cell) -> tuple[tuple[int, int, Cell], ...]:
    """The neighbours of a cell: the side on which each lies, the side on which it faces back, and its label."""
    return tuple(
        (side, OPPOSITE[side], neighbour)
        for side, neighbour in zip(SIDES, neighbours(cell), strict=True)
    )


@lru_cache(maxsize=16384)
def _asked_around(cell: Cell, edges: int) -> tuple[tuple[Cell, EdgeMask], ...]:
    """What a card asks of each neighbour, by its open edges, with _FROM_START among them if a path leads to it."""
    led = 0b1_0000_0001 if edges & _FROM_START else 1
    return tuple(
        (neighbour, facing * led if edges & side else facing << 4)
        for side, facing, neighbour in _beside(cell)
    )


def joining_way(mine: Mine, cell: Cell, goal: Goal, last_laid: Cell | None) -> bool:
    """Which way round a misfit stone joins the card laid last, or else another card joined to the start."""
    sides = mine.reached_neighbours(cell)
    side = sides.get(last_laid or "") or next(iter(sides.values()))
    return not EDGES[GOAL_SHAPES[goal][0]] & side
