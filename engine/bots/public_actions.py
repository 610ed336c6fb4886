"""What each action of this round shows to everyone: its kind, and what it did to the path."""

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from engine.bots.distance import (
    OpenEnds,
    TreasureOdds,
    cards_needed_after,
    cards_needed_beyond,
    cards_without_obstacles,
    open_ends,
)
from engine.cards import CONNECTS_EDGES, GOAL_SHAPES, TURNED_SHAPES
from engine.cells import GOAL_CELLS, Cell
from engine.mine import Mine
from engine.narration import Line, LineKey
from engine.rollouts import ChangingMine

_STARTS_OF_HISTORY: Final = (LineKey.ROUND_DEALT, LineKey.REWOUND)
_PATH_CHANGES: Final = (LineKey.CARD_LAID, LineKey.ROCK_FELL)
_KIND_BY_LINE_KEY: Final = {
    LineKey.CARD_LAID: "lay",
    LineKey.TOOL_BROKEN: "break",
    LineKey.OWN_TOOL_BROKEN: "break-own",
    LineKey.TOOL_REPAIRED: "repair",
    LineKey.OWN_TOOL_REPAIRED: "repair-own",
    LineKey.ROCK_FELL: "rockfall",
    LineKey.GOAL_LOOKED_AT: "look",
    LineKey.GOAL_SEEN: "look",
    LineKey.DISCARDED: "discard",
    LineKey.CARD_DISCARDED: "discard",
    LineKey.PASSED: "pass",
}


class PublicAction(NamedTuple):
    """An action as every player at the table saw it."""

    seat: int
    kind: str
    """lay, break, break-own, repair, repair-own, rockfall, look, discard or pass."""
    cards_needed: float
    """The number of cards that the path needed before the action."""
    gain: float
    """The number of cards by which the action shortened what the path needs; below zero if it did harm."""
    detour: float
    """The number of cards that a path through the laid card would need beyond the shortest one; 0 for other actions."""
    is_dead_end: bool
    """Whether the card laid or removed was a dead end."""
    target: int | None
    """The seat whose tool was broken or repaired."""
    had_broken_tool: bool
    """Whether the seat could lay no path card."""


def lines_of_this_round(lines: Sequence[Line]) -> Sequence[Line]:
    """Return the lines since the deal of this round, or since the game was rewound."""
    starts = (
        index for index in range(len(lines) - 1, -1, -1) if lines[index].key in _STARTS_OF_HISTORY
    )
    return lines[next(starts, 0) :]


def public_actions(lines: Sequence[Line], mine: Mine) -> Iterator[PublicAction]:
    """Yield the actions of this round in order, from lines that any one seat has seen; ``mine`` gives the rules for laying.

    After a rewind the paths laid before it are unknown here, so that laying cards shows nothing until the next deal.
    """
    recent_lines = lines_of_this_round(lines)
    is_whole_round = bool(recent_lines) and recent_lines[0].key == LineKey.ROUND_DEALT
    observer = _RoundObserver(mine.with_start_only() if is_whole_round else None)
    for line in recent_lines:
        if line.key in _KIND_BY_LINE_KEY and line.seat is not None:
            yield observer.observe(line, line.seat)
        elif line.key in (LineKey.STONE_TURNED, LineKey.TREASURE_TURNED):
            observer.apply_turned_goal(line)


class _RoundObserver:
    """The public part of the position while the actions of a round are read again."""

    def __init__(self, mine: Mine | None) -> None:
        self.mine = ChangingMine.copy_of(mine) if mine else None
        self.stone_cells: set[Cell] = set()
        self.broken_tools: Counter[int] = Counter()
        self.update_open_ends()

    def update_open_ends(self) -> None:
        """Find the open ends again after the mine has changed."""
        self.cards_needed_by_cell = cards_without_obstacles(_treasure_odds(self.stone_cells))
        self.ends = (
            OpenEnds(None, 0.0, 0.0)
            if self.mine is None
            else open_ends(self.mine, self.cards_needed_by_cell)
        )

    def observe(self, line: Line, seat: int) -> PublicAction:
        """Return what a line shows, and apply it."""
        had_broken_tool = self.broken_tools[seat] > 0
        cards_needed = self.ends.cards_needed
        gain, detour = self._effect_on_path(line)
        return PublicAction(
            seat=seat,
            kind=_KIND_BY_LINE_KEY[line.key],
            cards_needed=cards_needed,
            gain=gain,
            detour=detour,
            is_dead_end=line.key in _PATH_CHANGES and not CONNECTS_EDGES[line.card or ""],
            target=self._target(line, seat),
            had_broken_tool=had_broken_tool,
        )

    def apply_turned_goal(self, line: Line) -> None:
        """Lay a goal that was turned over."""
        if self.mine is None or line.cell is None or line.goal is None:
            return
        self.mine.lay(line.cell, GOAL_SHAPES[line.goal][line.turned])
        if line.goal != "treasure":
            self.stone_cells.add(line.cell)
            self.update_open_ends()

    def _target(self, line: Line, seat: int) -> int | None:
        """Return whose tool was broken or repaired, and count it."""
        if line.tool is None:
            return None
        target = seat if line.target is None else line.target
        is_broken = line.key in (LineKey.TOOL_BROKEN, LineKey.OWN_TOOL_BROKEN)
        self.broken_tools[target] += 1 if is_broken else -1
        return target

    def _effect_on_path(self, line: Line) -> tuple[float, float]:
        """Change the path as a line says; return the gain and the detour."""
        if self.mine is None or line.key not in _PATH_CHANGES or not (line.card and line.cell):
            return 0.0, 0.0
        ends_before, mine = self.ends, self.mine
        if line.key == LineKey.ROCK_FELL:
            mine.remove(line.cell)
            self.update_open_ends()
            return ends_before.cards_needed - self.ends.cards_needed, 0.0
        shape = TURNED_SHAPES[line.card] if line.turned else line.card
        cards_beyond = cards_needed_beyond(mine, line.cell, shape, self.cards_needed_by_cell)
        mine.lay(line.cell, shape)
        self.update_open_ends()
        return ends_before.cards_needed - cards_needed_after(
            ends_before, line.cell, cards_beyond
        ), cards_beyond - ends_before.cards_needed


def _treasure_odds(stone_cells: AbstractSet[Cell]) -> TreasureOdds:
    """Return the probability of each goal cell to hold the treasure if only these are known to hold stones."""
    candidates = [cell not in stone_cells for cell in GOAL_CELLS]
    top, middle, bottom = (is_candidate / sum(candidates) for is_candidate in candidates)
    return top, middle, bottom
