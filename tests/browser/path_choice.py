"""The choice of a path card and its cell, from nothing but the labels on the page."""

import re
from typing import Final

from engine.cells import GOAL_CELLS, position

_SIDE_STEPS: Final = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}
_MOST_OPENINGS_FIRST: Final = ("crossing", "T-junction", "straight tunnel", "bend")
_LAY_LABEL: Final = re.compile(r"Lay it at ([^:,]+)(?:, turned)?: (.+)")


def openings_rank(name: str) -> int:
    """Return the rank of a card by its name, the most openings first; dead ends and other cards rank last."""
    ranks = [rank for rank, kind in enumerate(_MOST_OPENINGS_FIRST) if kind in name]
    return ranks[0] if ranks else len(_MOST_OPENINGS_FIRST)


def offers_to_lay_path_card(label: str) -> bool:
    """Return whether the label of a cell offers to lay a path card."""
    return _LAY_LABEL.fullmatch(label) is not None


def distance_to_goals(label: str) -> int:
    """Return the distance in cells from the card's openings to the nearest goal."""
    match = _LAY_LABEL.fullmatch(label)
    assert match is not None
    x, y = position(match[1])
    openings = [step for side, step in _SIDE_STEPS.items() if side in match[2]]
    return min(_distance(x + right, y + down) for right, down in openings or _SIDE_STEPS.values())


def _distance(x: int, y: int) -> int:
    return min(abs(goal_x - x) + abs(goal_y - y) for goal_x, goal_y in map(position, GOAL_CELLS))
