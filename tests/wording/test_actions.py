"""Actions as short commands."""

from typing import get_args

from engine import actions
from engine.actions import Break, ChooseOrientation, Lay, Look, Repair, Rockfall, TakeGold
from engine.view import Awaiting, legal_actions
from tests.support.perspectives import ANNA
from tests.support.views import view_of
from webapp.wording.actions import action_name


def test_every_kind_of_action_has_a_name() -> None:
    views = [
        view_of(hand=("path-tr", "break-cart", "repair-pickaxe-cart", "rockfall", "map")),
        view_of(hand=()),
        view_of(awaiting=Awaiting(0, "goal", ("I3", "I5"))),
        view_of(awaiting=Awaiting(0, "way-round", ("I3",))),
        view_of(awaiting=Awaiting(0, "gold"), gold_held=(3, 1)),
    ]
    legal_actions_in_views = [(action, view) for view in views for action in legal_actions(view)]
    assert {type(action) for action, _ in legal_actions_in_views} == set(get_args(actions.Action))
    assert all(action_name(action, ANNA, view=view) for action, view in legal_actions_in_views)


def test_legal_actions_have_different_names() -> None:
    view = view_of()
    names = [action_name(action, ANNA, view=view) for action in legal_actions(view)]
    assert len(set(names)) == len(names)


def test_actions_on_own_tools_say_your() -> None:
    view = view_of()
    assert action_name(Break("break-cart", 0), ANNA, view=view) == "Break your own cart"
    assert action_name(Break("break-cart", 2), ANNA, view=view) == "Break Carol's cart"
    repair_of_own_tool = Repair("repair-pickaxe-cart", 0, "cart")
    assert action_name(repair_of_own_tool, ANNA, view=view) == "Repair your cart"
    other = Repair("repair-cart", 2, "cart")
    assert action_name(other, ANNA, view=view) == "Repair Carol's cart"


def test_action_name_says_what_the_action_affects() -> None:
    view = view_of()
    assert action_name(Rockfall("G2"), ANNA, view=view) == (
        "Remove the card at G2: dead end (right, down)"
    )
    assert action_name(Rockfall("Q9"), ANNA, view=view) == "Remove the card at Q9"
    assert action_name(Look("I5"), ANNA, view=view) == "Look at goal I5"
    assert action_name(Lay("path-tr", "E5", turned=True), ANNA, view=view) == (
        "Lay it at E5, turned: bend (down, left)"
    )
    assert action_name(TakeGold(1), ANNA, view=view) == "Keep the gold card with 1 nugget"


def test_orientations_of_a_stone_are_named_by_their_open_sides() -> None:
    view = view_of(
        goals=("stone-tl", None, None),
        turned=(True, False, False),
        awaiting=Awaiting(0, "way-round", ("I3",)),
    )
    assert action_name(ChooseOrientation(turned=False), ANNA, view=view) == (
        "Place the stone at I3 like this: stone (up, left)"
    )
    assert action_name(ChooseOrientation(turned=True), ANNA, view=view).endswith(
        "stone (right, down)"
    )


def test_orientations_of_an_unknown_stone_still_have_names() -> None:
    names = {
        action_name(ChooseOrientation(turned=turned), ANNA, view=view_of())
        for turned in (True, False)
    }
    assert names == {"Turn the stone", "Leave the stone as it is"}
