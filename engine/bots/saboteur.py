"""The policy of a steady saboteur: do harm once the path is nearly complete, and play like an idle digger before."""

from collections.abc import Callable
from typing import Final

from engine.actions import Action, Break, Discard, Lay, Rockfall
from engine.bots.digger import usefulness
from engine.bots.situation import Situation

_NEAR_GOAL_DISTANCE: Final = 2
"""The number of cards needed from which on a saboteur does harm; before, it keeps its cards and hides its role."""


def saboteur_action(situation: Situation) -> Action:
    """Return the first harmful action in order of priority, else the discard of the card most useful to diggers."""
    candidates = (propose_action(situation) for propose_action in _PRIORITIES)
    return next((action for action in candidates if action), None) or _most_useful_discard(
        situation
    )


def _cause_rockfall(situation: Situation) -> Action | None:
    """Remove the card whose removal lengthens the path most."""
    if _is_early(situation):
        return None
    mine = situation.view.mine
    best_rockfall, most_cards = None, situation.cards_needed
    for rockfall in situation.actions_of(Rockfall):
        needed = situation.cards_needed_in(mine.without_card(rockfall.cell))
        if needed > most_cards:
            best_rockfall, most_cards = rockfall, needed
    return best_rockfall


def _block_path(situation: Situation) -> Action | None:
    """Lay the card that lengthens the path most."""
    if _is_early(situation):
        return None
    best_rockfall, most_cards = None, situation.cards_needed
    for lay in situation.actions_of(Lay):
        needed = situation.cards_needed_after(lay)
        if needed > most_cards:
            best_rockfall, most_cards = lay, needed
    return best_rockfall


def _break_tool_of_digger(situation: Situation) -> Action | None:
    """Break a tool of the least suspicious player with intact tools; of equals, the next one on turn."""
    if _is_early(situation):
        return None
    targets = [
        action
        for action in situation.actions_of(Break)
        if action.seat != situation.seat and not situation.view.broken[action.seat]
    ]
    return min(
        targets,
        key=lambda target: (
            situation.suspicions[target.seat],
            _turns_until(situation, target.seat),
        ),
        default=None,
    )


def _most_useful_discard(situation: Situation) -> Action:
    return max(
        situation.actions_of(Discard),
        key=lambda discard: usefulness(discard.card),
        default=situation.legal_actions[0],
    )


def _is_early(situation: Situation) -> bool:
    return situation.cards_needed > _NEAR_GOAL_DISTANCE


def _turns_until(situation: Situation, seat: int) -> int:
    return (seat - situation.seat) % situation.view.seats


_PRIORITIES: Final[tuple[Callable[[Situation], Action | None], ...]] = (
    _cause_rockfall,
    _block_path,
    _break_tool_of_digger,
    Situation.own_repair,
    Situation.useful_look,
)
