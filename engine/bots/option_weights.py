"""How a bot weighs its options and chooses one."""

from collections import defaultdict
from collections.abc import Callable, MutableMapping, Sequence
from math import exp
from typing import Final, TypeAlias

from engine.actions import Action, Discard, Lay, Repair
from engine.bots.distance import NEGLIGIBLE_GAIN
from engine.bots.options import Option

_DISGUISED_RANDOMNESS: Final = 1.0
"""How random a hiding saboteur is among actions that look the same to the table."""
_DIGGER_WEIGHT_EXPONENT: Final = 0.3
"""How much a hiding saboteur still prefers what a digger would, of actions that look the same."""
_MIN_CLEAR_HELP: Final = 1.0
_RANDOM_STEP_COUNT: Final = 1 << 30
VisibleKind: TypeAlias = tuple[type[Action], int, bool]
"""What the table sees of an option: its type, whether it brings the path nearer (1) or farther (-1), whether it helps clearly."""
_VISIBLE_KIND_OF_DISCARD: Final = (Discard, 0, False)


def weights_of_preferences(preferences: Sequence[float], randomness: float) -> list[float]:
    """Return for each wish, a natural logarithm of odds, the probability to fulfil it; they sum to 1."""
    strongest_preference = max(preferences)
    weights = [exp((preference - strongest_preference) / randomness) for preference in preferences]
    total = sum(weights)
    return [weight / total for weight in weights]


def disguised_weights(
    options: Sequence[Option], digger_weights: Sequence[float], withholding_chance: float = 0.0
) -> list[float]:
    """Return the weights of a saboteur that hides: each visible kind of action as often as a digger, but of its options the harmful.

    A face-down discard, for example, is as frequent as that of a digger, but gives away a card that diggers would miss. So
    often (``withholding_chance``) as the saboteur would help, it discards instead.
    """
    kinds = [_visible_kind(option) for option in options]
    preferences = [
        exp(option.saboteur_preference / _DISGUISED_RANDOMNESS) * weight**_DIGGER_WEIGHT_EXPONENT
        for option, weight in zip(options, digger_weights, strict=True)
    ]
    kind_weights: defaultdict[VisibleKind, float] = defaultdict(float)
    preference_sums_by_kind: defaultdict[VisibleKind, float] = defaultdict(float)
    for kind, weight, preference in zip(kinds, digger_weights, preferences, strict=True):
        kind_weights[kind] += weight
        preference_sums_by_kind[kind] += preference
    _withhold_help(kind_weights, withholding_chance)
    return [
        kind_weights[kind] * preference / preference_sums_by_kind[kind]
        for kind, preference in zip(kinds, preferences, strict=True)
    ]


def _withhold_help(kind_weights: MutableMapping[VisibleKind, float], share: float) -> None:
    """Move a share of the weights of helpful actions to discards."""
    for kind, weight in kind_weights.items():
        _, _, is_helpful = kind
        if is_helpful and _VISIBLE_KIND_OF_DISCARD in kind_weights:
            kind_weights[kind] -= share * weight
            kind_weights[_VISIBLE_KIND_OF_DISCARD] += share * weight


def _visible_kind(option: Option) -> VisibleKind:
    """Return what the table sees of an option: equal for options between which it cannot tell good from bad will."""
    action, gain = option.action, option.gain
    effect = (gain > NEGLIGIBLE_GAIN) - (gain < -NEGLIGIBLE_GAIN)
    is_helpful = isinstance(action, (Lay, Repair)) and option.digger_preference > _MIN_CLEAR_HELP
    return type(action), effect, is_helpful


def mixed_weights(
    first_weights: Sequence[float], second_weights: Sequence[float], share_of_second: float
) -> list[float]:
    """Return the weights of a choice that is made by the second weights so often, and else by the first."""
    return [
        (1 - share_of_second) * weight + share_of_second * other_weight
        for weight, other_weight in zip(first_weights, second_weights, strict=True)
    ]


def choose_by_weight(
    options: Sequence[Option], weights: Sequence[float], random_below: Callable[[int], int]
) -> Action:
    """Return the action of one option, chosen by weight; ``random_below(n)`` returns a random number below n."""
    remaining_weight = random_below(_RANDOM_STEP_COUNT) / _RANDOM_STEP_COUNT * sum(weights)
    for option, weight in zip(options, weights, strict=True):
        remaining_weight -= weight
        if remaining_weight < 0:
            return option.action
    return options[-1].action
