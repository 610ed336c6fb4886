"""Who looks like a saboteur, judged by what everybody could see."""

from collections.abc import Callable, Sequence
from typing import Final

from engine.cards import CONNECTS_EDGES
from engine.cells import GOAL_CELLS, START_CELL, Cell, position
from engine.story import Line, LineKey

_DEAD_END, _HELPFUL, _IDLE = 3.0, -1.0, 0.4
_ROCKFALL, _CLEARING = 2.5, -2.0
_ATTACK, _PUNISHMENT = 1.5, -0.5
_CARE, _BAD_CARE = -1.0, 0.5


def suspicions(lines: Sequence[Line], seats: int) -> list[float]:
    """For each seat how much it looks like a saboteur this round: above zero suspicious, below zero helpful."""
    watch = _Watch(seats)
    for line in _this_round(lines):
        judge = _JUDGE.get(line.key)
        if judge and line.seat is not None:
            watch.scores[line.seat] += judge(watch, line)
    return watch.scores


def _this_round(lines: Sequence[Line]) -> Sequence[Line]:
    starts = (at for at in range(len(lines) - 1, -1, -1) if lines[at].key == LineKey.ROUND_DEALT)
    return lines[next(starts, 0) :]


class _Watch:
    """What an attentive player keeps in mind."""

    def __init__(self, seats: int) -> None:
        self.scores = [0.0] * seats
        self.nearest = _to_goals(START_CELL)


def _laid(watch: _Watch, line: Line) -> float:
    if not CONNECTS_EDGES[line.card or ""]:
        return _DEAD_END
    far = _to_goals(line.cell or START_CELL)
    helps, watch.nearest = far < watch.nearest, min(far, watch.nearest)
    return _HELPFUL if helps else _IDLE


def _rock_fell(watch: _Watch, line: Line) -> float:
    watch.nearest = max(watch.nearest, _to_goals(line.cell or START_CELL))
    return _ROCKFALL if CONNECTS_EDGES[line.card or ""] else _CLEARING


def _broke(watch: _Watch, line: Line) -> float:
    return _PUNISHMENT if watch.scores[line.target or 0] > 0 else _ATTACK


def _mended(watch: _Watch, line: Line) -> float:
    return _BAD_CARE if watch.scores[line.target or 0] > 0 else _CARE


def _to_goals(cell: Cell) -> int:
    x, y = position(cell)
    goals = map(position, GOAL_CELLS)
    return min(abs(x - goal_x) + abs(y - goal_y) for goal_x, goal_y in goals)


_JUDGE: Final[dict[LineKey, Callable[[_Watch, Line], float]]] = {
    LineKey.CARD_LAID: _laid,
    LineKey.ROCK_FELL: _rock_fell,
    LineKey.TOOL_BROKEN: _broke,
    LineKey.TOOL_REPAIRED: _mended,
}
