"""Every refusal has its reason, and every reason its refusal."""

from collections.abc import Callable

import msgspec
import pytest

from engine.actions import (
    Action,
    Break,
    ChooseGoal,
    Discard,
    Lay,
    Look,
    Pass,
    Repair,
    Rockfall,
    TakeGold,
    TurnGoal,
)
from engine.errors import RULES, IllegalAction, Reason
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import State
from tests.support.drawn_positions import drawn
from tests.support.positions import Game, at, play, refusal

HAND = [
    "path-rl",
    "path-trb",
    "break-cart",
    "repair-cart",
    "repair-lantern-cart",
    "rockfall",
    "map",
]
MISFIT = """
........─
S──────.a
"""
HERE, NOWHERE = at(1, 0), at(3, 3)


def in_hand(drawing: str = "S", rulebook: str = "lv-2009", **changes: object) -> State:
    return drawn(drawing, rulebook, hand=HAND, **changes)  # type: ignore[arg-type]


def asked() -> State:
    return play(drawn(MISFIT, hand=["path-rl", "map"]), Lay("path-rl", at(7, 0)))


def one_left() -> State:
    return in_hand(gone=(1,), broken=((), ("cart",), ("lantern",)))


ACTIONS: dict[Reason, tuple[Callable[[], State], Action]] = {
    Reason.CHOICE_FIRST: (asked, Discard("map")),
    Reason.NO_CHOICE_OPEN: (in_hand, TurnGoal(turned=True)),
    Reason.NOT_IN_HAND: (in_hand, Discard("path-tb")),
    Reason.HAND_NOT_EMPTY: (in_hand, Pass()),
    Reason.NOT_A_PATH_CARD: (in_hand, Lay("map", HERE)),
    Reason.TOOLS_BROKEN: (lambda: in_hand(broken=(("cart",), (), ())), Lay("path-rl", HERE)),
    Reason.NO_SUCH_CELL: (in_hand, Lay("path-rl", "here")),
    Reason.CELL_TAKEN: (in_hand, Lay("path-rl", at(0, 0))),
    Reason.NOT_BESIDE: (in_hand, Lay("path-rl", NOWHERE)),
    Reason.NOT_CONNECTED: (lambda: in_hand("S.─"), Lay("path-rl", at(3, 0))),
    Reason.GOAL_ALONE: (in_hand, Lay("path-rl", at(8, 1))),
    Reason.EDGES_DISAGREE: (in_hand, Lay("path-rl", at(0, 1))),
    Reason.NOT_A_BROKEN_TOOL: (in_hand, Break("map", 1)),
    Reason.NO_SUCH_SEAT: (in_hand, Break("break-cart", 3)),
    Reason.SEAT_GIVEN_UP: (one_left, Break("break-cart", 1)),
    Reason.ALREADY_BROKEN: (lambda: in_hand(broken=((), ("cart",), ())), Break("break-cart", 1)),
    Reason.OWN_TOOL: (
        lambda: in_hand(house=HouseRules(no_self_breaking=True)),
        Break("break-cart", 0),
    ),
    Reason.NOT_A_REPAIR: (in_hand, Repair("map", 1, "cart")),
    Reason.WRONG_TOOL: (one_left, Repair("repair-cart", 2, "lantern")),
    Reason.NOTHING_TO_REPAIR: (one_left, Repair("repair-cart", 2, "cart")),
    Reason.NO_PATH_THERE: (in_hand, Rockfall(at(0, 0))),
    Reason.NOT_A_GOAL: (in_hand, Look(at(0, 0))),
    Reason.GOAL_FACE_UP: (lambda: in_hand("S───────╝"), Look(at(8, 0))),
    Reason.NOT_OFFERED: (
        lambda: play(drawn("S──────.$", hand=["path-rl"]), Lay("path-rl", at(7, 0))),
        TakeGold(4),
    ),
}
"""For every reason that an action may meet: a position, and what is refused there."""


@pytest.mark.parametrize("reason", ACTIONS)
def test_every_reason_has_its_refusal(reason: Reason) -> None:
    position, action = ACTIONS[reason]
    assert refusal(position(), action) == reason


def test_who_is_not_on_turn_and_who_comes_when_all_is_over_is_refused_r7_r50() -> None:
    assert refusal(in_hand(), Discard("map"), seat=1) == Reason.NOT_YOUR_TURN
    over = msgspec.structs.replace(in_hand(), turn=None, winners=(1,))
    for action in (Discard("map"), Pass(), ChooseGoal("I5"), TakeGold(1)):
        assert refusal(over, action, seat=0) == Reason.GAME_OVER


def test_moderators_too_are_refused_with_a_reason() -> None:
    game = Game()
    with pytest.raises(IllegalAction) as refused:
        game.rewind(0)
    assert refused.value.reason == Reason.NO_SUCH_TURN
    game.give_up(0)
    game.give_up(1)
    with pytest.raises(IllegalAction) as refused:
        game.give_up(2)
    assert refused.value.reason == Reason.LAST_SEAT


def test_every_reason_stands_in_this_file() -> None:
    elsewhere = {Reason.NOT_YOUR_TURN, Reason.GAME_OVER, Reason.NO_SUCH_TURN, Reason.LAST_SEAT}
    assert {*ACTIONS, *elsewhere} == set(Reason) == set(RULES)


@pytest.mark.parametrize("reason", Reason)
def test_a_refusal_says_its_reason_and_its_rule_and_nothing_else(reason: Reason) -> None:
    refused = IllegalAction(reason)
    assert str(refused) == reason.value
    assert refused.rule == RULES[reason]
    assert reason.value == reason.name.lower().replace("_", "-")


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_the_cell_is_looked_at_before_the_way_the_card_lies_r13_r16(rulebook: str) -> None:
    turned_on_start = Lay("path-rl", at(0, 0), turned=True)
    assert refusal(in_hand("S", rulebook), turned_on_start) == Reason.CELL_TAKEN
