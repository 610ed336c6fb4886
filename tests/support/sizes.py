"""How many cases the thorough tests try: `dev.py test --quick`, `dev.py test` and `dev.py test --full` choose a column.

Without it the usual column is used. CONTRIBUTING.md says what runs where, and why.
"""

import os
from typing import Final, NamedTuple


class _CaseCounts(NamedTuple):
    quick: int
    usual: int
    full: int


_CASE_COUNTS: Final = {
    "hypothesis_examples": _CaseCounts(6, 20, 300),
    "games_per_rulebook": _CaseCounts(3, 3, 30),
    "differential_positions": _CaseCounts(80, 80, 3_000),
    "simulated_games": _CaseCounts(3, 9, 60),
    "bot_games": _CaseCounts(1, 1, 12),
    "concealment_games": _CaseCounts(10, 10, 200),
    "dashboard_games": _CaseCounts(2_000, 10_000, 10_000),
    "dashboard_accounts": _CaseCounts(20_000, 100_000, 100_000),
    "views_of_each_page": _CaseCounts(1, 1, 4),
    "fuzz_requests": _CaseCounts(30, 300, 20_000),
}


def case_count(name: str) -> int:
    """Return how many cases to try in the current run."""
    column = os.environ.get("LODEPOST_TEST_SIZES", "usual")
    return int(getattr(_CASE_COUNTS[name], column))


def is_full_run() -> bool:
    """Return whether this is the full run."""
    return os.environ.get("LODEPOST_TEST_SIZES") == "full"
