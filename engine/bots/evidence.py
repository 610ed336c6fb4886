"""What the public actions of a round say about the role of each seat: how much more likely a saboteur acts like this."""

from collections.abc import Iterable, Sequence
from math import exp
from typing import Final

from engine.bots.distance import NO_GAIN
from engine.bots.public_actions import PublicAction

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
