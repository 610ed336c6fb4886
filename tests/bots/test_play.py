"""What bots of a role want in situations that people would agree on."""

from collections import Counter
from typing import Final

import msgspec
import pytest

from engine.actions import Action, Break, Discard, Lay, Look, Repair, Rockfall
from engine.bots.policy import Level, choose_action
from engine.cards import Card, Role
from engine.mine import Mine
from engine.narration import Line, LineKey
from engine.state import State
from engine.view import view_for
from tests.support.engine.in_memory_game import dealt_state
from tests.support.engine.seeded_random import SeededRng

TRIALS: Final = 60
ROW: Final = {"A5": "start"} | {f"{column}5": "path-rl" for column in "BCDEFG"}
LEVELS_WITH_SENSE: Final = ["easy", "steady", "keen"]
levels = pytest.mark.parametrize("level", LEVELS_WITH_SENSE)


def position(role: Role, hand: tuple[Card, ...], **changes: object) -> State:
    """Return a position of four seats in which seat 0 is on turn, with the path one card before the middle goal."""
    dealt = dealt_state("en-2004", seats=4)
    others: list[Role] = ["digger"] * 3 if role == "saboteur" else ["saboteur", "digger", "digger"]
    mine = Mine(continue_path=False, build_from_goal_alone=True, laid=ROW)
    state = msgspec.structs.replace(
        dealt,
        roles=(role, *others),
        hands=(hand, *dealt.hands[1:]),
        goals=("stone-tl", "treasure", "stone-tr"),
        mine=mine,
        turn=0,
    )
    return msgspec.structs.replace(state, **changes)


def choices(state: State, level: Level, lines: list[Line] | None = None) -> Counter[Action]:
    rng, view = SeededRng(7), view_for(state, 0)
    return Counter(
        choose_action(view, lines or [], rng.below, level, rollouts=24) for _ in range(TRIALS)
    )


def share(chosen: Counter[Action], *actions: Action) -> float:
    return sum(chosen[action] for action in actions) / chosen.total()


@levels
def test_digger_who_knows_the_treasure_reaches_it(level: Level) -> None:
    hand = ("path-rl", "dead-l", "break-cart", "rockfall")
    state = position("digger", hand, seen=(("I5",), (), (), ()))
    assert share(choices(state, level), Lay("path-rl", "H5")) > 0.9


@levels
def test_saboteur_never_completes_the_path_and_mostly_does_harm(level: Level) -> None:
    hand = ("path-rl", "dead-rl", "break-cart", "rockfall")
    state = position("saboteur", hand, seen=(("I5",), (), (), ()))
    chosen = choices(state, level)
    assert chosen[Lay("path-rl", "H5")] <= TRIALS * 0.2
    harmful = [action for action in chosen if isinstance(action, Lay | Break | Rockfall)]
    assert share(chosen, *harmful) > 0.5


@levels
def test_digger_repairs_its_own_tool_when_it_can(level: Level) -> None:
    state = position("digger", ("path-rl", "repair-cart", "dead-l"), broken=(("cart",), (), (), ()))
    assert share(choices(state, level), Repair("repair-cart", 0, "cart")) > 0.5


@levels
def test_map_is_used_early_and_not_to_look_twice(level: Level) -> None:
    state = position("digger", ("map",))
    first_look = choices(state, level)
    assert share(first_look, Look("I3"), Look("I5"), Look("I7")) > 0.6
    known = msgspec.structs.replace(state, seen=(("I5",), (), (), ()))
    assert share(choices(known, level), Discard("map")) > 0.6


@levels
def test_tools_of_a_suspect_are_broken_and_not_those_of_a_helper(level: Level) -> None:
    lines = [Line(key=LineKey.ROUND_DEALT, round=1, seat=0)]
    lines += [Line(key=LineKey.TOOL_BROKEN, seat=1, target=2, tool="cart")] * 4
    lines += [
        Line(key=LineKey.TOOL_REPAIRED, seat=3, target=2, tool="cart", card="repair-cart")
    ] * 2
    state = position("digger", ("break-pickaxe", "dead-tb"))
    chosen = choices(state, level, lines)
    assert chosen[Break("break-pickaxe", 1)] > 2 * chosen[Break("break-pickaxe", 3)]
    assert share(chosen, Break("break-pickaxe", 1)) > 0.2


@levels
def test_rockfall_clears_the_dead_end_that_blocks_the_path(level: Level) -> None:
    mine = Mine(continue_path=False, build_from_goal_alone=True, laid=ROW | {"H5": "dead-rl"})
    state = position("digger", ("rockfall", "break-cart"), mine=mine)
    assert share(choices(state, level), Rockfall("H5")) > 0.6


def test_equal_moves_are_chosen_at_random() -> None:
    chosen = choices(position("digger", ("map", "map")), "steady")
    assert min(chosen[Look(cell)] for cell in ("I3", "I5", "I7")) > TRIALS / 12
