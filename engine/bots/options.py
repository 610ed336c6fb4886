"""The sensible actions of a turn, each with how much a gold-digger and how much a saboteur would want it.

Both are natural logarithms of odds. The numbers were tuned by simulation (``lodepost simulate --report``).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from engine.actions import Action, Break, Discard, Lay, Look, Repair, Rockfall
from engine.bots.distance import (
    NO_GAIN,
    UNREACHABLE,
    cards_from_freed_cell,
    needed_after,
    needed_beyond,
    open_ends,
)
from engine.bots.situation import Situation
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
)
from engine.cells import GOAL_CELLS

_REACHES_TREASURE: Final = 10.0
"""Added to the wish of a digger, and the aversion of a saboteur, for the card that ends the round."""


_END_OF_HOPE: Final = 8.0
"""How much everyone wants to discard when nothing can change the outcome."""
_NO_HASTE, _NO_TIME_TO_LOSE = -0.5, -2.5
"""How much a digger wants to discard as long as there is a draw deck, and after that, when a card is not replaced."""
_MIN_GUILT_TO_BREAK: Final = 0.55
"""The probability of a seat to be a saboteur from which on a digger may break its tool; more than any seat has from the deal."""
_NO_SUSPECT: Final = -14.0
"""How much a digger wants to break the tool of anyone else."""
_EQUAL: Final = 1e-6
"""A smaller difference of wishes comes from rounding only."""


class Option(NamedTuple):
    """An action and who wants it."""

    action: Action
    help: float
    """How much a gold-digger wants it."""
    harm: float
    """How much a saboteur wants it who no longer hides."""
    gain: float = 0.0
    """By how many cards it shortens what the path needs; below zero if it lengthens it."""


def options_of(situation: Situation, pick: Callable[[int], int]) -> list[Option]:
    """Return the options of a seat with cards in its hand; of the cells for a card only the most helpful and harmful.

    ``pick(n)`` returns a random number below n; it decides between equal cells.
    """
    options: list[Option] = []
    for card in dict.fromkeys(situation.hand):
        options_of_card = _OPTIONS_OF_CARD[card](situation, card)
        options += (
            _extremes(list(options_of_card), pick) if card in _CARDS_FOR_CELLS else options_of_card
        )
        options.append(_discard(situation, card))
    return options


def _lays(situation: Situation, card: Card) -> Iterator[Option]:
    if situation.broken[situation.seat]:
        return iter(())
    return (_lay(situation, lay) for lay in situation.mine.placements(card))


def _rockfalls(situation: Situation, _card: Card) -> Iterator[Option]:
    return (_rockfall(situation, rockfall) for rockfall in situation.mine.rockfalls())


def _extremes(options: Sequence[Option], pick: Callable[[int], int]) -> Iterator[Option]:
    """Yield the most helpful and the most harmful of the options; of equal ones any."""
    if not options:
        return
    most_helpful = _any_best(options, [option.help for option in options], pick)
    yield most_helpful
    if most_helpful.harm < max(option.harm for option in options) - _EQUAL:
        yield _any_best(options, [option.harm for option in options], pick)


def _any_best(
    options: Sequence[Option], wishes: Sequence[float], pick: Callable[[int], int]
) -> Option:
    """Return any of the options that are wanted most."""
    least = max(wishes) - _EQUAL
    best = [option for option, wish in zip(options, wishes, strict=True) if wish > least]
    return best[pick(len(best))]


def _lay(situation: Situation, lay: Lay) -> Option:
    shape = TURNED_SHAPES[lay.card] if lay.turned else lay.card
    ends = situation.ends
    beyond = needed_beyond(situation.mine, lay.cell, shape, situation.cards_from)
    gain = ends.needed - needed_after(ends, lay.cell, beyond)
    detour = beyond - ends.needed
    end_of_round = _REACHES_TREASURE if beyond == 0 else 0.0
    return Option(
        lay,
        _help_of_lay(gain, detour, EDGES[shape].bit_count()) + end_of_round,
        _harm_of_lay(gain, detour) - end_of_round,
        gain,
    )


def _help_of_lay(gain: float, detour: float, edge_count: int) -> float:
    if gain > NO_GAIN:
        return 2.0 + 1.2 * min(gain, 2.5) + 0.25 * edge_count
    if gain > -NO_GAIN and detour < UNREACHABLE / 2:
        return 0.6 - 0.9 * detour
    return -1.5 + 1.5 * max(gain, -5.0)


def _harm_of_lay(gain: float, detour: float) -> float:
    if gain > NO_GAIN:
        return -1.5 - 1.2 * gain
    if gain > -NO_GAIN:
        return 0.5 - 0.2 * detour if detour < UNREACHABLE / 2 else -0.3
    return 1.0 + 1.5 * min(-gain, 3.0)


def _rockfall(situation: Situation, rockfall: Rockfall) -> Option:
    mine = situation.mine
    is_dead_end = not CONNECTS_EDGES[mine.laid[rockfall.cell]]
    after = mine.without_card(rockfall.cell)
    cards_from = cards_from_freed_cell(after, rockfall.cell, situation.cards_from)
    gain = situation.ends.needed - open_ends(after, cards_from).needed
    if gain > NO_GAIN:
        return Option(rockfall, 1.5 + 1.5 * gain, -3.0, gain)
    if is_dead_end:
        return Option(rockfall, -0.8, -1.0, gain)
    return Option(rockfall, -2.5 + 1.5 * gain, 0.8 + 1.2 * min(-gain, 3.0), gain)


def _breaks(situation: Situation, card: Card) -> Iterator[Option]:
    """Yield the breaking of another player's tool; a player who already has a broken tool is less worth it."""
    for target, broken in enumerate(situation.broken):
        if BREAKS[card] in broken or target in situation.gone or target == situation.seat:
            continue
        guilt, is_stopped = situation.saboteur_probabilities[target], bool(broken)
        wish = 7.0 * (guilt - 0.6) if guilt > _MIN_GUILT_TO_BREAK else _NO_SUSPECT
        harm = 2.2 - 2.0 * guilt - 2.0 * is_stopped
        yield Option(Break(card, target), wish - 1.5 * is_stopped, harm)


def _repairs(situation: Situation, card: Card) -> Iterator[Option]:
    for target, broken in enumerate(situation.broken):
        for tool in REPAIRS[card]:
            if tool not in broken or target in situation.gone:
                continue
            repair = Repair(card, target, tool)
            if target == situation.seat:
                yield Option(repair, 13.0, 2.0)
                continue
            regret = 3.0 if target in situation.broken_by_seat else 0.0
            help_ = 3.2 - 7.0 * situation.saboteur_probabilities[target] - regret
            yield Option(repair, help_, -2.5)


def _looks(situation: Situation, _card: Card) -> Iterator[Option]:
    if 1.0 in situation.treasure:
        return
    help_ = 0.0 if situation.is_deck_empty else 3.2
    for cell, odds, turned in zip(GOAL_CELLS, situation.treasure, situation.turned, strict=True):
        if odds and not turned:
            yield Option(Look(cell), help_, 0.8)


def _discard(situation: Situation, card: Card) -> Option:
    value = _value_to_diggers(situation, card)
    harm = -1.0 if card in _WEAPONS else 0.2 + 0.4 * value
    return Option(Discard(card), _wish_to_discard(situation) - value, harm)


def _wish_to_discard(situation: Situation) -> float:
    """Return how much a digger wants to discard a card of no value."""
    if _is_hopeless(situation):
        return _END_OF_HOPE
    return _NO_TIME_TO_LOSE if situation.is_deck_empty else _NO_HASTE


def _is_hopeless(situation: Situation) -> bool:
    """Return whether too few cards are left for a path to the treasure, so that only discards end the round soon."""
    return situation.is_deck_empty and situation.cards_left < situation.ends.needed


def _value_to_diggers(situation: Situation, card: Card) -> float:
    """Return how much a digger would miss a card."""
    if card in PATH_CARDS:
        return 0.2 + 0.3 * EDGES[card].bit_count() if CONNECTS_EDGES[card] else -0.6
    if card == MAP:
        return -0.5 if 1.0 in situation.treasure else 1.5
    return 1.0 if card in REPAIRS else 0.4


_WEAPONS: Final = frozenset(
    {ROCKFALL, *BREAKS, *(card for card in PATH_CARDS if not CONNECTS_EDGES[card])}
)
"""The cards that a saboteur keeps for later."""
_CARDS_FOR_CELLS: Final = frozenset({ROCKFALL, *PATH_CARDS})
"""The cards that can be played on many cells."""
_OPTIONS_OF_CARD: Final[dict[Card, Callable[[Situation, Card], Iterator[Option]]]] = {
    **dict.fromkeys(PATH_CARDS, _lays),
    **dict.fromkeys(BREAKS, _breaks),
    **dict.fromkeys(REPAIRS, _repairs),
    ROCKFALL: _rockfalls,
    MAP: _looks,
}
