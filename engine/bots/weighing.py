"""The weights by which a bot chooses among its options, and the choice."""

from collections import defaultdict
from collections.abc import Callable, MutableMapping, Sequence
from math import exp
from typing import Final, TypeAlias

from engine.actions import Action, Discard, Lay, Repair
from engine.bots.distance import NO_GAIN
from engine.bots.options import Option

_DISGUISED_RANDOMNESS: Final = 1.0
"""How random a hiding saboteur is among actions that look the same to the table."""
_LOYALTY_TO_DIGGERS_TASTE: Final = 0.3
"""How much a hiding saboteur still prefers what a digger would, of actions that look the same."""
_CLEARLY_HELPFUL: Final = 1.0
_PRECISION: Final = 1 << 30
VisibleKind: TypeAlias = tuple[type[Action], int, bool]
"""What the table sees of an option: its type, whether it brings the path nearer (1) or farther (-1), whether it helps clearly."""
_DISCARD: Final = (Discard, 0, False)


def weights_by(preferences: Sequence[float], randomness: float) -> list[float]:
    """Return for each wish, a natural logarithm of odds, the probability to fulfil it; they sum to 1."""
    strongest = max(preferences)
    weights = [exp((wish - strongest) / randomness) for wish in preferences]
    total = sum(weights)
    return [weight / total for weight in weights]


def disguised(
    options: Sequence[Option], digger_weights: Sequence[float], withheld_help: float = 0.0
) -> list[float]:
    """Return the weights of a saboteur that hides: each visible kind of action as often as a digger, but of its options the harmful.

    A face-down discard, for example, is as frequent as that of a digger, but gives away a card that diggers would miss. So
    often (``withheld_help``) as the saboteur would help, it discards instead.
    """
    kinds = [_visible_kind(option) for option in options]
    preferences = [
        exp(option.harm / _DISGUISED_RANDOMNESS) * weight**_LOYALTY_TO_DIGGERS_TASTE
        for option, weight in zip(options, digger_weights, strict=True)
    ]
    kind_weights: defaultdict[VisibleKind, float] = defaultdict(float)
    kind_preferences: defaultdict[VisibleKind, float] = defaultdict(float)
    for kind, weight, preference in zip(kinds, digger_weights, preferences, strict=True):
        kind_weights[kind] += weight
        kind_preferences[kind] += preference
    _withhold(kind_weights, withheld_help)
    return [
        kind_weights[kind] * preference / kind_preferences[kind]
        for kind, preference in zip(kinds, preferences, strict=True)
    ]


def _withhold(kind_weights: MutableMapping[VisibleKind, float], share: float) -> None:
    """Move a share of the weights of helpful actions to discards."""
    for kind, weight in kind_weights.items():
        _, _, is_helpful = kind
        if is_helpful and _DISCARD in kind_weights:
            kind_weights[kind] -= share * weight
            kind_weights[_DISCARD] += share * weight


def _visible_kind(option: Option) -> VisibleKind:
    """Return what the table sees of an option: equal for options between which it cannot tell good from bad will."""
    action, gain = option.action, option.gain
    effect = (gain > NO_GAIN) - (gain < -NO_GAIN)
    is_helpful = isinstance(action, (Lay, Repair)) and option.help > _CLEARLY_HELPFUL
    return type(action), effect, is_helpful


def mixed(first: Sequence[float], second: Sequence[float], share_of_second: float) -> list[float]:
    """Return the weights of a choice that is made by the second weights so often, and else by the first."""
    return [
        (1 - share_of_second) * weight + share_of_second * other_weight
        for weight, other_weight in zip(first, second, strict=True)
    ]


def choose(
    options: Sequence[Option], weights: Sequence[float], pick: Callable[[int], int]
) -> Action:
    """Return the action of one option, chosen by weight; ``pick(n)`` returns a random number below n."""
    remaining = pick(_PRECISION) / _PRECISION * sum(weights)
    for option, weight in zip(options, weights, strict=True):
        remaining -= weight
        if remaining < 0:
            return option.action
    return options[-1].action
