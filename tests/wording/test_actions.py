"""Actions as short commands."""

from typing import get_args

from engine import actions
from engine.actions import (
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
from engine.cards import PATH_CARDS, TURNED_SHAPES
from engine.view import Awaiting, legal_actions
from tests.support.perspectives import ANNA
from tests.support.views import view_of
from webapp.wording.actions import action_name, done_sentence
from webapp.wording.cards import open_sides, shape_name


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
        "Lay a bend (down, left) at E5, turned around"
    )
    assert action_name(Lay("path-rl", "B5"), ANNA, view=view) == (
        "Lay a straight tunnel (left, right) at B5"
    )
    assert action_name(Lay("dead-trbl", "B5"), ANNA, view=view) == (
        "Lay a dead end (all four sides) at B5"
    )
    assert action_name(Lay("path-trbl", "B5"), ANNA, view=view) == "Lay a crossing at B5"
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


def test_what_was_done_is_in_the_past_tense() -> None:
    view = view_of(awaiting=Awaiting(0, "way-round", ("I3",)))
    sentences = {
        Lay("path-rl", "B5"): "You laid a straight tunnel at B5.",
        Break("break-cart", 0): "You broke your own cart.",
        Break("break-cart", 2): "You broke Carol's cart.",
        Repair("repair-cart", 0, "cart"): "You repaired your cart.",
        Repair("repair-cart", 2, "cart"): "You repaired Carol's cart.",
        Rockfall("G2"): "You played a rockfall at G2. It removed a dead end.",
        Look("I5"): "You looked at goal I5 with a map.",
        Discard("map"): "You discarded a card face down: map.",
        Pass(): "You had no cards left and passed.",
        TakeGold(3): "You kept a gold card with 3 nuggets.",
        ChooseGoal("I3"): "You chose to reveal goal I3.",
        ChooseOrientation(turned=True): "You turned the stone at I3.",
        ChooseOrientation(turned=False): "You left the stone at I3 as it is.",
    }
    assert set(map(type, sentences)) == set(get_args(actions.Action))
    for action, sentence in sentences.items():
        assert done_sentence(action, 0, ANNA, view=view) == sentence
        assert done_sentence(action, 2, ANNA, view=view).startswith("Carol ")


def test_sides_of_a_card_are_named_as_in_its_name() -> None:
    for shape in {*PATH_CARDS, *TURNED_SHAPES.values()} - {"path-trbl"}:
        assert f"({open_sides(shape, ANNA.language)})" in shape_name(shape, ANNA.language)
