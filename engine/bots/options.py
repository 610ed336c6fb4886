"""The sensible actions of a turn, each with how much a gold-digger and how much a saboteur would want it.

Both are natural logarithms of odds. The numbers were tuned by simulation (``dev.py bench roles``).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from engine.actions import Action, Break, Discard, Lay, Look, Repair, Rockfall
from engine.bots.distance import (
    NEGLIGIBLE_GAIN,
    CardsNeededByCell,
    OpenEnds,
    TreasureOdds,
    cards_from_freed_cell,
    cards_needed_after,
    cards_needed_beyond,
    open_ends,
)
from engine.cards import (
    BREAKS,
    CONNECTS_EDGES,
    EDGES,
    MAP,
    PATH_CARDS,
    REPAIRS,
    ROCKFALL,
    TURNED_SHAPES,
    Card,
    Tool,
)
from engine.cells import GOAL_CELLS
from engine.mine import Mine

_TREASURE_BONUS: Final = 10.0
"""Added to the wish of a digger, and the aversion of a saboteur, for the card that ends the round."""
_DISCARD_PREFERENCE_WITH_DECK, _DISCARD_PREFERENCE_WITHOUT_DECK = -0.5, -2.5
"""How much a digger wants to discard as long as there is a draw deck, and after that, when a card is not replaced."""
_PREFERENCE_FOR_POINTLESS_ACTION: Final = -14.0
"""How much everyone wants to lay a card that leads nowhere, and a gold-digger to do harm: a discard is always as good.

Once the deck is empty, a round ends soonest by discards, so an action that does not help is pointless for a gold-digger.
"""
_MAX_CARDS_NEEDED_TO_LOOK: Final = 2.5
"""The largest number of cards that a path needs at which a look at a goal still pays once the deck is empty."""
_MAX_POINTLESS_DETOUR: Final = 3.0
"""The number of cards by which a path card that keeps another way open leads at most farther than the nearest end."""
_MIN_GUILT_TO_BREAK: Final = 0.55
"""A digger may break the tool of a seat that is a saboteur with at least this probability: more than any seat has from the deal."""
_EQUALITY_TOLERANCE: Final = 1e-6
"""A smaller difference of wishes comes from rounding only."""


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


class Option(NamedTuple):
    """An action and who wants it."""

    action: Action
    digger_preference: float
    """How much a gold-digger wants it."""
    saboteur_preference: float
    """How much a saboteur who no longer hides wants it."""
    gain: float = 0.0
    """The number of cards by which it shortens what the path needs; below zero if it lengthens it."""


def options_of(situation: Situation, random_below: Callable[[int], int]) -> list[Option]:
    """Return the options of a seat with cards in its hand; of the cells for a card only the most helpful and harmful.

    ``random_below(n)`` returns a random number below n; it decides between equal cells.
    """
    if _is_hopeless(situation):
        return [_discard_option(situation, card) for card in dict.fromkeys(situation.hand)]
    options: list[Option] = []
    for card in dict.fromkeys(situation.hand):
        options_of_card = _OPTIONS_OF_CARD[card](situation, card)
        options += (
            _most_helpful_and_most_harmful(list(options_of_card), random_below)
            if card in _CARDS_FOR_CELLS
            else options_of_card
        )
        options.append(_discard_option(situation, card))
    return options


def _lay_options(situation: Situation, card: Card) -> Iterator[Option]:
    if situation.broken[situation.seat]:
        return iter(())
    return (_lay_option(situation, lay) for lay in situation.mine.placements(card))


def _rockfall_options(situation: Situation, _card: Card) -> Iterator[Option]:
    return (_rockfall_option(situation, rockfall) for rockfall in situation.mine.rockfalls())


def _most_helpful_and_most_harmful(
    options: Sequence[Option], random_below: Callable[[int], int]
) -> Iterator[Option]:
    """Yield the most helpful and the most harmful of the options; of equal ones any."""
    if not options:
        return
    most_helpful = _random_best_option(
        options, [option.digger_preference for option in options], random_below
    )
    yield most_helpful
    if (
        most_helpful.saboteur_preference
        < max(option.saboteur_preference for option in options) - _EQUALITY_TOLERANCE
    ):
        yield _random_best_option(
            options, [option.saboteur_preference for option in options], random_below
        )


def _random_best_option(
    options: Sequence[Option], preferences: Sequence[float], random_below: Callable[[int], int]
) -> Option:
    """Return any of the options that are wanted most."""
    threshold = max(preferences) - _EQUALITY_TOLERANCE
    best_options = [
        option
        for option, preference in zip(options, preferences, strict=True)
        if preference > threshold
    ]
    return best_options[random_below(len(best_options))]


def _lay_option(situation: Situation, lay: Lay) -> Option:
    shape = TURNED_SHAPES[lay.card] if lay.turned else lay.card
    ends = situation.ends
    cards_beyond = cards_needed_beyond(
        situation.mine, lay.cell, shape, situation.cards_needed_by_cell
    )
    gain = ends.cards_needed - cards_needed_after(ends, lay.cell, cards_beyond)
    detour = cards_beyond - ends.cards_needed
    if _is_pointless(situation, gain, detour):
        return Option(lay, _PREFERENCE_FOR_POINTLESS_ACTION, _PREFERENCE_FOR_POINTLESS_ACTION, gain)
    end_of_round_bonus = _TREASURE_BONUS if cards_beyond == 0 else 0.0
    return Option(
        lay,
        _digger_preference_for_lay(situation, gain, detour, EDGES[shape].bit_count())
        + end_of_round_bonus,
        _saboteur_preference_for_lay(gain, detour) - end_of_round_bonus,
        gain,
    )


def _is_pointless(situation: Situation, gain: float, detour: float) -> bool:
    """Return whether a path card laid neither helps nor harms; without a deck it would only restart the circle of passes."""
    max_detour = NEGLIGIBLE_GAIN if situation.is_deck_empty else _MAX_POINTLESS_DETOUR
    return abs(gain) <= NEGLIGIBLE_GAIN and detour > max_detour


def _digger_preference_for_lay(
    situation: Situation, gain: float, detour: float, edge_count: int
) -> float:
    if gain > NEGLIGIBLE_GAIN:
        return 2.0 + 1.2 * min(gain, 2.5) + 0.25 * edge_count
    if gain >= -NEGLIGIBLE_GAIN:
        return 0.6 - 0.9 * detour
    if situation.is_deck_empty:
        return _PREFERENCE_FOR_POINTLESS_ACTION
    return -1.5 + 1.5 * max(gain, -5.0)


def _saboteur_preference_for_lay(gain: float, detour: float) -> float:
    if gain > NEGLIGIBLE_GAIN:
        return -1.5 - 1.2 * gain
    if gain >= -NEGLIGIBLE_GAIN:
        return 0.5 - 0.2 * detour
    return 1.0 + 1.5 * min(-gain, 3.0)


def _rockfall_option(situation: Situation, rockfall: Rockfall) -> Option:
    mine = situation.mine
    is_dead_end = not CONNECTS_EDGES[mine.laid[rockfall.cell]]
    mine_after = mine.without_card(rockfall.cell)
    cards_needed_by_cell = cards_from_freed_cell(
        mine_after, rockfall.cell, situation.cards_needed_by_cell
    )
    gain = situation.ends.cards_needed - open_ends(mine_after, cards_needed_by_cell).cards_needed
    if gain > NEGLIGIBLE_GAIN:
        return Option(rockfall, 1.5 + 1.5 * gain, -3.0, gain)
    if is_dead_end:
        digger_preference = _PREFERENCE_FOR_POINTLESS_ACTION if situation.is_deck_empty else -0.8
        return Option(rockfall, digger_preference, -1.0, gain)
    saboteur_preference = (
        0.8 + 1.2 * min(-gain, 3.0) if gain < -NEGLIGIBLE_GAIN else _PREFERENCE_FOR_POINTLESS_ACTION
    )
    return Option(rockfall, _PREFERENCE_FOR_POINTLESS_ACTION, saboteur_preference, gain)


def _break_options(situation: Situation, card: Card) -> Iterator[Option]:
    """Yield the breaking of another player's tool; a player who already has a broken tool is less worth it."""
    for target, broken in enumerate(situation.broken):
        if BREAKS[card] in broken or target in situation.gone or target == situation.seat:
            continue
        guilt, is_stopped = situation.saboteur_probabilities[target], bool(broken)
        preference = (
            7.0 * (guilt - 0.6)
            if guilt > _MIN_GUILT_TO_BREAK and target not in situation.repaired_by_seat
            else _PREFERENCE_FOR_POINTLESS_ACTION
        )
        saboteur_preference = 2.2 - 2.0 * guilt - 2.0 * is_stopped
        yield Option(Break(card, target), preference - 1.5 * is_stopped, saboteur_preference)


def _repair_options(situation: Situation, card: Card) -> Iterator[Option]:
    for target, broken in enumerate(situation.broken):
        for tool in REPAIRS[card]:
            if tool not in broken or target in situation.gone:
                continue
            repair = Repair(card, target, tool)
            if target == situation.seat:
                yield Option(repair, 13.0, 2.0)
                continue
            regret = 5.0 if target in situation.broken_by_seat else 0.0
            digger_preference = 3.2 - 7.0 * situation.saboteur_probabilities[target] - regret
            yield Option(repair, digger_preference, -2.5)


def _look_options(situation: Situation, _card: Card) -> Iterator[Option]:
    if 1.0 in situation.treasure:
        return
    for cell, odds, turned in zip(GOAL_CELLS, situation.treasure, situation.turned, strict=True):
        if odds and not turned:
            yield Option(Look(cell), _digger_preference_for_look(situation), 0.8)


def _digger_preference_for_look(situation: Situation) -> float:
    if not situation.is_deck_empty:
        return 3.2
    is_near = situation.ends.cards_needed <= _MAX_CARDS_NEEDED_TO_LOOK
    return 0.0 if is_near else _PREFERENCE_FOR_POINTLESS_ACTION


def _discard_option(situation: Situation, card: Card) -> Option:
    value = _value_to_diggers(situation, card)
    saboteur_preference = -1.0 if card in _HARMFUL_CARDS else 0.2 + 0.4 * value
    return Option(Discard(card), _wish_to_discard(situation) - value, saboteur_preference)


def _wish_to_discard(situation: Situation) -> float:
    """Return how much a digger wants to discard a card of no value."""
    return (
        _DISCARD_PREFERENCE_WITHOUT_DECK
        if situation.is_deck_empty
        else _DISCARD_PREFERENCE_WITH_DECK
    )


def _is_hopeless(situation: Situation) -> bool:
    """Return whether too few cards are left for a path to the treasure, so that only discards end the round soon."""
    return situation.is_deck_empty and situation.cards_left < situation.ends.cards_needed


def _value_to_diggers(situation: Situation, card: Card) -> float:
    """Return how much a digger would miss a card."""
    if card in PATH_CARDS:
        return 0.2 + 0.3 * EDGES[card].bit_count() if CONNECTS_EDGES[card] else -0.6
    if card == MAP:
        return -0.5 if 1.0 in situation.treasure else 1.5
    return 1.0 if card in REPAIRS else 0.4


_HARMFUL_CARDS: Final = frozenset(
    {ROCKFALL, *BREAKS, *(card for card in PATH_CARDS if not CONNECTS_EDGES[card])}
)
"""The cards that a saboteur keeps for later."""
_CARDS_FOR_CELLS: Final = frozenset({ROCKFALL, *PATH_CARDS})
"""The cards that can be played on many cells."""
_OPTIONS_OF_CARD: Final[dict[Card, Callable[[Situation, Card], Iterator[Option]]]] = {
    **dict.fromkeys(PATH_CARDS, _lay_options),
    **dict.fromkeys(BREAKS, _break_options),
    **dict.fromkeys(REPAIRS, _repair_options),
    ROCKFALL: _rockfall_options,
    MAP: _look_options,
}
