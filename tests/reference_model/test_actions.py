"""R9-R26, E9, E12, E18-E22: what the seat on turn may do."""

from typing import Any, cast

import pytest

from tests.reference_model.cards import PATH_CARD_COUNTS
from tests.reference_model.places import legal_places
from tests.reference_model.sketch import read_sketch
from tests.reference_model.turns import (
    ModelPosition,
    legal_actions,
)
from tests.support.rulebook_groups import every_rulebook

MINE_SKETCH = """
........$
.........
S─┐─────╝
..╹......
........b
"""


def position_with(*hand: str, **changes: Any) -> ModelPosition:
    mine = read_sketch(MINE_SKETCH)
    plain_position: ModelPosition = {
        "rulebook": "lv-2009",
        "house_rules": {},
        "laid": mine.laid,
        "face_down_goals": mine.face_down,
        "seats": 3,
        "given_up": (),
        "broken": {},
        "seat": 0,
        "hand": hand,
        "question": None,
    }
    return cast("ModelPosition", plain_position | changes)


@every_rulebook
@pytest.mark.parametrize("code", PATH_CARD_COUNTS)
def test_path_card_may_be_laid_at_every_legal_place_or_discarded(rulebook: str, code: str) -> None:
    mine = read_sketch(MINE_SKETCH)
    places = legal_places(rulebook, mine.laid, face_down_goals=mine.face_down, card=code)
    assert legal_actions(position_with(code, rulebook=rulebook)) == {
        ("discard", code),
        *(("lay", code, x, y, turned) for x, y, turned in places),
    }


@every_rulebook
@pytest.mark.parametrize("tools", [{"cart"}, {"cart", "lantern", "pickaxe"}])
def test_broken_tool_forbids_only_path_cards_r19_r20(rulebook: str, tools: set[str]) -> None:
    blocked_position = position_with("path-trbl", "map", rulebook=rulebook, broken={0: tools})
    assert legal_actions(blocked_position) == {
        ("discard", "path-trbl"),
        ("discard", "map"),
        ("map", 8, -2),
        ("map", 8, 2),
    }


def test_broken_tool_of_another_seat_does_not_forbid_path_cards() -> None:
    actions = legal_actions(position_with("path-trbl", broken={1: {"cart"}}))
    assert ("lay", "path-trbl", -1, 0, False) in actions


def test_any_player_may_break_any_tool_including_their_own_r17_e18() -> None:
    assert legal_actions(position_with("break-cart")) == {
        ("discard", "break-cart"),
        ("break", "break-cart", 0),
        ("break", "break-cart", 1),
        ("break", "break-cart", 2),
    }


def test_player_has_at_most_one_broken_tool_of_each_kind_r18() -> None:
    broken_tools = {1: {"cart"}, 2: {"lantern", "pickaxe"}}
    assert legal_actions(position_with("break-cart", broken=broken_tools)) == {
        ("discard", "break-cart"),
        ("break", "break-cart", 0),
        ("break", "break-cart", 2),
    }


def test_house_rule_forbids_breaking_your_own_tools() -> None:
    actions = legal_actions(position_with("break-cart", house_rules={"no_self_breaking": True}))
    assert ("break", "break-cart", 0) not in actions
    assert ("break", "break-cart", 1) in actions


def test_repair_needs_a_matching_broken_tool_of_any_player_r21_r23() -> None:
    broken_tools = {0: {"cart"}, 1: {"lantern"}, 2: {"cart", "pickaxe"}}
    assert legal_actions(position_with("repair-cart", broken=broken_tools)) == {
        ("discard", "repair-cart"),
        ("repair", "repair-cart", 0, "cart"),
        ("repair", "repair-cart", 2, "cart"),
    }
    assert legal_actions(position_with("repair-cart", broken={1: {"lantern"}})) == {
        ("discard", "repair-cart")
    }


def test_double_repair_repairs_one_of_its_two_tools_r22() -> None:
    card = "repair-lantern-cart"
    broken_tools = {0: {"cart", "lantern", "pickaxe"}, 1: {"pickaxe"}}
    assert legal_actions(position_with(card, broken=broken_tools)) == {
        ("discard", card),
        ("repair", card, 0, "lantern"),
        ("repair", card, 0, "cart"),
    }


def test_given_up_seat_receives_no_break_or_repair_cards_e12() -> None:
    broken_tools = {1: {"lantern"}}
    actions = legal_actions(
        position_with("break-cart", "repair-lantern", given_up={1}, broken=broken_tools)
    )
    assert actions == {
        ("discard", "break-cart"),
        ("discard", "repair-lantern"),
        ("break", "break-cart", 0),
        ("break", "break-cart", 2),
    }


@every_rulebook
def test_rockfall_removes_any_path_card_but_not_the_start_or_a_goal_r24_e9(rulebook: str) -> None:
    cells = {(1, 0), (2, 0), (2, 1), *((x, 0) for x in range(3, 8))}
    assert legal_actions(position_with("rockfall", rulebook=rulebook)) == {
        ("discard", "rockfall"),
        *(("rockfall", x, y) for x, y in cells),
    }


def test_rockfall_without_a_target_can_only_be_discarded_e19() -> None:
    position_without_targets = position_with("rockfall", laid=read_sketch("S").laid)
    assert legal_actions(position_without_targets) == {("discard", "rockfall")}


def test_map_shows_only_face_down_goals_r26_e22() -> None:
    assert legal_actions(position_with("map")) == {
        ("discard", "map"),
        ("map", 8, -2),
        ("map", 8, 2),
    }


@every_rulebook
def test_empty_hand_can_only_pass_r12(rulebook: str) -> None:
    assert legal_actions(position_with(rulebook=rulebook)) == {("pass",)}


@pytest.mark.parametrize("code", ["map", "break-cart", "repair-cart", "rockfall", "path-tb"])
def test_hand_with_cards_may_discard_but_not_pass_r9(code: str) -> None:
    actions = legal_actions(position_with(code))
    assert ("pass",) not in actions
    assert ("discard", code) in actions


def test_open_question_allows_only_its_answers() -> None:
    goal = position_with(
        "map", question={"kind": "goal", "cell": None, "options": ((8, 0), (8, 2))}
    )
    assert legal_actions(goal) == {("goal", 8, 0), ("goal", 8, 2)}
    position_with_question = position_with(
        "map", question={"kind": "orientation", "cell": (8, 0), "options": (False, True)}
    )
    assert legal_actions(position_with_question) == {
        ("orientation", 8, 0, False),
        ("orientation", 8, 0, True),
    }
