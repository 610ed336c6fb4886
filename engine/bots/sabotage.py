"""How a steady saboteur plays: harm where it counts, and look idle otherwise."""

from collections.abc import Callable
from typing import Final

from engine.actions import Action, Break, Discard, Lay, Rockfall
from engine.bots.digging import worth
from engine.bots.outlook import Outlook

_NEAR: Final = 2
"""From how many missing cards on a saboteur shows his hand; before, he keeps his cards and his name."""


def sabotage(outlook: Outlook) -> Action:
    """The first harm worth doing, else the discard that diggers would miss most."""
    found = (idea(outlook) for idea in _IDEAS)
    return next((action for action in found if action is not None), None) or _best_card(outlook)


def _collapse(outlook: Outlook) -> Action | None:
    mine = outlook.view.mine
    falls = outlook.actions(Rockfall)
    best = max(
        falls, key=lambda fall: outlook.remaining_in(mine.without_card(fall.cell)), default=None
    )
    if best is None or _is_early(outlook):
        return None
    return best if outlook.remaining_in(mine.without_card(best.cell)) > outlook.remaining else None


def _block(outlook: Outlook) -> Action | None:
    best = max(outlook.actions(Lay), key=outlook.remaining_after, default=None)
    if best is None or _is_early(outlook):
        return None
    return best if outlook.remaining_after(best) > outlook.remaining else None


def _break_digger(outlook: Outlook) -> Action | None:
    """Break a tool of the most helpful player whose tools are whole, the next on turn first."""
    if _is_early(outlook):
        return None
    targets = [
        b
        for b in outlook.actions(Break)
        if b.seat != outlook.seat and not outlook.view.broken[b.seat]
    ]
    return min(
        targets,
        key=lambda b: (outlook.suspicions[b.seat], _turns_until(outlook, b.seat)),
        default=None,
    )


def _best_card(outlook: Outlook) -> Action:
    return max(
        outlook.actions(Discard), key=lambda discard: worth(discard.card), default=outlook.menu[0]
    )


def _is_early(outlook: Outlook) -> bool:
    return outlook.remaining > _NEAR


def _turns_until(outlook: Outlook, seat: int) -> int:
    return (seat - outlook.seat) % outlook.view.seats


_IDEAS: Final[tuple[Callable[[Outlook], Action | None], ...]] = (
    _collapse,
    _block,
    _break_digger,
    Outlook.own_repair,
    Outlook.useful_look,
)
