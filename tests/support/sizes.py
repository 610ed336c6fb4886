"""How much every thorough test tries: `dev.py test` takes the small column, `--full` the other.

Each name has a small and a full size. A test that could go on for ever asks here, so that the usual run keeps its fifteen minutes and
the thorough one ends within the hour on two cores.
"""

import os

_TABLE = {
    "hypothesis_examples": (30, 300),
    "games_per_rulebook": (3, 30),
    "differential_positions": (120, 3_000),
    "simulated_games": (9, 60),
    "reference_model_rounds": (10, 30),
    "fuzz_requests": (300, 20_000),
}


def size_of(name: str) -> int:
    small, full = _TABLE[name]
    return full if is_full() else small


def is_full() -> bool:
    return os.environ.get("LODEPOST_TEST_SIZES") == "full"
