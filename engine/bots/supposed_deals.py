"""Deals that a seat thinks possible: what it knows is as it is, the rest is drawn by its belief."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.bots.belief import hidden_cards, known_roles, role_weights, sampled_roles
from engine.cards import DECK, GOALS, HAND_SIZES, Card, Goal, Role
from engine.narration import Line, LineKey
from engine.rollouts import Deal, Dice, PublicPosition
from engine.view import View


class DealKnowledge(NamedTuple):
    """The knowledge of a seat from which deals are drawn."""

    view: View
    unknown_cards: Sequence[Card]
    """The cards that the seat has not seen."""
    role_weights: Sequence[float]
    known_roles: Mapping[int, Role]

    @classmethod
    def from_view(cls, view: View, lines: Sequence[Line]) -> "DealKnowledge":
        """Return the knowledge of the seat of a view."""
        unknown_cards = tuple(hidden_cards(view, lines).elements())
        return cls(view, unknown_cards, role_weights(view, lines), known_roles(view))

    def __repr__(self) -> str:
        """Show the seat only."""
        return f"<Knowledge of seat {self.view.seat}>"

    def sampled_deal(self, dice: Dice) -> Deal:
        """Return one deal."""
        cards = self._shuffled_cards(dice)
        hands = [
            self.view.hand if seat == self.view.seat else _take_cards(cards, size)
            for seat, size in enumerate(self.view.hand_sizes)
        ]
        return Deal(
            roles=sampled_roles(self.role_weights, self.known_roles, dice.fraction),
            goals=self._goals(dice),
            hands=hands,
            deck=_take_cards(cards, self.view.deck_size),
        )

    def _shuffled_cards(self, dice: Dice) -> list[Card]:
        """Return the hidden cards in random order, with others if a rewound history leaves too few."""
        cards = list(self.unknown_cards)
        wanted_count = sum(self.view.hand_sizes) - len(self.view.hand) + self.view.deck_size
        while len(cards) < wanted_count:
            cards.append(DECK[dice.number_below(len(DECK))])
        dice.shuffle(cards)
        return cards

    def _goals(self, dice: Dice) -> tuple[Goal, Goal, Goal]:
        unknown_goals = [goal for goal in GOALS if goal not in self.view.goals]
        dice.shuffle(unknown_goals)
        top, middle, bottom = (goal or unknown_goals.pop() for goal in self.view.goals)
        return top, middle, bottom


def public_position_of(view: View) -> PublicPosition:
    """Return what everyone knows of the round, with the seat of the view on turn."""
    return PublicPosition(
        rulebook=view.rulebook,
        house=view.house,
        mine=view.mine,
        broken=view.broken,
        gone=view.gone,
        turn=view.seat or 0,
        last_laid=view.last_laid,
    )


def passes_in_a_row(view: View, lines: Sequence[Line]) -> int:
    """Return how many passes the latest turns were that count toward a full circle (E13)."""
    if view.deck_size:
        return 0
    passes = 0
    for line in reversed(lines):
        if line.key in _PASS_KEYS:
            passes += 1
        elif line.key in _PLAY_KEYS:
            break
    full_hands = HAND_SIZES[view.seats] * (view.seats - len(view.gone))
    return min(passes, full_hands - sum(view.hand_sizes))


def _take_cards(cards: list[Card], number: int) -> list[Card]:
    taken_cards = cards[:number]
    del cards[:number]
    return taken_cards


_PASS_KEYS = frozenset({LineKey.DISCARDED, LineKey.CARD_DISCARDED, LineKey.PASSED})
_PLAY_KEYS = frozenset(
    {
        LineKey.ROUND_DEALT,
        LineKey.REWOUND,
        LineKey.CARD_LAID,
        LineKey.TOOL_BROKEN,
        LineKey.OWN_TOOL_BROKEN,
        LineKey.TOOL_REPAIRED,
        LineKey.OWN_TOOL_REPAIRED,
        LineKey.ROCK_FELL,
        LineKey.GOAL_LOOKED_AT,
        LineKey.GOAL_SEEN,
    }
)
