"""The policy of rollouts: the rules of steady play that matter most, at a fraction of the cost."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.actions import Action, Break, Discard, Lay, Repair, Rockfall
from engine.bots.dice import Dice
from engine.bots.distance import UNREACHABLE, CardsFrom, OpenEnds, exits
from engine.cards import (
    BREAKS,
    CARD_BY_SHAPE,
    CONNECTS_EDGES,
    PATH_CARDS,
    REPAIRS,
    ROCKFALL,
    TURNED_SHAPES,
    Card,
)
from engine.cells import Cell
from engine.edge_masks import ORIENTATIONS, PATH_BITS, EdgeMask
from engine.rollouts.position import Position

_NEAR: Final = 0.8
"""How many cards farther than the nearest open end others may be to be considered."""
_BETRAYAL: Final = 3.2
"""The number of cards the path needs from which on saboteurs do harm."""
_IDLE_CHANCE: Final = 0.15
"""How often a saboteur discards while it hides."""
_MIN_GUILT_TO_BREAK: Final = 0.55
_MAX_GUILT_TO_REPAIR: Final = 0.35
_MIN_GAIN: Final = 0.05
_CONNECTING_CARDS: Final = frozenset(card for card in PATH_CARDS if CONNECTS_EDGES[card])


class NearEnds(NamedTuple):
    """The open ends of a position; it holds until a card is laid or removed."""

    all_ends: OpenEnds
    near: Sequence[tuple[Cell, EdgeMask]]
    """The open ends that are nearest to the treasure, or nearly so, each with the edges it requires."""


def near_ends_of(position: Position, cards_from: CardsFrom) -> NearEnds:
    """Return the open ends of a position."""
    nearest, needed, elsewhere = None, UNREACHABLE, UNREACHABLE
    candidates: list[tuple[float, Cell, EdgeMask]] = []
    for cell, mask in position.mine.open_cells.items():
        if not mask & PATH_BITS:
            continue
        cards = cards_from.get(cell, UNREACHABLE)
        if cards <= needed + _NEAR:
            candidates.append((cards, cell, mask))
        if cards < needed:
            nearest, needed, elsewhere = cell, cards, needed
        elif cards < elsewhere:
            elsewhere = cards
    near = [(cell, mask) for cards, cell, mask in candidates if cards <= needed + _NEAR]
    for cell in position.mine.reached_goals:
        needed = min(needed, cards_from[cell])
    return NearEnds(OpenEnds(nearest, needed, elsewhere), near)


class LightPolicy(NamedTuple):
    """How the seat on turn plays in a rollout, and what it goes by."""

    position: Position
    near_ends: NearEnds
    cards_from: CardsFrom
    saboteur_probabilities: Sequence[float]
    """The probability of each seat to be a saboteur as the table sees it, which stays the same during a rollout."""
    dice: Dice

    def action(self) -> Action:
        """Return the action of the seat on turn, which has cards in its hand."""
        position = self.position
        hand = position.hands[position.turn]
        if position.roles[position.turn] == "digger":
            return self._helpful_action(hand) or self._discard(hand, spared=_CONNECTING_CARDS)
        if self.near_ends.all_ends.needed < _BETRAYAL:
            return self._harmful_action(hand) or self._discard(hand, spared=_WEAPONS)
        if self.dice.fraction() < _IDLE_CHANCE:
            return self._discard(hand, spared=_WEAPONS)
        return self._helpful_action(hand) or self._discard(hand, spared=_WEAPONS)

    def _discard(self, hand: Sequence[Card], *, spared: frozenset[Card]) -> Discard:
        first = self.dice.below(len(hand))
        for index in range(first, first + len(hand)):
            card = hand[index % len(hand)]
            if card not in spared:
                return Discard(card)
        return Discard(hand[first])

    def _helpful_action(self, hand: Sequence[Card]) -> Action | None:
        position = self.position
        broken = position.broken[position.turn]
        progress = None if broken else self._progress(hand)
        if progress or not (broken or any(position.broken) or _BREAK_CARDS.intersection(hand)):
            return progress
        own_repair = self._repair(hand, [position.turn]) if broken else None
        return own_repair or self._break_suspect(hand) or self._repair(hand, self._trusted_seats())

    def _progress(self, hand: Sequence[Card]) -> Lay | None:
        """Return the card that brings the path nearest to the treasure, or None if none does."""
        best, fewest = None, self.near_ends.all_ends.needed - _MIN_GAIN
        for card in _CONNECTING_CARDS.intersection(hand):
            orientations = ORIENTATIONS[card]
            for cell, mask in self.near_ends.near:
                for turned in orientations[mask]:
                    beyond = self._beyond(cell, TURNED_SHAPES[card] if turned else card)
                    if beyond < fewest:
                        best, fewest = Lay(card, cell, turned), beyond
        return best

    def _beyond(self, cell: Cell, shape: str) -> float:
        cards_from, laid = self.cards_from, self.position.mine.laid
        fewest = UNREACHABLE
        for neighbour in exits(cell, shape):
            if neighbour not in laid:
                cards = cards_from.get(neighbour, UNREACHABLE)
                fewest = min(fewest, cards)
        return fewest

    def _repair(self, hand: Sequence[Card], seats: Sequence[int]) -> Repair | None:
        for card in hand:
            for tool in REPAIRS.get(card, ()):
                for seat in seats:
                    if tool in self.position.broken[seat]:
                        return Repair(card, seat, tool)
        return None

    def _trusted_seats(self) -> Sequence[int]:
        return [
            seat
            for seat, broken in enumerate(self.position.broken)
            if broken
            and self.saboteur_probabilities[seat] < _MAX_GUILT_TO_REPAIR
            and seat not in self.position.gone
        ]

    def _break_suspect(self, hand: Sequence[Card]) -> Break | None:
        seats = [
            seat
            for seat in self._intact_others()
            if self.saboteur_probabilities[seat] > _MIN_GUILT_TO_BREAK
        ]
        return (
            _break(hand, max(seats, key=self.saboteur_probabilities.__getitem__)) if seats else None
        )

    def _intact_others(self) -> Sequence[int]:
        """Return the other players whose tools are intact, the next one on turn first."""
        position = self.position
        seats = len(position.broken)
        clockwise = [(position.turn + step) % seats for step in range(1, seats)]
        return [
            seat for seat in clockwise if not position.broken[seat] and seat not in position.gone
        ]

    def _harmful_action(self, hand: Sequence[Card]) -> Action | None:
        return self._dead_end(hand) or self._rockfall(hand) or self._break_digger(hand)

    def _dead_end(self, hand: Sequence[Card]) -> Lay | None:
        """Return a dead end on the nearest open end, unless another one is as near."""
        position, ends = self.position, self.near_ends.all_ends
        if position.broken[position.turn] or ends.nearest is None:
            return None
        if ends.needed_elsewhere <= ends.needed:
            return None
        mask = position.mine.open_cells[ends.nearest]
        for card in _DEAD_ENDS.intersection(hand):
            for turned in ORIENTATIONS[card][mask]:
                return Lay(card, ends.nearest, turned)
        return None

    def _rockfall(self, hand: Sequence[Card]) -> Rockfall | None:
        last_laid = self.position.last_laid
        if ROCKFALL not in hand or last_laid is None:
            return None
        is_path = self.position.mine.laid.get(last_laid) in CARD_BY_SHAPE
        return Rockfall(last_laid) if is_path else None

    def _break_digger(self, hand: Sequence[Card]) -> Break | None:
        roles = self.position.roles
        diggers = [seat for seat in self._intact_others() if roles[seat] == "digger"]
        return _break(hand, diggers[0]) if diggers else None


def _break(hand: Sequence[Card], target: int) -> Break | None:
    return next((Break(card, target) for card in hand if card in BREAKS), None)


_DEAD_ENDS: Final = frozenset(PATH_CARDS) - _CONNECTING_CARDS
_BREAK_CARDS: Final = frozenset(BREAKS)
_WEAPONS: Final = _DEAD_ENDS | _BREAK_CARDS | {ROCKFALL}
