"""The policy of a steady gold-digger: extend the path first, then repair tools, then look at goals."""

from collections.abc import Callable
from typing import Final

from engine.actions import Action, Break, Discard, Lay, Repair, Rockfall
from engine.bots.distance import UNREACHABLE_DISTANCE
from engine.bots.situation import Situation, shape_of
from engine.cards import BREAKS, CONNECTS_EDGES, EDGES, MAP, PATH_CARDS, REPAIRS, Card

_MIN_SUSPICION_TO_BREAK: Final = 1.0
"""The suspicion from which on a digger breaks the tools of a player."""
_MAX_SUSPICION_TO_REPAIR: Final = 0.5
"""The suspicion up to which a digger repairs the tools of a player."""


def digger_action(situation: Situation) -> Action:
    """Return the first useful action in order of priority, else the discard of the least useful card."""
    candidates = (propose_action(situation) for propose_action in _PRIORITIES)
    return next((action for action in candidates if action), None) or _least_useful_discard(
        situation
    )


def _extend_path(situation: Situation) -> Action | None:
    """Lay a card that shortens the path, or a second path nearly as short, so that no single card blocks all of them."""
    lays = [lay for lay in situation.actions_of(Lay) if _extends_path(situation, lay)]
    return min(
        lays, key=lambda lay: (situation.cards_needed_beyond(lay), -_edge_count(lay)), default=None
    )


def _extends_path(situation: Situation, lay: Lay) -> bool:
    cards_needed = situation.cards_needed_beyond(lay)
    is_closer = cards_needed < situation.distances.get(lay.cell, UNREACHABLE_DISTANCE)
    return is_closer and cards_needed <= situation.cards_needed


def _open_another_path(situation: Situation) -> Action | None:
    """Lay a card on any other path, unless it blocks the shortest one."""
    lays = [
        lay
        for lay in situation.actions_of(Lay)
        if situation.cards_needed_beyond(lay) < UNREACHABLE_DISTANCE
        and situation.cards_needed_after(lay) <= situation.cards_needed
    ]
    return min(
        lays, key=lambda lay: (situation.cards_needed_beyond(lay), -_edge_count(lay)), default=None
    )


def _remove_dead_end(situation: Situation) -> Action | None:
    """Remove the dead end whose removal shortens the path most."""
    mine = situation.view.mine
    best_rockfall, fewest_cards = None, situation.cards_needed
    for rockfall in situation.actions_of(Rockfall):
        if CONNECTS_EDGES[mine.laid[rockfall.cell]]:
            continue
        cards_needed = situation.cards_needed_in(mine.without_card(rockfall.cell))
        if cards_needed < fewest_cards:
            best_rockfall, fewest_cards = rockfall, cards_needed
    return best_rockfall


def _break_tool_of_suspect(situation: Situation) -> Action | None:
    suspicions, broken_tools = situation.suspicions, situation.view.broken
    most_suspicious_seat = max(
        (action for action in situation.actions_of(Break) if action.seat != situation.seat),
        key=lambda action: (not broken_tools[action.seat], suspicions[action.seat]),
        default=None,
    )
    return (
        most_suspicious_seat
        if most_suspicious_seat and suspicions[most_suspicious_seat.seat] >= _MIN_SUSPICION_TO_BREAK
        else None
    )


def _repair_trusted_player(situation: Situation) -> Action | None:
    suspicions = situation.suspicions
    repairs = [
        repair
        for repair in situation.actions_of(Repair)
        if suspicions[repair.seat] <= _MAX_SUSPICION_TO_REPAIR
    ]
    return min(repairs, key=lambda repair: suspicions[repair.seat], default=None)


def _least_useful_discard(situation: Situation) -> Action:
    return min(
        situation.actions_of(Discard),
        key=lambda discard: usefulness(discard.card),
        default=situation.legal_actions[0],
    )


def usefulness(card: Card) -> int:
    """Return how useful a card is to a gold-digger; only the order of the numbers matters."""
    if card in PATH_CARDS:
        return EDGES[card].bit_count() + 3 if CONNECTS_EDGES[card] else 0
    if card in REPAIRS:
        return 4 + len(REPAIRS[card])
    if card in BREAKS:
        return 2
    return 1 if card == MAP else 3


def _edge_count(lay: Lay) -> int:
    return EDGES[shape_of(lay)].bit_count()


_PRIORITIES: Final[tuple[Callable[[Situation], Action | None], ...]] = (
    Situation.own_repair,
    _extend_path,
    _repair_trusted_player,
    _break_tool_of_suspect,
    Situation.useful_look,
    _remove_dead_end,
    _open_another_path,
)
