"""What the public actions of a round say about the role of each seat: how much more likely a saboteur acts like this."""

from collections.abc import Iterable, Sequence
from math import exp, log
from typing import Final

from engine.actions import Action, Break, Discard, Lay, Repair, Rockfall
from engine.bots.distance import NO_GAIN
from engine.bots.options import Option
from engine.bots.public_actions import PublicAction
from engine.cards import CONNECTS_EDGES

_MAX_SUSPICION: Final = 6.0
"""Evidence beyond this, in natural logarithms of odds, changes nothing: people surprise."""
_PROGRESS, _DETOUR, _USELESS_DEAD_END, _BLOCK = -0.5, 0.1, 1.0, 2.0
_CLEARING, _DAMAGE, _ODD_ROCKFALL = -0.7, 2.0, 0.5
_BREAK, _REPAIR, _DISCARD = 0.6, -0.4, 0.3
_PUNISHMENT, _COMPLICITY = -0.6, 0.3
"""For each unit of suspicion of the target: what breaking its tool and repairing it add."""


def role_weights_after(actions: Iterable[PublicAction], seats: int) -> list[float]:
    """Return for each seat how many times as likely a saboteur is to have acted like this as a digger."""
    return [
        exp(max(-_MAX_SUSPICION, min(suspicion, _MAX_SUSPICION)))
        for suspicion in suspicions_after(actions, seats)
    ]


def suspicions_after(actions: Iterable[PublicAction], seats: int) -> list[float]:
    """Return for each seat the natural logarithm of that."""
    suspicions = [0.0] * seats
    for action in actions:
        suspicions[action.seat] += _suspicion_of(action, suspicions)
    return suspicions


def suspicion_shown(option: Option, role_weights: Sequence[float]) -> float:
    """Return the suspicion that an option of the seat on turn would add, if the table weighs roles like this."""
    action = option.action
    return _suspicion_of(
        PublicAction(
            seat=0,
            kind=_KINDS.get(type(action), "look"),
            needed=0.0,
            gain=option.gain,
            detour=0.0,
            is_dead_end=isinstance(action, Lay) and not CONNECTS_EDGES[action.card],
            target=action.seat if isinstance(action, Break | Repair) else None,
            had_broken_tool=False,
        ),
        [log(weight) for weight in role_weights],
    )


def _suspicion_of(action: PublicAction, suspicions: Sequence[float]) -> float:
    of_target = 0.0 if action.target is None else suspicions[action.target]
    match action.kind:
        case "lay":
            return _suspicion_of_lay(action)
        case "rockfall":
            return _suspicion_of_rockfall(action)
        case "break":
            return _BREAK + _PUNISHMENT * of_target
        case "repair":
            return _REPAIR + _COMPLICITY * of_target
        case "discard":
            return _DISCARD
    return 0.0


def _suspicion_of_lay(action: PublicAction) -> float:
    if action.gain > NO_GAIN:
        return _PROGRESS
    if action.gain < -NO_GAIN:
        return _BLOCK
    return _USELESS_DEAD_END if action.is_dead_end else _DETOUR


def _suspicion_of_rockfall(action: PublicAction) -> float:
    if action.is_dead_end:
        return _CLEARING
    return _DAMAGE if action.gain < -NO_GAIN else _ODD_ROCKFALL


_KINDS: Final[dict[type[Action], str]] = {
    Lay: "lay",
    Rockfall: "rockfall",
    Break: "break",
    Repair: "repair",
    Discard: "discard",
}
