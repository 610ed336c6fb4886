"""How much every thorough test tries: `dev.py test` takes the small column, `--full` the other.

Each name has a small and a full size. A test that could go on for ever asks here, so that the whole run keeps its fifteen minutes and a
night may be spent on more.
"""

import os

_TABLE = {
    "hypothesis_examples": (60, 2_000),
    "games_per_rulebook": (3, 200),
    "differential_positions": (300, 20_000),
    "simulated_games": (20, 400),
}


def size_of(name: str) -> int:
    small, full = _TABLE[name]
    return full if is_full() else small


def is_full() -> bool:
    return os.environ.get("LODEPOST_TEST_SIZES") == "full"
