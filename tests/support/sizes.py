"""How many cases the thorough tests try: `dev.py test --quick`, `dev.py test` and `dev.py test --full` choose a column.

Without it the usual column is used. The quick tests end within a minute on two cores, the usual run within fifteen
minutes, the full one within an hour.
"""

import os
from typing import Final, NamedTuple


class _Sizes(NamedTuple):
    quick: int
    usual: int
    full: int


_SIZES: Final = {
    "hypothesis_examples": _Sizes(6, 30, 300),
    "games_per_rulebook": _Sizes(3, 3, 30),
    "differential_positions": _Sizes(120, 120, 3_000),
    "simulated_games": _Sizes(3, 9, 60),
    "reference_model_rounds": _Sizes(1, 10, 30),
    "fuzz_requests": _Sizes(30, 300, 20_000),
}


def size_of(name: str) -> int:
    """Return how many cases to try in the current run."""
    column = os.environ.get("LODEPOST_TEST_SIZES", "usual")
    return int(getattr(_SIZES[name], column))


def is_full() -> bool:
    """Return whether this is the full run."""
    return os.environ.get("LODEPOST_TEST_SIZES") == "full"
