"""What the public actions of a round say about the role of each seat: how much more likely a saboteur acts like this."""

from collections.abc import Iterable, Mapping, Sequence
from math import exp, log
from typing import Final

from engine.actions import Action, Break, Discard, Lay, Repair, Rockfall
from engine.bots.distance import NEGLIGIBLE_GAIN
from engine.bots.options import Option
from engine.bots.public_actions import PublicAction
from engine.cards import CONNECTS_EDGES

_MAX_SUSPICION: Final = 6.0
"""Evidence beyond this, in natural logarithms of odds, changes nothing: people surprise."""
SUSPICION_BY_TRAIT: Final[Mapping[str, float]] = {
    "progress": -0.4,
    "detour": -0.1,
    "useless dead end": 0.1,
    "block": 1.25,
    "clearing": -1.3,
    "damage": 2.3,
    "odd rockfall": 0.1,
    "break": 0.6,
    "punishment": -1.4,
    "repair": -1.3,
    "complicity": 0.15,
    "discard": 0.1,
}
"""What each trait of an action adds to the suspicion of its seat, in natural logarithms of odds.

Fitted by ``dev.py bench roles --evidence --games 150`` to rounds of steady bots, and rounded. Odd rockfalls, useless dead ends
and discards tell nothing there; they weigh a little because people who do so rather are saboteurs.
"""


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
            kind=_KIND_BY_ACTION_TYPE.get(type(action), "look"),
            cards_needed=0.0,
            gain=option.gain,
            detour=0.0,
            is_dead_end=isinstance(action, Lay) and not CONNECTS_EDGES[action.card],
            target=action.seat if isinstance(action, Break | Repair) else None,
            had_broken_tool=False,
        ),
        [log(weight) for weight in role_weights],
    )


def _suspicion_of(action: PublicAction, suspicions: Sequence[float]) -> float:
    return sum(
        SUSPICION_BY_TRAIT[trait] * amount
        for trait, amount in traits_of(action, suspicions).items()
    )


def traits_of(action: PublicAction, suspicions: Sequence[float]) -> Mapping[str, float]:
    """Return the traits of an action that say something about a role, with their amounts, by the suspicion of each seat before it."""
    suspicion_of_target = 0.0 if action.target is None else suspicions[action.target]
    match action.kind:
        case "lay":
            return {_trait_of_lay(action): 1.0}
        case "rockfall":
            return {_trait_of_rockfall(action): 1.0}
        case "break":
            return {"break": 1.0, "punishment": suspicion_of_target}
        case "repair":
            return {"repair": 1.0, "complicity": suspicion_of_target}
        case "discard" if not action.had_broken_tool:
            return {"discard": 1.0}
    return {}


def _trait_of_lay(action: PublicAction) -> str:
    if action.gain > NEGLIGIBLE_GAIN:
        return "progress"
    if action.gain < -NEGLIGIBLE_GAIN:
        return "block"
    return "useless dead end" if action.is_dead_end else "detour"


def _trait_of_rockfall(action: PublicAction) -> str:
    if action.is_dead_end:
        return "clearing"
    return "damage" if action.gain < -NEGLIGIBLE_GAIN else "odd rockfall"


_KIND_BY_ACTION_TYPE: Final[dict[type[Action], str]] = {
    Lay: "lay",
    Rockfall: "rockfall",
    Break: "break",
    Repair: "repair",
    Discard: "discard",
}
