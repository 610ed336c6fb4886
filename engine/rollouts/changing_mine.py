"""A mine that changes in place."""

from engine.cards import Shape
from engine.cells import Cell
from engine.mine import Mine


class ChangingMine(Mine):
    """A mine for rollouts: with the queries of a :class:`~engine.mine.Mine`, but laying a card copies nothing."""

    __slots__ = ()

    @classmethod
    def copy_of(cls, mine: Mine) -> "ChangingMine":
        """Return a copy that may be changed."""
        copy: ChangingMine = object.__new__(cls)
        copy.continue_path = mine.continue_path
        copy.build_from_goal_alone = mine.build_from_goal_alone
        copy.laid, copy.open_cells = mine.laid.copy(), mine.open_cells.copy()
        # These are replaced when they change, so that copies can share them.
        copy.closed_cells = mine.closed_cells
        copy.disconnected, copy.reached_goals = mine.disconnected, mine.reached_goals
        copy._placement_counts = None
        return copy

    def lay(self, cell: Cell, shape: Shape) -> None:
        """Add a path card or a turned goal."""
        self._placement_counts = None
        self._add_card(cell, shape)

    def remove(self, cell: Cell) -> None:
        """Remove a path card (R24); the cards behind the gap stay."""
        laid = {kept_cell: shape for kept_cell, shape in self.laid.items() if kept_cell != cell}
        self.__init__(  # type: ignore[misc]  # Every result is rebuilt, as for a new mine.
            continue_path=self.continue_path,
            build_from_goal_alone=self.build_from_goal_alone,
            laid=laid,
        )
