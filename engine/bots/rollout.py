"""One supposed continuation of a round, played to its end by the light policy."""

from collections.abc import Sequence
from typing import Final

from engine.actions import Action, ChooseGoal, ChooseOrientation, Lay, Pass, Rockfall
from engine.bots.dice import Dice
from engine.bots.distance import (
    CardsFrom,
    TreasureOdds,
    cards_from_freed_cell,
    cards_without_obstacles,
)
from engine.bots.light_policy import LightPolicy
from engine.bots.near_ends import near_ends_of
from engine.cards import DECK
from engine.cells import GOAL_CELLS
from engine.events import Side
from engine.rollouts.playing import play
from engine.rollouts.position import Position

_MARGIN: Final = 0.5
"""How much the margin of a victory counts, as a share of the victory."""
_MOST_CARDS_MISSING: Final = 8
_CHANGES_OF_MINE: Final = frozenset({Lay, Rockfall, ChooseGoal, ChooseOrientation})


class Rollout:
    """A continuation in progress. Every bot in it knows its own role, and of the others' what the table believes."""

    __slots__ = (
        "_cards_from",
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
        cards_from: CardsFrom,
        dice: Dice,
    ) -> None:
        """Begin at a position, which will be changed."""
        self._position = position
        self._saboteur_probabilities = list(saboteur_probabilities)
        self._treasure = treasure
        self._cards_from = cards_from
        self._dice = dice
        self._near_ends = near_ends_of(position.mine, cards_from)

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
            return 1 + _MARGIN * cards_left / len(DECK)
        return -_MARGIN * min(self._near_ends.all_ends.needed / _MOST_CARDS_MISSING, 1)

    def _play(self, action: Action) -> None:
        play(self._position, action)
        if type(action) in _CHANGES_OF_MINE and self._position.winners is None:
            self._learn_from_turned_goals()
            if type(action) is Rockfall:
                self._cards_from = cards_from_freed_cell(
                    self._position.mine, action.cell, self._cards_from
                )
            self._near_ends = near_ends_of(self._position.mine, self._cards_from)

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
        self._cards_from = cards_without_obstacles(self._treasure)

    def _next_action(self) -> Action:
        position = self._position
        if position.goal_choice:
            return ChooseGoal(position.goal_choice[self._dice.below(len(position.goal_choice))])
        if position.misfits:
            return ChooseOrientation(turned=self._dice.below(2) == 1)
        if not position.hands[position.turn]:
            return Pass()
        return LightPolicy(
            position, self._near_ends, self._cards_from, self._saboteur_probabilities, self._dice
        ).action()
