"""How a steady saboteur plays: harm where it counts, and look idle otherwise."""

from collections.abc import Callable
from typing import Final

from engine.actions import Action, Break, Discard, Lay, Rockfall
from engine.bots.digging import worth
from engine.bots.situation import Situation

_NEAR: Final = 2
"""From how many missing cards on a saboteur shows his hand; before, he keeps his cards and his name."""


def sabotage(situation: Situation) -> Action:
    """The first harm worth doing, else the discard that diggers would miss most."""
    found = (idea(situation) for idea in _IDEAS)
    return next((action for action in found if action is not None), None) or _best_card(situation)


def _collapse(situation: Situation) -> Action | None:
    mine = situation.view.mine
    falls = situation.actions(Rockfall)
    best = max(
        falls, key=lambda fall: situation.remaining_in(mine.without_card(fall.cell)), default=None
    )
    if best is None or _is_early(situation):
        return None
    return (
        best if situation.remaining_in(mine.without_card(best.cell)) > situation.remaining else None
    )


def _block(situation: Situation) -> Action | None:
    best = max(situation.actions(Lay), key=situation.remaining_after, default=None)
    if best is None or _is_early(situation):
        return None
    return best if situation.remaining_after(best) > situation.remaining else None


def _break_digger(situation: Situation) -> Action | None:
    """Break a tool of the most helpful player whose tools are whole, the next on turn first."""
    if _is_early(situation):
        return None
    targets = [
        b
        for b in situation.actions(Break)
        if b.seat != situation.seat and not situation.view.broken[b.seat]
    ]
    return min(
        targets,
        key=lambda b: (situation.suspicions[b.seat], _turns_until(situation, b.seat)),
        default=None,
    )


def _best_card(situation: Situation) -> Action:
    return max(
        situation.actions(Discard),
        key=lambda discard: worth(discard.card),
        default=situation.menu[0],
    )


def _is_early(situation: Situation) -> bool:
    return situation.remaining > _NEAR


def _turns_until(situation: Situation, seat: int) -> int:
    return (seat - situation.seat) % situation.view.seats


_IDEAS: Final[tuple[Callable[[Situation], Action | None], ...]] = (
    _collapse,
    _block,
    _break_digger,
    Situation.own_repair,
    Situation.useful_look,
)
