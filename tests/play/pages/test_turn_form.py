"""The form of a turn: every action passes through it unchanged, and each action needs its own fields."""

from typing import get_args

import pytest
from werkzeug.datastructures import MultiDict

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
from tests.support.rendering import ENGLISH
from webapp.play.pages.table import TurnForm, form_fields_for

ACTIONS: list[Action] = [
    Lay("path-trb", "B5", turned=False),
    Lay("path-trb", "-A5", turned=True),
    Break("break-cart", 0),
    Repair("repair-lantern-cart", 9, "cart"),
    Rockfall("B5"),
    Look("I3"),
    Discard("map"),
    Pass(),
    ChooseGoal("I5"),
    ChooseOrientation(turned=True),
    ChooseOrientation(turned=False),
    TakeGold(3),
]


def turn_form(fields: dict[str, str]) -> TurnForm:
    return TurnForm(ENGLISH, MultiDict({"seq": "4", **fields}))


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: type(action).__name__)
def test_action_passes_through_the_form_unchanged(action: Action) -> None:
    form = turn_form(form_fields_for(action))
    assert form.validate()
    assert form.action() == action
    assert form.number("seq") == 4


@pytest.mark.parametrize("seat", ["1", " 1", "1 ", "01"])
def test_number_is_read_with_blanks_and_leading_zeros(seat: str) -> None:
    form = turn_form({"do": "break", "card": "break-cart", "seat": seat})
    assert form.validate()
    assert form.action() == Break("break-cart", 1)


def test_every_kind_of_action_has_a_form() -> None:
    assert {type(action) for action in ACTIONS} == set(get_args(Action))


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: type(action).__name__)
def test_form_without_one_of_its_fields_is_refused(action: Action) -> None:
    fields = form_fields_for(action)
    for name in fields:
        form = turn_form({other: text for other, text in fields.items() if other != name})
        assert not form.validate()
        assert list(form.errors) == [name]


def test_fields_of_other_actions_are_ignored() -> None:
    form = turn_form({"do": "pass", "card": "no-card", "cell": "nowhere", "nuggets": "x"})
    assert form.validate()
    assert form.action() == Pass()
