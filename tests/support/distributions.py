"""Compare two samples of times.

Its own module because the tests of workers and of leaks compare the answers of bots.
"""

from collections.abc import Sequence


def differ(first: Sequence[float], second: Sequence[float]) -> bool:
    """Return whether two samples come from different distributions (Kolmogorov and Smirnov, at 0.1 percent)."""
    distance = max(
        abs(_share_below(first, at) - _share_below(second, at)) for at in [*first, *second]
    )
    sizes = len(first), len(second)
    return distance > 1.95 * (sum(sizes) / (sizes[0] * sizes[1])) ** 0.5


def _share_below(sample: Sequence[float], at: float) -> float:
    return sum(value <= at for value in sample) / len(sample)
