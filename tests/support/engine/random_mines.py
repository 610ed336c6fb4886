"""Positions that hardly ever come about in play: random path cards crowded around the goals.

Every card agrees with the path cards beside it; whether it is joined to the start is left to chance, as after many
rockfalls. Goals may lie face up, either way round.
"""

from collections.abc import Iterator

import msgspec

from engine.cards import CARD_BY_SHAPE, CONNECTS_EDGES, GOAL_SHAPES, START_SHAPE, Shape
from engine.cells import GOAL_CELLS, START_CELL, Cell, matches_mask
from engine.mine import Mine
from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import State
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import cell_at
from tests.support.engine.seeded_random import ScriptedChance, SeededRng

FIRST_RANDOM_COLUMN = 6
"""The column where the unbroken tunnel from the start ends and the random cards begin."""
RANDOM_CELLS = [cell_at(x, y) for x in range(FIRST_RANDOM_COLUMN, 10) for y in range(-3, 4)]
SHAPES = [shape for shape in CARD_BY_SHAPE if CONNECTS_EDGES[shape] or shape == "dead-rl"]


def random_mine_state(rulebook: str, rng: SeededRng) -> State:
    """Return a state in round one with random cards around the goals and path cards in the hand of seat 0."""
    seats = 3 + rng.below(8)
    chance = ScriptedChance(rng.below(1 << 30))
    state = InMemoryGame(rulebook, seats=seats, chance=chance).state
    rules = RULEBOOKS[rulebook]
    laid = dict(_random_cards(state, rng))
    hand = tuple(dict.fromkeys(CARD_BY_SHAPE[rng.pick(SHAPES)] for _ in range(4)))
    return msgspec.structs.replace(
        state,
        mine=Mine(
            continue_path=rules.continue_path,
            build_from_goal_alone=rules.build_from_goal_alone,
            laid=laid,
        ),
        hands=(hand, *state.hands[1:]),
        broken=tuple(_random_broken_tools(rng) if seat else () for seat in range(seats)),
    )


def _random_cards(state: State, rng: SeededRng) -> Iterator[tuple[Cell, Shape]]:
    mine = Mine(continue_path=False, build_from_goal_alone=True)
    yield START_CELL, START_SHAPE
    for x in range(1, FIRST_RANDOM_COLUMN):
        mine = mine.with_card(cell_at(x, 0), "path-rl")
        yield cell_at(x, 0), "path-rl"
    for cell, goal in zip(GOAL_CELLS, state.goals, strict=True):
        if goal != "treasure" and rng.happens_once_in(5):
            shape = GOAL_SHAPES[goal][rng.below(2)]
            mine = mine.with_card(cell, shape)
            yield cell, shape
    for _ in range(20 + rng.below(80)):
        cell, shape = rng.pick(RANDOM_CELLS), rng.pick(SHAPES)
        if cell in mine.laid or cell in GOAL_CELLS or not matches_mask(shape, mine.edge_mask(cell)):
            continue
        mine = mine.with_card(cell, shape)
        yield cell, shape


def _random_broken_tools(rng: SeededRng) -> tuple[str, ...]:
    return tuple(tool for tool in ("pickaxe", "lantern", "cart") if rng.happens_once_in(4))
