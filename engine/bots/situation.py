"""What a bot weighs its actions by: its hand, the mine and its belief. The same for a real turn and for a turn in a rollout."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.bots.distance import CardsNeededByCell, OpenEnds, TreasureOdds
from engine.cards import Card, Tool
from engine.mine import Mine


class Situation(NamedTuple):
    """The table as one seat on turn sees it."""

    seat: int
    hand: tuple[Card, ...]
    mine: Mine
    turned: tuple[bool, bool, bool]
    broken: Sequence[tuple[Tool, ...]]
    gone: tuple[int, ...]
    saboteur_probabilities: Sequence[float]
    """The probability of each seat to be a saboteur, as this seat sees it if it is a digger.

    A saboteur goes by the same numbers, so that its choices do not tell its role.
    """
    broken_by_seat: frozenset[int]
    """The seats whose tools this seat broke in this round."""
    repaired_by_seat: frozenset[int]
    """The seats whose tools this seat repaired in this round."""
    treasure: TreasureOdds
    """The probability of each goal cell to hold the treasure, for this seat."""
    cards_needed_by_cell: CardsNeededByCell
    ends: OpenEnds
    cards_left: int
    """The number of cards in the draw deck and all hands."""
    is_deck_empty: bool
    turns_taken: int
    """The number of actions of this seat in this round so far."""

    def __repr__(self) -> str:
        """Show the seat only, because the rest reveals its hand."""
        return f"<Situation of seat {self.seat}>"
