"""Every reason for a refusal is given by some action in some state."""

from collections.abc import Callable

import msgspec
import pytest

from engine.actions import (
    Action,
    Break,
    ChooseGoal,
    ChooseOrientation,
    Discard,
    Lay,
    Look,
    Pass,
    Repair,
    Rockfall,
    TakeGold,
)
from engine.errors import IllegalAction, Reason
from engine.rulebook import HouseRules
from engine.state import State
from tests.support.engine.drawn_positions import drawn_state
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import cell_at
from tests.support.engine.vectors import play, refusal_reason
from tests.support.rulebook_groups import every_rulebook

HAND = [
    "path-rl",
    "path-trb",
    "break-cart",
    "repair-cart",
    "repair-lantern-cart",
    "rockfall",
    "map",
]
MISFIT_SKETCH = """
........─
S──────.a
"""
FREE_CELL, DISTANT_CELL = cell_at(1, 0), cell_at(3, 3)


def state_with(drawing: str = "S", rulebook: str = "lv-2009", **changes: object) -> State:
    return drawn_state(drawing, rulebook, hand=HAND, **changes)  # type: ignore[arg-type]


def state_awaiting_orientation() -> State:
    return play(drawn_state(MISFIT_SKETCH, hand=["path-rl", "map"]), Lay("path-rl", cell_at(7, 0)))


def state_with_given_up_seat() -> State:
    return state_with(gone=(1,), broken=((), ("cart",), ("lantern",)))


REFUSED_ACTIONS: dict[Reason, tuple[Callable[[], State], Action]] = {
    Reason.CHOICE_FIRST: (state_awaiting_orientation, Discard("map")),
    Reason.NO_CHOICE_OPEN: (state_with, ChooseOrientation(turned=True)),
    Reason.NOT_IN_HAND: (state_with, Discard("path-tb")),
    Reason.HAND_NOT_EMPTY: (state_with, Pass()),
    Reason.NOT_A_PATH_CARD: (state_with, Lay("map", FREE_CELL)),
    Reason.TOOLS_BROKEN: (
        lambda: state_with(broken=(("cart",), (), ())),
        Lay("path-rl", FREE_CELL),
    ),
    Reason.NO_SUCH_CELL: (state_with, Lay("path-rl", "here")),
    Reason.CELL_TAKEN: (state_with, Lay("path-rl", cell_at(0, 0))),
    Reason.NOT_BESIDE: (state_with, Lay("path-rl", DISTANT_CELL)),
    Reason.NOT_CONNECTED: (lambda: state_with("S.─"), Lay("path-rl", cell_at(3, 0))),
    Reason.GOAL_ALONE: (state_with, Lay("path-rl", cell_at(8, 1))),
    Reason.EDGES_DIFFER: (state_with, Lay("path-rl", cell_at(0, 1))),
    Reason.NOT_A_BROKEN_TOOL: (state_with, Break("map", 1)),
    Reason.NO_SUCH_SEAT: (state_with, Break("break-cart", 3)),
    Reason.SEAT_GIVEN_UP: (state_with_given_up_seat, Break("break-cart", 1)),
    Reason.ALREADY_BROKEN: (lambda: state_with(broken=((), ("cart",), ())), Break("break-cart", 1)),
    Reason.OWN_TOOL: (
        lambda: state_with(house=HouseRules(no_self_breaking=True)),
        Break("break-cart", 0),
    ),
    Reason.NOT_A_REPAIR: (state_with, Repair("map", 1, "cart")),
    Reason.WRONG_TOOL: (state_with_given_up_seat, Repair("repair-cart", 2, "lantern")),
    Reason.NOTHING_TO_REPAIR: (state_with_given_up_seat, Repair("repair-cart", 2, "cart")),
    Reason.NO_PATH_THERE: (state_with, Rockfall(cell_at(0, 0))),
    Reason.NOT_A_GOAL: (state_with, Look(cell_at(0, 0))),
    Reason.GOAL_FACE_UP: (lambda: state_with("S───────╝"), Look(cell_at(8, 0))),
    Reason.NOT_OFFERED: (
        lambda: play(drawn_state("S──────.$", hand=["path-rl"]), Lay("path-rl", cell_at(7, 0))),
        TakeGold(4),
    ),
}
"""For every reason, a state and an action that is refused there for it."""


@pytest.mark.parametrize("reason", REFUSED_ACTIONS)
def test_action_is_refused_with_its_reason(reason: Reason) -> None:
    position, action = REFUSED_ACTIONS[reason]
    assert refusal_reason(position(), action) == reason


def test_action_out_of_turn_or_after_the_end_is_refused_r7_r50() -> None:
    assert refusal_reason(state_with(), Discard("map"), seat=1) == Reason.NOT_YOUR_TURN
    finished_state = msgspec.structs.replace(state_with(), turn=None, winners=(1,))
    for action in (Discard("map"), Pass(), ChooseGoal("I5"), TakeGold(1)):
        assert refusal_reason(finished_state, action, seat=0) == Reason.GAME_OVER


def test_moderator_acts_are_refused_with_a_reason() -> None:
    game = InMemoryGame()
    with pytest.raises(IllegalAction) as error_info:
        game.rewind(0)
    assert error_info.value.reason == Reason.NO_SUCH_TURN
    game.shorten()
    with pytest.raises(IllegalAction) as error_info:
        game.shorten()
    assert error_info.value.reason == Reason.LAST_ROUND
    game.give_up(0)
    game.give_up(1)
    with pytest.raises(IllegalAction) as error_info:
        game.give_up(2)
    assert error_info.value.reason == Reason.LAST_SEAT


def test_every_reason_is_covered_by_a_test_in_this_file() -> None:
    reasons_tested_elsewhere = {
        Reason.NOT_YOUR_TURN,
        Reason.GAME_OVER,
        Reason.NO_SUCH_TURN,
        Reason.LAST_SEAT,
        Reason.LAST_ROUND,
    }
    assert {*REFUSED_ACTIONS, *reasons_tested_elsewhere} == set(Reason)


@pytest.mark.parametrize("reason", Reason)
def test_refusal_names_its_reason(reason: Reason) -> None:
    assert str(IllegalAction(reason)) == reason.value
    assert reason.value == reason.name.lower().replace("_", "-")


@every_rulebook
def test_taken_cell_is_reported_before_the_orientation_r13_r16(rulebook: str) -> None:
    turned_lay_on_start = Lay("path-rl", cell_at(0, 0), turned=True)
    assert refusal_reason(state_with("S", rulebook), turned_lay_on_start) == Reason.CELL_TAKEN
