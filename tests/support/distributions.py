"""Compare two samples of times."""

from collections.abc import Sequence


def distributions_differ(first_sample: Sequence[float], second_sample: Sequence[float]) -> bool:
    """Return whether two samples come from different distributions (Kolmogorov and Smirnov, at 0.1 percent)."""
    distance = max(
        abs(_share_up_to(first_sample, upper_bound) - _share_up_to(second_sample, upper_bound))
        for upper_bound in [*first_sample, *second_sample]
    )
    sizes = len(first_sample), len(second_sample)
    return distance > 1.95 * (sum(sizes) / (sizes[0] * sizes[1])) ** 0.5


def _share_up_to(sample: Sequence[float], upper_bound: float) -> float:
    return sum(value <= upper_bound for value in sample) / len(sample)
