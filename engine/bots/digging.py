"""How a steady gold-digger plays: forward first, then tools, then knowledge."""

from collections.abc import Callable
from typing import Final

from engine.actions import Action, Break, Discard, Lay, Repair, Rockfall
from engine.bots.distance import FAR
from engine.bots.situation import Situation, shape_of
from engine.cards import BREAKS, CONNECTS_EDGES, EDGES, MAP, PATH_CARDS, REPAIRS, Card

_SUSPECT: Final = 1.0
_TRUSTED: Final = 0.5


def dig(situation: Situation) -> Action:
    """The first thing worth doing, else the discard that hurts least."""
    found = (idea(situation) for idea in _IDEAS)
    return next((action for action in found if action is not None), None) or _worst_card(situation)


def _go_forward(situation: Situation) -> Action | None:
    """Bring the path nearer, or a second path nearly as near: one card alone must not close them all."""
    lays = [lay for lay in situation.actions(Lay) if _leads_on(situation, lay)]
    return min(lays, key=lambda lay: (situation.led_on(lay), -_openness(lay)), default=None)


def _leads_on(situation: Situation, lay: Lay) -> bool:
    left = situation.led_on(lay)
    return left < situation.field.get(lay.cell, FAR) and left <= situation.remaining


def _widen(situation: Situation) -> Action | None:
    """Open another way when the best one is stuck, without closing the best one."""
    ways = [lay for lay in situation.actions(Lay) if situation.led_on(lay) < FAR]
    safe = [lay for lay in ways if situation.remaining_after(lay) <= situation.remaining]
    return min(safe, key=lambda lay: (situation.led_on(lay), -_openness(lay)), default=None)


def _clear(situation: Situation) -> Action | None:
    mine = situation.view.mine
    dead = [
        fall for fall in situation.actions(Rockfall) if not CONNECTS_EDGES[mine.laid[fall.cell]]
    ]
    best = min(
        dead, key=lambda fall: situation.remaining_in(mine.without_card(fall.cell)), default=None
    )
    if best is None or situation.remaining_in(mine.without_card(best.cell)) >= situation.remaining:
        return None
    return best


def _stop_suspect(situation: Situation) -> Action | None:
    worst = max(
        (action for action in situation.actions(Break) if action.seat != situation.seat),
        key=lambda action: (
            not situation.view.broken[action.seat],
            situation.suspicions[action.seat],
        ),
        default=None,
    )
    return worst if worst and situation.suspicions[worst.seat] >= _SUSPECT else None


def _mend_friend(situation: Situation) -> Action | None:
    repairs = [r for r in situation.actions(Repair) if situation.suspicions[r.seat] <= _TRUSTED]
    return min(repairs, key=lambda repair: situation.suspicions[repair.seat], default=None)


def _worst_card(situation: Situation) -> Action:
    return min(
        situation.actions(Discard),
        key=lambda discard: worth(discard.card),
        default=situation.menu[0],
    )


def worth(card: Card) -> int:
    """How dearly a gold-digger would miss a card."""
    if card in PATH_CARDS:
        return EDGES[card].bit_count() + 3 if CONNECTS_EDGES[card] else 0
    if card in REPAIRS:
        return 4 + len(REPAIRS[card])
    if card in BREAKS:
        return 2
    return 1 if card == MAP else 3


def _openness(lay: Lay) -> int:
    return EDGES[shape_of(lay)].bit_count()


_IDEAS: Final[tuple[Callable[[Situation], Action | None], ...]] = (
    Situation.own_repair,
    _go_forward,
    _mend_friend,
    _stop_suspect,
    Situation.useful_look,
    _clear,
    _widen,
)
