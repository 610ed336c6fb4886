"""How a person digs who knows the words of the page alone."""

import re
from typing import Final

from engine.cells import GOAL_CELLS, position

_SIDES: Final = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}
_WIDEST: Final = ("crossing", "T-junction", "straight tunnel", "bend")
_LAY: Final = re.compile(r"Lay a path card at ([^:,]+)(?:, turned round)?: (.+)")


def narrowness(name: str) -> int:
    """The rank of a card by its name; last what is no path, or ends dead."""
    ranks = [rank for rank, kind in enumerate(_WIDEST) if kind in name]
    return ranks[0] if ranks else len(_WIDEST)


def is_lay(words: str) -> bool:
    """Whether that is what a place of the mine offers."""
    return _LAY.fullmatch(words) is not None


def way_left(words: str) -> int:
    """How many cells lie between where the card would lead and the nearest goal."""
    found = _LAY.fullmatch(words)
    assert found is not None
    x, y = position(found[1])
    named = [step for side, step in _SIDES.items() if side in found[2]]
    return min(_to_goals(x + right, y + down) for right, down in named or _SIDES.values())


def _to_goals(x: int, y: int) -> int:
    return min(abs(goal_x - x) + abs(goal_y - y) for goal_x, goal_y in map(position, GOAL_CELLS))
