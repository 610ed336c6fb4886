"""How much each seat looks like a saboteur, judged by public history alone."""

from collections.abc import Callable, Sequence
from typing import Final

from engine.cards import CONNECTS_EDGES
from engine.cells import GOAL_CELLS, START_CELL, Cell, position
from engine.narration import Line, LineKey

_DEAD_END_SCORE, _HELPFUL_PATH_SCORE, _IDLE_PATH_SCORE = 3.0, -1.0, 0.4
_ROCKFALL_SCORE, _CLEARING_SCORE = 2.5, -2.0
_ATTACK_SCORE, _PUNISHMENT_SCORE = 1.5, -0.5
_STARTS_OF_HISTORY: Final = (LineKey.ROUND_DEALT, LineKey.REWOUND)
_REPAIR_SCORE, _SUSPICIOUS_REPAIR_SCORE = -1.0, 0.5


def suspicions(lines: Sequence[Line], seats: int) -> list[float]:
    """Return a score for each seat in this round: above zero suspicious, below zero helpful.

    ``lines`` are lines of history that any one seat has seen, oldest first.
    """
    board = _Scoreboard(seats)
    for line in lines_of_this_round(lines):
        score_line = _SCORERS.get(line.key)
        if score_line and line.seat is not None:
            board.scores[line.seat] += score_line(board, line)
    return board.scores


def lines_of_this_round(lines: Sequence[Line]) -> Sequence[Line]:
    """Return the lines since the deal of this round, or since the game was rewound."""
    starts = (
        index for index in range(len(lines) - 1, -1, -1) if lines[index].key in _STARTS_OF_HISTORY
    )
    return lines[next(starts, 0) :]


class _Scoreboard:
    """The scores so far, and how near to the goals the path has come."""

    def __init__(self, seats: int) -> None:
        self.scores = [0.0] * seats
        self.shortest_distance = _distance_to_goals(START_CELL)


def _suspicion_of_path(board: _Scoreboard, line: Line) -> float:
    if not CONNECTS_EDGES[line.card or ""]:
        return _DEAD_END_SCORE
    distance = _distance_to_goals(line.cell or START_CELL)
    is_helpful = distance < board.shortest_distance
    board.shortest_distance = min(distance, board.shortest_distance)
    return _HELPFUL_PATH_SCORE if is_helpful else _IDLE_PATH_SCORE


def _suspicion_of_rockfall(board: _Scoreboard, line: Line) -> float:
    board.shortest_distance = max(
        board.shortest_distance, _distance_to_goals(line.cell or START_CELL)
    )
    return _ROCKFALL_SCORE if CONNECTS_EDGES[line.card or ""] else _CLEARING_SCORE


def _suspicion_of_breaking(board: _Scoreboard, line: Line) -> float:
    return _PUNISHMENT_SCORE if board.scores[line.target or 0] > 0 else _ATTACK_SCORE


def _suspicion_of_repair(board: _Scoreboard, line: Line) -> float:
    return _SUSPICIOUS_REPAIR_SCORE if board.scores[line.target or 0] > 0 else _REPAIR_SCORE


def _distance_to_goals(cell: Cell) -> int:
    x, y = position(cell)
    goals = map(position, GOAL_CELLS)
    return min(abs(x - goal_x) + abs(y - goal_y) for goal_x, goal_y in goals)


_SCORERS: Final[dict[LineKey, Callable[[_Scoreboard, Line], float]]] = {
    LineKey.CARD_LAID: _suspicion_of_path,
    LineKey.ROCK_FELL: _suspicion_of_rockfall,
    LineKey.TOOL_BROKEN: _suspicion_of_breaking,
    LineKey.TOOL_REPAIRED: _suspicion_of_repair,
}
