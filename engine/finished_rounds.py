"""The rounds of a game as they ended, from its log alone, and their winning paths: no rules and no chance."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from engine.cards import CONNECTS_EDGES, EDGES, GOAL_SHAPES, OPPOSITE_SIDE, SIDES
from engine.cells import START_CELL, Cell, neighbours
from engine.events import Dealt, Event, Rewound
from engine.evolve import evolve
from engine.mine import Mine
from engine.state import State

_TREASURE_SHAPE = GOAL_SHAPES["treasure"][0]


class FinishedRound(NamedTuple):
    """A round whose roles were shown. Sequence numbers are those of turns that were not taken back."""

    number: int
    seqs: tuple[int, ...]
    """The turns of the round, to the last gold card that was picked. Its deal is part of the turn before, save for the first."""
    state: State
    """The position before the next deal: nothing of the next round is in it."""

    def __repr__(self) -> str:
        """Show the number only, because the state holds secrets."""
        return f"<FinishedRound {self.number}>"


def kept_turns(log: Sequence[Iterable[Event]]) -> tuple[int, ...]:
    """Return the numbers of the turns that count: without rewinds and what they took back."""
    previous: list[int] = []
    latest: list[int] = []
    for seq, events in enumerate(log):
        rewind = next((event for event in events if isinstance(event, Rewound)), None)
        previous.append(latest[-1] if latest else -1)
        latest.append(seq if rewind is None else latest[rewind.to_seq])
    kept, seq = [], latest[-1] if latest else -1
    while seq >= 0:
        kept.append(seq)
        seq = previous[seq]
    return tuple(reversed(kept))


def finished_rounds(
    start: State, log: Sequence[Sequence[Event]], latest: State
) -> tuple[FinishedRound, ...]:
    """Return the rounds of a log whose result is known, in order; the last one may still wait for players to pick their gold.

    ``start`` is the position before the first deal, ``latest`` the one after the log: the round under way is not folded again.
    """
    rounds: list[FinishedRound] = []
    state, round_seqs = start, list[int]()
    turns_since_fold: list[int] = []
    for seq in kept_turns(log):
        round_seqs.append(seq)
        turns_since_fold.append(seq)
        deal = next((index for index, event in enumerate(log[seq]) if isinstance(event, Dealt)), -1)
        if deal < 0:
            continue
        state = _after(state, [log[each] for each in turns_since_fold[:-1]])
        if state.round:
            ended = msgspec.structs.replace(evolve(state, log[seq][:deal]), seq=seq)
            rounds.append(FinishedRound(state.round, tuple(round_seqs), ended))
            round_seqs = []
        state, turns_since_fold = evolve(state, log[seq]), []
    if state.round and len(latest.results) == state.round:
        rounds.append(FinishedRound(state.round, tuple(round_seqs), latest))
    return tuple(rounds)


def _after(state: State, turns: Iterable[Iterable[Event]]) -> State:
    for events in turns:
        state = evolve(state, events)
    return state


def winning_path(mine: Mine) -> tuple[Cell, ...]:
    """Return the cells of a shortest unbroken path from the start to the treasure, both included; none if there is no such path.

    Of paths of the same length it is always the same one, so that all players see the same picture.
    """
    came_from: dict[Cell, Cell | None] = {START_CELL: None}
    cells = deque([START_CELL])
    while cells:
        cell = cells.popleft()
        if mine.laid[cell] == _TREASURE_SHAPE:
            return _way_back(cell, came_from)
        for neighbour in _joined_neighbours(mine, cell):
            if neighbour not in came_from:
                came_from[neighbour] = cell
                cells.append(neighbour)
    return ()


def _way_back(cell: Cell, came_from: dict[Cell, Cell | None]) -> tuple[Cell, ...]:
    path, earlier = [cell], came_from[cell]
    while earlier is not None:
        path.append(earlier)
        earlier = came_from[earlier]
    return tuple(reversed(path))


def _joined_neighbours(mine: Mine, cell: Cell) -> list[Cell]:
    """Return the neighbours that share an open edge with a card; an edge that meets a wall joins nothing (E7, E8)."""
    laid, edges = mine.laid, EDGES[mine.laid[cell]]
    return [
        neighbour
        for side, neighbour in zip(SIDES, neighbours(cell), strict=True)
        if edges & side
        and neighbour in laid
        and CONNECTS_EDGES[laid[neighbour]]
        and EDGES[laid[neighbour]] & OPPOSITE_SIDE[side]
    ]
