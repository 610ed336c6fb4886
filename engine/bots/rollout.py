"""One supposed continuation of a round, played to its end by the light policy."""

from collections.abc import Sequence
from typing import Final

from engine.actions import Action, ChooseGoal, ChooseOrientation, Lay, Pass, Rockfall
from engine.bots.distance import (
    CardsNeededByCell,
    TreasureOdds,
    cards_from_freed_cell,
    cards_without_obstacles,
)
from engine.bots.light_policy import LightPolicy, near_ends_of
from engine.cards import DECK
from engine.cells import GOAL_CELLS
from engine.events import Side
from engine.rollouts import Dice, Position, play

_MARGIN_WEIGHT: Final = 0.5
"""How much the margin of a victory counts, as a share of the victory."""
_MAX_MISSING_CARDS: Final = 8
_MINE_CHANGING_ACTIONS: Final = frozenset({Lay, Rockfall, ChooseGoal, ChooseOrientation})


class Rollout:
    """A continuation in progress. Every bot in it knows its own role, and what the table believes of the others."""

    __slots__ = (
        "_cards_needed_by_cell",
        "_dice",
        "_near_ends",
        "_position",
        "_saboteur_probabilities",
        "_treasure",
    )

    def __init__(
        self,
        position: Position,
        *,
        saboteur_probabilities: Sequence[float],
        treasure: TreasureOdds,
        cards_needed_by_cell: CardsNeededByCell,
        dice: Dice,
    ) -> None:
        """Begin at a position, which will be changed."""
        self._position = position
        self._saboteur_probabilities = list(saboteur_probabilities)
        self._treasure = treasure
        self._cards_needed_by_cell = cards_needed_by_cell
        self._dice = dice
        self._near_ends = near_ends_of(position.mine, cards_needed_by_cell)

    def winners(self, first_action: Action | None = None) -> Side:
        """Play to the end of the round, beginning with the action of the seat on turn, and return the side that won."""
        if first_action is not None:
            self._play(first_action)
        position = self._position
        while position.winners is None:
            if position.passed >= len(position.hands):
                return "saboteurs"  # No one could do anything in a full circle, and no one draws a card any more.
            self._play(self._next_action())
        return position.winners

    def value(self, first_action: Action | None = None) -> float:
        """Play to the end likewise, and return how good it is for diggers: 1 and more if they win, 0 and less if not.

        The margin says more about an action than the winners alone: how many cards were left, or how many were missing.
        """
        position = self._position
        if self.winners(first_action) == "diggers":
            cards_left = len(position.deck) + sum(map(len, position.hands))
            return 1 + _MARGIN_WEIGHT * cards_left / len(DECK)
        return -_MARGIN_WEIGHT * min(self._near_ends.all_ends.cards_needed / _MAX_MISSING_CARDS, 1)

    def _play(self, action: Action) -> None:
        play(self._position, action)
        if type(action) in _MINE_CHANGING_ACTIONS and self._position.winners is None:
            self._learn_from_turned_goals()
            if type(action) is Rockfall:
                self._cards_needed_by_cell = cards_from_freed_cell(
                    self._position.mine, action.cell, self._cards_needed_by_cell
                )
            self._near_ends = near_ends_of(self._position.mine, self._cards_needed_by_cell)

    def _learn_from_turned_goals(self) -> None:
        """Rule out the stones that lie face up."""
        laid = self._position.mine.laid
        if not any(
            odds and cell in laid for cell, odds in zip(GOAL_CELLS, self._treasure, strict=True)
        ):
            return
        top, middle, bottom = (
            0.0 if cell in laid else odds
            for cell, odds in zip(GOAL_CELLS, self._treasure, strict=True)
        )
        total = top + middle + bottom
        self._treasure = (top / total, middle / total, bottom / total)
        self._cards_needed_by_cell = cards_without_obstacles(self._treasure)

    def _next_action(self) -> Action:
        position = self._position
        if position.goal_choice:
            return ChooseGoal(
                position.goal_choice[self._dice.number_below(len(position.goal_choice))]
            )
        if position.misfits:
            return ChooseOrientation(turned=self._dice.number_below(2) == 1)
        if not position.hands[position.turn]:
            return Pass()
        return LightPolicy(
            position,
            self._near_ends,
            self._cards_needed_by_cell,
            self._saboteur_probabilities,
            self._dice,
        ).action()
