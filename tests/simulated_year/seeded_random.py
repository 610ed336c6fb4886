"""The chance of a simulated year: the same seed gives the same year, so it is no source of secrets."""

from random import Random  # noqa: TID251 - nothing that is drawn here is secret

__all__ = ["Random", "rng_for"]


def rng_for(seed: str) -> Random:
    """Return the source of everything random in the year of this seed."""
    return Random(f"simulated year {seed}")
