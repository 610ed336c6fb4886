"""The policy of rollouts: the rules of steady play that matter most, at a fraction of the cost."""

from collections.abc import MutableSequence, Sequence
from math import exp
from typing import Final, NamedTuple

from engine.actions import Action, Break, Discard, Lay, Repair, Rockfall
from engine.bots.distance import (
    CROSSING,
    NEGLIGIBLE_GAIN,
    UNREACHABLE_CARD_COUNT,
    CardsNeededByCell,
    OpenEnds,
    exits,
    fewest_cards_from_exits,
)
from engine.bots.evidence import SUSPICION_BY_TRAIT
from engine.cards import (
    BREAKS,
    CARD_BY_SHAPE,
    CONNECTS_EDGES,
    DECK,
    HAND_SIZES,
    PATH_CARDS,
    REPAIRS,
    ROCKFALL,
    SHAPES,
    TURNED_SHAPES,
    Card,
)
from engine.cells import ORIENTATIONS, PATH_BITS, Cell, EdgeMask, neighbours
from engine.mine import Mine
from engine.rollouts import Dice, Position

_MAX_EXTRA_CARDS: Final = 0.8
"""The number of cards by which other open ends may be farther than the nearest one and still be considered."""
_LEAST_PATH_MASK: Final = PATH_BITS & -PATH_BITS
_DEAD_END_SHAPES: Final = frozenset(shape for shape in SHAPES if not CONNECTS_EDGES[shape])


class NearEnds(NamedTuple):
    """The open ends of a position; it holds until a card is laid or removed."""

    all_ends: OpenEnds
    near_cells: Sequence[tuple[Cell, EdgeMask]]
    """The open ends that are nearest to the treasure, or nearly so, each with the edges it requires."""


_WATCHED_TURN_COUNT: Final = 3
_WATCHED_DECK_SIZES: Final = {
    seats: len(DECK) - seats * (hand_size + _WATCHED_TURN_COUNT)
    for seats, hand_size in HAND_SIZES.items()
}
"""The size of the draw deck, by number of seats, when saboteurs stop hiding more."""
_EARLY_BETRAYAL_CARDS, _LATER_BETRAYAL_CARDS = 2.2, 4.0
"""Saboteurs do harm when the path needs this many cards or fewer: in the first turns, and later."""
_IDLE_CHANCE_OF_SABOTEURS: Final = 0.3
_IDLE_CHANCE_OF_DIGGERS: Final = 0.2
"""How often a seat discards though it could help, unless the draw deck is empty."""
_MIN_GUILT_TO_BREAK: Final = 0.55
_MAX_GUILT_TO_REPAIR: Final = 0.5
_MIN_GAIN: Final = 0.05
_MAX_DETOUR: Final = 1.5
"""The number of cards by which a path card laid for want of a better one may lead farther than the nearest open end."""
_GUILT_BY_BLOCK, _GUILT_BY_DAMAGE, _GUILT_BY_BREAKING = (
    exp(SUSPICION_BY_TRAIT[trait]) for trait in ("block", "damage", "break")
)
"""How many times as likely a saboteur is to lay a dead end, cause a rockfall or break a tool as a digger."""
_CONNECTING_CARDS: Final = frozenset(card for card in PATH_CARDS if CONNECTS_EDGES[card])


class LightPolicy(NamedTuple):
    """The play of the seat on turn in a rollout, and what it depends on."""

    position: Position
    near_ends: NearEnds
    cards_needed_by_cell: CardsNeededByCell
    saboteur_probabilities: MutableSequence[float]
    """The probability of each seat to be a saboteur as the table sees it; it rises when a seat does harm."""
    dice: Dice

    def action(self) -> Action:
        """Return the action of the seat on turn, which has cards in its hand."""
        position = self.position
        hand = position.hands[position.turn]
        if position.roles[position.turn] == "digger":
            spared_cards, idle_chance = _CONNECTING_CARDS, _IDLE_CHANCE_OF_DIGGERS
        elif self.near_ends.all_ends.cards_needed < self._betrayal_cards():
            return self._harmful_action(hand) or self._discard(hand, spared_cards=_HARMFUL_CARDS)
        else:
            spared_cards, idle_chance = _HARMFUL_CARDS, _IDLE_CHANCE_OF_SABOTEURS
        if position.deck and self.dice.fraction() < idle_chance:
            return self._discard(hand, spared_cards=spared_cards)
        return self._helpful_action(hand) or self._discard(hand, spared_cards=spared_cards)

    def _betrayal_cards(self) -> float:
        position = self.position
        is_watched = len(position.deck) > _WATCHED_DECK_SIZES[len(position.hands)]
        return _EARLY_BETRAYAL_CARDS if is_watched else _LATER_BETRAYAL_CARDS

    def _discard(self, hand: Sequence[Card], *, spared_cards: frozenset[Card]) -> Discard:
        first_index = self.dice.number_below(len(hand))
        for index in range(first_index, first_index + len(hand)):
            card = hand[index % len(hand)]
            if card not in spared_cards:
                return Discard(card)
        return Discard(hand[first_index])

    def _helpful_action(self, hand: Sequence[Card]) -> Action | None:
        position = self.position
        broken = position.broken[position.turn]
        lay, is_progress = (None, False) if broken else self._best_lay(hand)
        if is_progress or not (
            broken or any(position.broken) or _HELPFUL_ACTION_CARDS.intersection(hand)
        ):
            return lay
        own_repair = self._repair(hand, [position.turn]) if broken else None
        return (
            own_repair
            or self._clearing_rockfall(hand)
            or self._break_suspect(hand)
            or self._repair(hand, self._trusted_seats())
            or lay
        )

    def _clearing_rockfall(self, hand: Sequence[Card]) -> Rockfall | None:
        if ROCKFALL not in hand:
            return None
        cell = _cell_to_clear(
            self.position.mine, self.near_ends.all_ends.cards_needed, self.cards_needed_by_cell
        )
        return Rockfall(cell) if cell else None

    def _best_lay(self, hand: Sequence[Card]) -> tuple[Lay | None, bool]:
        """Return the card that leads nearest to the treasure, None if all lead away, and whether it brings the path nearer."""
        ends, cards_needed_by_cell, mine = (
            self.near_ends.all_ends,
            self.cards_needed_by_cell,
            self.position.mine,
        )
        best_lay, fewest_cards = None, ends.cards_needed + _MAX_DETOUR
        farthest_from_only_end = ends.cards_needed + _MIN_GAIN
        has_other_end = ends.cards_needed_elsewhere < farthest_from_only_end
        for card in _CONNECTING_CARDS.intersection(hand):
            orientations = ORIENTATIONS[card]
            for cell, mask in self.near_ends.near_cells:
                for turned in orientations[mask]:
                    shape = TURNED_SHAPES[card] if turned else card
                    cards_beyond = fewest_cards_from_exits(mine, cell, shape, cards_needed_by_cell)
                    if cards_beyond < fewest_cards and (
                        cards_beyond < farthest_from_only_end
                        or cell != ends.nearest_cell
                        or has_other_end
                    ):
                        best_lay, fewest_cards = Lay(card, cell, turned), cards_beyond
        return best_lay, fewest_cards < ends.cards_needed - _MIN_GAIN

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
            for seat in self._other_seats_with_intact_tools()
            if self.saboteur_probabilities[seat] > _MIN_GUILT_TO_BREAK
        ]
        return (
            _break(hand, max(seats, key=self.saboteur_probabilities.__getitem__)) if seats else None
        )

    def _other_seats_with_intact_tools(self) -> Sequence[int]:
        """Return the other players whose tools are intact, the next one on turn first."""
        position = self.position
        seats = len(position.broken)
        clockwise_seats = [(position.turn + step) % seats for step in range(1, seats)]
        return [
            seat
            for seat in clockwise_seats
            if not position.broken[seat] and seat not in position.gone
        ]

    def _harmful_action(self, hand: Sequence[Card]) -> Action | None:
        for find_harmful_action, guilt in (
            (self._blocking_lay, _GUILT_BY_BLOCK),
            (self._rockfall, _GUILT_BY_DAMAGE),
            (self._break_digger, _GUILT_BY_BREAKING),
        ):
            action = find_harmful_action(hand)
            if action:
                self._arouse_suspicion(guilt)
                return action
        return None

    def _arouse_suspicion(self, odds_ratio: float) -> None:
        """Let the table believe more that the seat on turn is a saboteur."""
        turn = self.position.turn
        odds = self.saboteur_probabilities[turn] * odds_ratio
        self.saboteur_probabilities[turn] = odds / (odds + 1 - self.saboteur_probabilities[turn])

    def _blocking_lay(self, hand: Sequence[Card]) -> Lay | None:
        """Return a dead end on the nearest open end, unless another one is as near."""
        position, ends = self.position, self.near_ends.all_ends
        if position.broken[position.turn] or ends.nearest_cell is None:
            return None
        if ends.cards_needed_elsewhere <= ends.cards_needed:
            return None
        mask = position.mine.open_cells[ends.nearest_cell]
        for card in _DEAD_ENDS.intersection(hand):
            for turned in ORIENTATIONS[card][mask]:
                return Lay(card, ends.nearest_cell, turned)
        return None

    def _rockfall(self, hand: Sequence[Card]) -> Rockfall | None:
        last_laid = self.position.last_laid
        if ROCKFALL not in hand or last_laid is None:
            return None
        is_path = self.position.mine.laid.get(last_laid) in CARD_BY_SHAPE
        return Rockfall(last_laid) if is_path else None

    def _break_digger(self, hand: Sequence[Card]) -> Break | None:
        roles = self.position.roles
        diggers = [
            seat for seat in self._other_seats_with_intact_tools() if roles[seat] == "digger"
        ]
        return _break(hand, diggers[0]) if diggers else None


def _break(hand: Sequence[Card], target: int) -> Break | None:
    return next((Break(card, target) for card in hand if card in BREAKS), None)


_DEAD_ENDS: Final = frozenset(PATH_CARDS) - _CONNECTING_CARDS
_BREAK_CARDS: Final = frozenset(BREAKS)
_HELPFUL_ACTION_CARDS: Final = _BREAK_CARDS | {ROCKFALL}
_HARMFUL_CARDS: Final = _DEAD_ENDS | _BREAK_CARDS | {ROCKFALL}


def near_ends_of(mine: Mine, cards_needed_by_cell: CardsNeededByCell) -> NearEnds:
    """Return the open ends of a mine."""
    nearest_cell, cards_needed, cards_needed_elsewhere, max_cards = (
        None,
        UNREACHABLE_CARD_COUNT,
        UNREACHABLE_CARD_COUNT,
        UNREACHABLE_CARD_COUNT + _MAX_EXTRA_CARDS,
    )
    candidates: list[tuple[float, Cell, EdgeMask]] = []
    for cell, mask in mine.open_cells.items():
        if mask < _LEAST_PATH_MASK:
            continue
        cards = cards_needed_by_cell.get(cell, UNREACHABLE_CARD_COUNT)
        if cards > max_cards:
            continue
        candidates.append((cards, cell, mask))
        if cards < cards_needed:
            nearest_cell, cards_needed, cards_needed_elsewhere, max_cards = (
                cell,
                cards,
                cards_needed,
                cards + _MAX_EXTRA_CARDS,
            )
        elif cards < cards_needed_elsewhere:
            cards_needed_elsewhere = cards
    near_cells = [(cell, mask) for cards, cell, mask in candidates if cards <= max_cards]
    for cell in mine.reached_goals:
        cards_needed = min(cards_needed, cards_needed_by_cell[cell])
    return NearEnds(OpenEnds(nearest_cell, cards_needed, cards_needed_elsewhere), near_cells)


def _cell_to_clear(
    mine: Mine, cards_needed: float, cards_needed_by_cell: CardsNeededByCell
) -> Cell | None:
    """Return the cell of a dead end in whose place a card would lead nearer than ``cards_needed``; None if there is none."""
    best_cell, fewest_cards = None, cards_needed - NEGLIGIBLE_GAIN
    for cell, shape in mine.laid.items():
        if shape in _DEAD_END_SHAPES and _is_reached(mine, cell):
            cards = 1 + fewest_cards_from_exits(mine, cell, CROSSING, cards_needed_by_cell)
            if cards < fewest_cards:
                best_cell, fewest_cards = cell, cards
    return best_cell


def _is_reached(mine: Mine, cell: Cell) -> bool:
    """Return whether a path from the start leads to a laid card."""
    laid = mine.laid
    return any(
        neighbour in laid
        and CONNECTS_EDGES[laid[neighbour]]
        and neighbour not in mine.disconnected
        and cell in exits(neighbour, laid[neighbour])
        for neighbour in neighbours(cell)
    )
