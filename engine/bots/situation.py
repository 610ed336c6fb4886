"""What a bot weighs its actions by: its hand, the mine and its belief. The same for a real turn and for a turn in a rollout."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.bots.distance import CardsFrom, OpenEnds, TreasureOdds
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
    """The probability of each seat to be a saboteur, as someone who does not know this seat's role sees it."""
    treasure: TreasureOdds
    """The probability of each goal cell to hold the treasure, for this seat."""
    cards_from: CardsFrom
    ends: OpenEnds
    turns_taken: int
    """The number of actions of this seat in this round so far."""

    def __repr__(self) -> str:
        """Show the seat only, because the rest reveals its hand."""
        return f"<Situation of seat {self.seat}>"
