"""How a steady gold-digger plays: forward first, then tools, then knowledge."""

from collections.abc import Callable
from typing import Final

from engine.actions import Action, Break, Discard, Lay, Repair, Rockfall
from engine.bots.distance import FAR
from engine.bots.outlook import Outlook, shape_of
from engine.cards import BREAKS, EDGES, JOINED, MAP, PATH_CARDS, REPAIRS, Card

_SUSPECT: Final = 1.0
_TRUSTED: Final = 0.5


def dig(outlook: Outlook) -> Action:
    """The first thing worth doing, else the discard that hurts least."""
    found = (idea(outlook) for idea in _IDEAS)
    return next((action for action in found if action is not None), None) or _worst_card(outlook)


def _go_forward(outlook: Outlook) -> Action | None:
    """Bring the path nearer, or a second path nearly as near: one card alone must not close them all."""
    lays = [lay for lay in outlook.actions(Lay) if _leads_on(outlook, lay)]
    return min(lays, key=lambda lay: (outlook.led_on(lay), -_openness(lay)), default=None)


def _leads_on(outlook: Outlook, lay: Lay) -> bool:
    left = outlook.led_on(lay)
    return left < outlook.field.get(lay.cell, FAR) and left <= outlook.remaining


def _widen(outlook: Outlook) -> Action | None:
    """Open another way when the best one is stuck, without closing the best one."""
    ways = [lay for lay in outlook.actions(Lay) if outlook.led_on(lay) < FAR]
    safe = [lay for lay in ways if outlook.remaining_after(lay) <= outlook.remaining]
    return min(safe, key=lambda lay: (outlook.led_on(lay), -_openness(lay)), default=None)


def _clear(outlook: Outlook) -> Action | None:
    mine = outlook.view.mine
    dead = [fall for fall in outlook.actions(Rockfall) if not JOINED[mine.laid[fall.cell]]]
    best = min(
        dead, key=lambda fall: outlook.remaining_in(mine.without_card(fall.cell)), default=None
    )
    if best is None or outlook.remaining_in(mine.without_card(best.cell)) >= outlook.remaining:
        return None
    return best


def _stop_suspect(outlook: Outlook) -> Action | None:
    worst = max(
        (action for action in outlook.actions(Break) if action.seat != outlook.seat),
        key=lambda action: (not outlook.view.broken[action.seat], outlook.suspicions[action.seat]),
        default=None,
    )
    return worst if worst and outlook.suspicions[worst.seat] >= _SUSPECT else None


def _mend_friend(outlook: Outlook) -> Action | None:
    repairs = [r for r in outlook.actions(Repair) if outlook.suspicions[r.seat] <= _TRUSTED]
    return min(repairs, key=lambda repair: outlook.suspicions[repair.seat], default=None)


def _worst_card(outlook: Outlook) -> Action:
    return min(
        outlook.actions(Discard), key=lambda discard: worth(discard.card), default=outlook.menu[0]
    )


def worth(card: Card) -> int:
    """How dearly a gold-digger would miss a card."""
    if card in PATH_CARDS:
        return EDGES[card].bit_count() + 3 if JOINED[card] else 0
    if card in REPAIRS:
        return 4 + len(REPAIRS[card])
    if card in BREAKS:
        return 2
    return 1 if card == MAP else 3


def _openness(lay: Lay) -> int:
    return EDGES[shape_of(lay)].bit_count()


_IDEAS: Final[tuple[Callable[[Outlook], Action | None], ...]] = (
    Outlook.own_repair,
    _go_forward,
    _mend_friend,
    _stop_suspect,
    Outlook.useful_look,
    _clear,
    _widen,
)
