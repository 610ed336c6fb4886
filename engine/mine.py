"""The mine: the laid cards, which of them a path joins to the start, and where a card may be laid.

A :class:`Mine` is immutable for its users: laying or removing a card returns another mine. Three results are updated with
every card, so that no query searches the maze: the edge mask of each empty cell beside a laid card, the cards that are
disconnected from the start, and the face-down goals that a path reaches.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final, Self

from engine.actions import Lay, Rockfall
from engine.cards import (
    CARD_BY_SHAPE,
    CONNECTS_EDGES,
    EDGES,
    GOAL_SHAPES,
    OPPOSITE_SIDE,
    SIDES,
    START_SHAPE,
    Card,
    Goal,
    Shape,
)
from engine.cells import (
    GOAL_CELLS,
    NO_REQUIREMENT,
    ORIENTATIONS,
    PATH_BITS,
    PATH_ENTRIES,
    START_CELL,
    Cell,
    EdgeMask,
    count_placements,
    neighbours,
)

_CONNECTED_BIT: Final = 16
"""A flag beside the open edges of a card: a path joins the card to the start and continues through it."""

_GOAL_CELL_SET: Final = frozenset(GOAL_CELLS)


class Mine:
    """The cards that lie face up. Face-down goals are not included, because they require nothing of their neighbours (E6)."""

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
    """The shape at each cell with a face-up card, in the order laid."""
    open_cells: dict[Cell, EdgeMask]
    """The cells where a path card may be laid, each with the edges it requires (R13, R14, R25)."""
    closed_cells: dict[Cell, EdgeMask]
    """The other empty cells beside a laid card, each with the edges it requires: goals, and cells that no path reaches."""
    disconnected: AbstractSet[Cell]
    """The laid cards, dead ends excluded, that no path joins to the start."""
    reached_goals: AbstractSet[Cell]
    """The face-down goals that an unbroken path from the start reaches (R27, E6)."""

    def __init__(
        self,
        *,
        continue_path: bool,
        build_from_goal_alone: bool,
        laid: Mapping[Cell, Shape] | None = None,
    ) -> None:
        """Build a mine from its laid cards, by default from the start alone (R4)."""
        self.continue_path = continue_path
        self.build_from_goal_alone = build_from_goal_alone
        self.laid, self.open_cells, self.closed_cells = {}, {}, {}
        self.disconnected = self.reached_goals = frozenset()
        self._placement_counts: tuple[int, ...] | None = None
        for cell, shape in ({START_CELL: START_SHAPE} if laid is None else laid).items():
            self._add_card(cell, shape)

    def with_start_only(self) -> "Mine":
        """Return a mine under the same rules with the start alone."""
        return self._with_laid_cards({START_CELL: START_SHAPE})

    def with_card(self, cell: Cell, shape: Shape) -> Self:
        """Return the mine with one more card, a path card or a turned goal."""
        extended_mine = self._copy()
        extended_mine._add_card(cell, shape)  # noqa: SLF001 - a fresh copy of the same class
        return extended_mine

    def without_card(self, cell: Cell) -> "Mine":
        """Return the mine after a rockfall (R24); the cards behind the gap stay."""
        return self._with_laid_cards(
            {kept_cell: shape for kept_cell, shape in self.laid.items() if kept_cell != cell}
        )

    def edge_mask(self, cell: Cell) -> EdgeMask:
        """Return the edges that the face-up neighbours of an empty cell require there (R15)."""
        return self.open_cells.get(cell) or self.closed_cells.get(cell, NO_REQUIREMENT)

    @property
    def reached_cells(self) -> AbstractSet[Cell]:
        """The cells of the cards that an unbroken path joins to the start, dead ends excluded (E24, E27)."""
        connecting_cells = {cell for cell, shape in self.laid.items() if CONNECTS_EDGES[shape]}
        return connecting_cells - self.disconnected

    @property
    def placement_counts(self) -> tuple[int, ...]:
        """The number of placements of every path card, in the order of ``PATH_CARDS``."""
        if self._placement_counts is None:
            self._placement_counts = count_placements(self.open_cells.values())
        return self._placement_counts

    def placements(self, card: Card) -> tuple[Lay, ...]:
        """Return every legal placement of a path card (R13-R16, R25)."""
        orientations = ORIENTATIONS[card]
        return tuple(
            [
                Lay(card, cell, turned)
                for cell, mask in self.open_cells.items()
                for turned in orientations[mask]
            ]
        )

    def placement(self, card: Card, index: int) -> Lay:
        """Return ``placements(card)[index]`` without building the others. Raises IndexError."""
        orientations = ORIENTATIONS[card]
        for cell, mask in self.open_cells.items():
            index -= len(orientations[mask])
            if index < 0:  # It now counts from the end of these orientations.
                return Lay(card, cell, orientations[mask][index])
        raise IndexError(index)

    @property
    def rockfall_count(self) -> int:
        """The number of cards that a rockfall can remove."""
        return sum(map(CARD_BY_SHAPE.__contains__, self.laid.values()))

    def rockfalls(self) -> tuple[Rockfall, ...]:
        """Return a rockfall on every card that it can remove: neither the start nor a goal (R24)."""
        return tuple(
            [Rockfall(cell) for cell, shape in self.laid.items() if shape in CARD_BY_SHAPE]
        )

    def reached_neighbours(self, cell: Cell) -> dict[Cell, int]:
        """Return the reached cells that open toward an empty cell, each with its side of that cell."""
        mask = self.edge_mask(cell)
        return {
            neighbour: side
            for side, _, neighbour in _sides_and_neighbours(cell)
            if mask & side << 8
        }

    def __eq__(self, other: object) -> bool:
        """Compare the rules, the laid cards and their order."""
        if not isinstance(other, Mine):
            return NotImplemented
        return self._comparison_key() == other._comparison_key()

    def __hash__(self) -> int:
        """Hash what ``__eq__`` compares."""
        return hash(self._comparison_key())

    def __repr__(self) -> str:
        """Show the laid cards, which are public."""
        return f"<Mine {self.laid}>"

    def _comparison_key(self) -> tuple[object, ...]:
        return self.continue_path, self.build_from_goal_alone, tuple(self.laid.items())

    def _with_laid_cards(self, laid: Mapping[Cell, Shape]) -> "Mine":
        return Mine(
            continue_path=self.continue_path,
            build_from_goal_alone=self.build_from_goal_alone,
            laid=laid,
        )

    def _copy(self) -> Self:
        """Return a copy that may be changed. The dicts and sets that change rarely are shared and replaced, never mutated."""
        new_mine = object.__new__(type(self))
        new_mine.continue_path = self.continue_path
        new_mine.build_from_goal_alone = self.build_from_goal_alone
        new_mine.laid, new_mine.open_cells = self.laid.copy(), self.open_cells.copy()
        new_mine.closed_cells = self.closed_cells
        new_mine.disconnected, new_mine.reached_goals = self.disconnected, self.reached_goals
        new_mine._placement_counts = None
        return new_mine

    def _add_card(self, cell: Cell, shape: Shape) -> None:
        mask = self.open_cells.pop(cell, None)
        if mask is None:
            mask = self._remove_closed_cell(cell)
        self.laid[cell] = shape
        if mask & PATH_ENTRIES[shape] or shape == START_SHAPE:
            self._require_edges_around(cell, EDGES[shape] | _CONNECTED_BIT)
            if self.disconnected:
                self._connect_cards_behind(cell)
            return
        if CONNECTS_EDGES[shape]:
            self.disconnected |= {cell}
        self._require_edges_around(cell, EDGES[shape])

    def _remove_closed_cell(self, cell: Cell) -> EdgeMask:
        """Remove a cell from ``closed_cells`` and ``reached_goals``; return the edges it required."""
        self.reached_goals -= {cell}
        mask = self.closed_cells.get(cell, NO_REQUIREMENT)
        self.closed_cells = {
            kept_cell: mask_of_kept_cell
            for kept_cell, mask_of_kept_cell in self.closed_cells.items()
            if kept_cell != cell
        }
        return mask

    def _connect_cards_behind(self, cell: Cell) -> None:
        """Join to the start the disconnected cards behind a card that was just joined to it."""
        cells_to_join = self._disconnected_neighbours(cell)
        while cells_to_join:
            joined_cell = cells_to_join.pop()
            if joined_cell in self.disconnected:
                self.disconnected -= {joined_cell}
                self._require_edges_around(
                    joined_cell, EDGES[self.laid[joined_cell]] | _CONNECTED_BIT
                )
                cells_to_join += self._disconnected_neighbours(joined_cell)

    def _disconnected_neighbours(self, cell: Cell) -> list[Cell]:
        """Return the disconnected cards that share an open edge with this card.

        An open edge that meets a wall joins nothing (E7, E8).
        """
        edges = EDGES[self.laid[cell]]
        return [
            neighbour
            for side, facing_side, neighbour in _sides_and_neighbours(cell)
            if edges & side
            and neighbour in self.disconnected
            and EDGES[self.laid[neighbour]] & facing_side
        ]

    def _require_edges_around(self, cell: Cell, edges: int) -> None:
        """Add what a card requires of the empty cells beside it."""
        laid, open_cells, may_build_anywhere = self.laid, self.open_cells, not self.continue_path
        for neighbour, mask in _masks_around(cell, edges):
            if neighbour in open_cells:
                open_cells[neighbour] |= mask
            elif neighbour in laid:
                continue
            elif may_build_anywhere and neighbour not in _GOAL_CELL_SET:
                open_cells[neighbour] = mask
            else:
                self._require_edges_at_closed_cell(neighbour, mask, cell)

    def _require_edges_at_closed_cell(self, cell: Cell, mask: EdgeMask, origin_cell: Cell) -> None:
        """Add what the card at ``origin_cell`` requires of a cell that is not open so far."""
        if self._becomes_open(cell, mask, origin_cell):
            self.open_cells[cell] = mask | self._remove_closed_cell(cell)
            return
        self.closed_cells = self.closed_cells | {
            cell: mask | self.closed_cells.get(cell, NO_REQUIREMENT)
        }
        if mask & PATH_BITS and cell in GOAL_CELLS:
            self.reached_goals |= {cell}

    def _becomes_open(self, cell: Cell, mask: EdgeMask, origin_cell: Cell) -> bool:
        """Return whether the card at ``origin_cell`` opens a cell, under rules where a path must be continued (R13, R14)."""
        if not mask & PATH_BITS or cell in GOAL_CELLS:
            return False
        return self.build_from_goal_alone or origin_cell not in GOAL_CELLS


# Both caches are bounded because a game file can name any cell.
@lru_cache(maxsize=4096)
def _sides_and_neighbours(cell: Cell) -> tuple[tuple[int, int, Cell], ...]:
    """Return for each neighbour of a cell: the side on which it lies, its own side that faces the cell, its label."""
    return tuple(
        (side, OPPOSITE_SIDE[side], neighbour)
        for side, neighbour in zip(SIDES, neighbours(cell), strict=True)
    )


@lru_cache(maxsize=16384)
def _masks_around(cell: Cell, edges: int) -> tuple[tuple[Cell, EdgeMask], ...]:
    """Return what a card with these open edges, and perhaps the flag ``_CONNECTED_BIT``, requires of each neighbour."""
    mask_multiplier = 0b1_0000_0001 if edges & _CONNECTED_BIT else 1
    return tuple(
        (neighbour, facing_side * mask_multiplier if edges & side else facing_side << 4)
        for side, facing_side, neighbour in _sides_and_neighbours(cell)
    )


def default_orientation(mine: Mine, cell: Cell, goal: Goal, last_laid: Cell | None) -> bool:
    """Return the orientation (True: turned) in which a misfit stone joins the card laid last, or else another reached card.

    This is the default for the choice of an orientation (E7).
    """
    side_by_neighbour = mine.reached_neighbours(cell)
    side = side_by_neighbour.get(last_laid or "") or next(iter(side_by_neighbour.values()))
    return not EDGES[GOAL_SHAPES[goal][0]] & side
