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

TRIAL_COUNT: Final = 60
KEEN_TRIAL_COUNT: Final = 20
"""Keen bots think much longer than the others."""
ROW_OF_PATHS: Final = {"A5": "start"} | {f"{column}5": "path-rl" for column in "BCDEFG"}
LEVELS_ABOVE_RANDOM: Final = ["easy", "steady", "keen"]
every_level_above_random = pytest.mark.parametrize("level", LEVELS_ABOVE_RANDOM)


def position(role: Role, hand: tuple[Card, ...], **changes: object) -> State:
    """Return a position of four seats in which seat 0 is on turn, with the path one card before the middle goal."""
    dealt = dealt_state("en-2004", seats=4)
    other_roles: list[Role] = (
        ["digger"] * 3 if role == "saboteur" else ["saboteur", "digger", "digger"]
    )
    mine = Mine(continue_path=False, build_from_goal_alone=True, laid=ROW_OF_PATHS)
    state = msgspec.structs.replace(
        dealt,
        roles=(role, *other_roles),
        hands=(hand, *dealt.hands[1:]),
        goals=("stone-tl", "treasure", "stone-tr"),
        mine=mine,
        turn=0,
    )
    return msgspec.structs.replace(state, **changes)


def count_chosen_actions(
    state: State, level: Level, lines: list[Line] | None = None
) -> Counter[Action]:
    rng, view = SeededRng(7), view_for(state, 0)
    trial_count = KEEN_TRIAL_COUNT if level == "keen" else TRIAL_COUNT
    return Counter(
        choose_action(view, lines or [], rng.below, level, rollouts=24) for _ in range(trial_count)
    )


def share_of_actions(action_counts: Counter[Action], *actions: Action) -> float:
    return sum(action_counts[action] for action in actions) / action_counts.total()


@every_level_above_random
def test_digger_who_knows_the_treasure_reaches_it(level: Level) -> None:
    hand = ("path-rl", "dead-l", "break-cart", "rockfall")
    state = position("digger", hand, seen=(("I5",), (), (), ()))
    assert share_of_actions(count_chosen_actions(state, level), Lay("path-rl", "H5")) > 0.9


@every_level_above_random
def test_saboteur_never_completes_the_path_and_mostly_does_harm(level: Level) -> None:
    hand = ("path-rl", "dead-rl", "break-cart", "rockfall")
    state = position("saboteur", hand, seen=(("I5",), (), (), ()))
    action_counts = count_chosen_actions(state, level)
    assert action_counts[Lay("path-rl", "H5")] <= action_counts.total() * 0.2
    harmful_actions = [
        action for action in action_counts if isinstance(action, Lay | Break | Rockfall)
    ]
    assert share_of_actions(action_counts, *harmful_actions) > 0.5


@every_level_above_random
def test_digger_repairs_its_own_tool_when_it_can(level: Level) -> None:
    state = position("digger", ("path-rl", "repair-cart", "dead-l"), broken=(("cart",), (), (), ()))
    assert (
        share_of_actions(count_chosen_actions(state, level), Repair("repair-cart", 0, "cart")) > 0.5
    )


@pytest.mark.parametrize("level", ["steady", "keen"])
def test_digger_repairs_its_own_tool_before_anything_else(level: Level) -> None:
    hand = ("path-trbl", "repair-cart", "dead-l", "map", "break-cart", "rockfall")
    state = position("digger", hand, broken=(("cart",), (), (), ()))
    assert (
        share_of_actions(count_chosen_actions(state, level), Repair("repair-cart", 0, "cart"))
        > 0.75
    )


@every_level_above_random
def test_digger_hardly_repairs_the_tool_that_it_broke(level: Level) -> None:
    lines = [
        Line(key=LineKey.ROUND_DEALT, round=1, seat=0),
        Line(key=LineKey.TOOL_BROKEN, seat=0, target=1, tool="cart"),
    ]
    state = position("digger", ("repair-cart", "dead-tb"), broken=((), ("cart",), (), ()))
    state_with_other_victim = position(
        "digger", ("repair-cart", "dead-tb"), broken=((), (), ("cart",), ())
    )
    share_repairing_own_victim = share_of_actions(
        count_chosen_actions(state, level, lines), Repair("repair-cart", 1, "cart")
    )
    share_repairing_other_victim = share_of_actions(
        count_chosen_actions(state_with_other_victim, level, lines),
        Repair("repair-cart", 2, "cart"),
    )
    assert share_repairing_own_victim < 0.25 < share_repairing_other_victim


@every_level_above_random
def test_map_is_used_early_and_not_to_look_twice(level: Level) -> None:
    state = position("digger", ("map",))
    first_action_counts = count_chosen_actions(state, level)
    assert share_of_actions(first_action_counts, Look("I3"), Look("I5"), Look("I7")) > 0.6
    state_with_known_goal = msgspec.structs.replace(state, seen=(("I5",), (), (), ()))
    assert (
        share_of_actions(count_chosen_actions(state_with_known_goal, level), Discard("map")) > 0.6
    )


@every_level_above_random
def test_tools_of_a_suspect_are_broken_and_not_those_of_a_helper(level: Level) -> None:
    lines = [Line(key=LineKey.ROUND_DEALT, round=1, seat=0)]
    lines += [Line(key=LineKey.TOOL_BROKEN, seat=1, target=2, tool="cart")] * 4
    lines += [
        Line(key=LineKey.TOOL_REPAIRED, seat=3, target=2, tool="cart", card="repair-cart")
    ] * 2
    state = position("digger", ("break-pickaxe", "dead-tb"))
    action_counts = count_chosen_actions(state, level, lines)
    assert action_counts[Break("break-pickaxe", 1)] > 2 * action_counts[Break("break-pickaxe", 3)]
    assert share_of_actions(action_counts, Break("break-pickaxe", 1)) > 0.2


@every_level_above_random
def test_rockfall_clears_the_dead_end_that_blocks_the_path(level: Level) -> None:
    mine = Mine(
        continue_path=False, build_from_goal_alone=True, laid=ROW_OF_PATHS | {"H5": "dead-rl"}
    )
    state = position("digger", ("rockfall", "break-cart"), mine=mine)
    assert share_of_actions(count_chosen_actions(state, level), Rockfall("H5")) > 0.6


@every_level_above_random
def test_digger_closes_the_gap_that_a_rockfall_left(level: Level) -> None:
    laid = {cell: shape for cell, shape in ROW_OF_PATHS.items() if cell != "D5"}
    mine = Mine(continue_path=False, build_from_goal_alone=True, laid=laid)
    state = position("digger", ("path-rl", "dead-l", "break-cart"), mine=mine)
    assert share_of_actions(count_chosen_actions(state, level), Lay("path-rl", "D5")) > 0.4


def test_equal_moves_are_chosen_at_random() -> None:
    action_counts = count_chosen_actions(position("digger", ("map", "map")), "steady")
    assert (
        min(action_counts[Look(cell)] for cell in ("I3", "I5", "I7")) > action_counts.total() / 12
    )


def test_equal_cells_for_a_card_are_chosen_at_random() -> None:
    mine = Mine(continue_path=False, build_from_goal_alone=True)
    action_counts = count_chosen_actions(position("digger", ("path-tb",), mine=mine), "steady")
    above, below = Lay("path-tb", "A4"), Lay("path-tb", "A6")
    assert min(action_counts[above], action_counts[below]) > action_counts.total() / 12
    assert set(action_counts) == {above, below, Discard("path-tb")}


@pytest.mark.parametrize("level", ["easy", "steady"])
def test_digger_discards_a_card_that_could_only_lie_behind_the_start(level: Level) -> None:
    """A dead end helps no one: on the table it would tell more than face down, and restart the circle of passes."""
    state = position("digger", ("dead-b", "map"), seen=(("I5",), (), (), ()))
    assert not [
        action
        for action in count_chosen_actions(state, level)
        if isinstance(action, Lay) and action.cell[0] == "A"
    ]


@pytest.mark.parametrize("level", ["easy", "steady"])
def test_digger_never_cuts_the_path_with_a_rockfall(level: Level) -> None:
    state = position("digger", ("rockfall", "map"), seen=(("I5",), (), (), ()))
    assert not [
        action for action in count_chosen_actions(state, level) if isinstance(action, Rockfall)
    ]


@every_level_above_random
@pytest.mark.parametrize("role", ["digger", "saboteur"])
def test_everyone_discards_once_too_few_cards_are_left(level: Level, role: Role) -> None:
    start_only = Mine(continue_path=False, build_from_goal_alone=True, laid={"A5": "start"})
    state = position(
        role,
        ("path-rl", "rockfall"),
        mine=start_only,
        deck=(),
        hands=(("path-rl", "break-cart"), ("path-rl",), ("path-rl",), ("path-rl",)),
    )
    assert all(isinstance(action, Discard) for action in count_chosen_actions(state, level))


@pytest.mark.parametrize("level", ["easy", "steady"])
def test_digger_does_not_break_again_what_it_repaired(level: Level) -> None:
    lines = [
        Line(key=LineKey.ROUND_DEALT, round=1, seat=0),
        Line(key=LineKey.TOOL_BROKEN, seat=2, target=1, tool="cart"),
        Line(key=LineKey.TOOL_REPAIRED, seat=0, target=1, tool="cart"),
        *(Line(key=LineKey.TOOL_BROKEN, seat=1, target=3, tool="cart") for _ in range(4)),
    ]
    state = position("digger", ("break-cart", "map"))
    assert Break("break-cart", 1) not in count_chosen_actions(state, level, lines)
    assert Break("break-cart", 1) in count_chosen_actions(state, level, [lines[0], *lines[3:]])


@pytest.mark.parametrize("card", ["path-tr", "rockfall", "map"])
def test_digger_does_nothing_pointless_once_the_deck_is_empty(card: Card) -> None:
    """A discard is as good for the gold-diggers, and ends a lost round sooner."""
    laid = {"A5": "start", "B5": "path-trbl", "C5": "path-rl", "B4": "dead-b"}
    mine = Mine(continue_path=False, build_from_goal_alone=True, laid=laid)
    state = position("digger", (card,), mine=mine)
    state_without_deck = msgspec.structs.replace(state, deck=())
    assert set(count_chosen_actions(state, "steady")) != {Discard(card)}
    assert set(count_chosen_actions(state_without_deck, "steady")) == {Discard(card)}
