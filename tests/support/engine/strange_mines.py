"""Mines that hardly ever come about in play: a thicket around the goals, made by chance.

Every card agrees with the path cards beside it; whether it is joined to anything is left to chance, as after many
rockfalls. Goals may lie face up, either way round.
"""

from collections.abc import Iterator

import msgspec

from engine.cards import CONNECTS_EDGES, GOAL_SHAPES, PRINTED, START, Shape
from engine.cells import GOAL_CELLS, START_CELL, Cell
from engine.edge_masks import agrees
from engine.mine import Mine
from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import State
from tests.support.positions import Arranged, Dice, Game, at

TRUNK = 6
"""How far an unbroken tunnel leads east before the thicket begins."""
THICKET = [at(x, y) for x in range(6, 10) for y in range(-3, 4)]
SHAPES = [shape for shape in PRINTED if CONNECTS_EDGES[shape] or shape == "dead-rl"]


def strange_position(rulebook: str, dice: Dice) -> State:
    """A position in round one, with a hand of path cards for seat 0 and a thicket around the goals."""
    seats = 3 + dice.below(8)
    state = Game(rulebook, seats=seats, chance=Arranged(dice.below(1 << 30))).state
    rules = RULEBOOKS[rulebook]
    laid = dict(_thicket(state, dice))
    hand = tuple(dict.fromkeys(PRINTED[dice.pick(SHAPES)] for _ in range(4)))
    return msgspec.structs.replace(
        state,
        mine=Mine(
            continue_path=rules.continue_path,
            build_from_goal_alone=rules.build_from_goal_alone,
            laid=laid,
        ),
        hands=(hand, *state.hands[1:]),
        broken=tuple(_broken(dice) if seat else () for seat in range(seats)),
    )


def _thicket(state: State, dice: Dice) -> Iterator[tuple[Cell, Shape]]:
    mine = Mine(continue_path=False, build_from_goal_alone=True)
    yield START_CELL, START
    for x in range(1, TRUNK):
        mine = mine.with_card(at(x, 0), "path-rl")
        yield at(x, 0), "path-rl"
    for cell, goal in zip(GOAL_CELLS, state.goals, strict=True):
        if goal != "treasure" and dice.once_in(5):
            shape = GOAL_SHAPES[goal][dice.below(2)]
            mine = mine.with_card(cell, shape)
            yield cell, shape
    for _ in range(20 + dice.below(80)):
        cell, shape = dice.pick(THICKET), dice.pick(SHAPES)
        if cell in mine.laid or cell in GOAL_CELLS or not agrees(shape, mine.edge_mask(cell)):
            continue
        mine = mine.with_card(cell, shape)
        yield cell, shape


def _broken(dice: Dice) -> tuple[str, ...]:
    return tuple(tool for tool in ("pickaxe", "lantern", "cart") if dice.once_in(4))
