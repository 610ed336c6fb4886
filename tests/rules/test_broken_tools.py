"""R17-R23, E18: breaking and repairing tools."""

import pytest

from engine.actions import Break, Discard, Lay, Repair, Rockfall
from engine.cards import BREAKS, REPAIRS, TOOLS
from engine.errors import Reason
from engine.events import ToolBroken, ToolRepaired
from engine.rulebook import HouseRules
from engine.view import view_for
from tests.support.engine.drawn_positions import drawn_state
from tests.support.engine.positions import cell_at, events_of_type
from tests.support.engine.vectors import events_of, offered_actions, play, refusal_reason
from tests.support.rulebook_groups import every_rulebook

EVERY_CARD_ONCE = ["path-trbl", *BREAKS, *REPAIRS, "rockfall", "map"]


@every_rulebook
@pytest.mark.parametrize("card", BREAKS)
def test_any_player_may_break_any_tool_including_their_own_r17_e18(
    rulebook: str, card: str
) -> None:
    state = drawn_state("S", rulebook, hand=[card], roles="ddss")
    assert [action for action in offered_actions(state) if isinstance(action, Break)] == [
        Break(card, seat) for seat in range(4)
    ]
    for seat in range(4):
        assert events_of_type(events_of(state, Break(card, seat)), ToolBroken) == [
            ToolBroken(0, card, seat)
        ]
        assert play(state, Break(card, seat)).broken[seat] == (BREAKS[card],)


def test_house_rule_forbids_breaking_your_own_tools_e18() -> None:
    house = HouseRules(no_self_breaking=True)
    state = drawn_state("S", hand=["break-cart"], house=house)
    assert refusal_reason(state, Break("break-cart", 0)) == Reason.OWN_TOOL
    assert Break("break-cart", 0) not in offered_actions(state)
    assert Break("break-cart", 1) in offered_actions(state)


def test_player_has_at_most_one_broken_tool_of_each_kind_r18() -> None:
    state = drawn_state(
        "S", hand=["break-cart", "break-lantern"], broken=((), ("cart", "pickaxe"), ())
    )
    assert refusal_reason(state, Break("break-cart", 1)) == Reason.ALREADY_BROKEN
    assert play(state, Break("break-lantern", 1)).broken[1] == ("cart", "pickaxe", "lantern")


@every_rulebook
@pytest.mark.parametrize("tool", TOOLS)
def test_player_with_a_broken_tool_lays_no_path_card_r19_r20(rulebook: str, tool: str) -> None:
    state = drawn_state("S─", rulebook, hand=EVERY_CARD_ONCE, broken=((tool,), (), ()))
    assert refusal_reason(state, Lay("path-trbl", cell_at(2, 0))) == Reason.TOOLS_BROKEN
    kinds = {type(action).__name__ for action in offered_actions(state)}
    assert kinds == {"Break", "Repair", "Rockfall", "Look", "Discard"}
    assert play(state, Rockfall(cell_at(1, 0))).turn == 1
    assert play(state, Discard("path-trbl")).turn == 1
    state_of_next_seat = drawn_state("S", rulebook, hand=["path-trbl"], broken=((), (tool,), ()))
    assert Lay("path-trbl", cell_at(-1, 0)) in offered_actions(state_of_next_seat)


def test_repairing_your_tool_uses_up_the_turn_r8_r19() -> None:
    state = drawn_state("S", hand=["repair-cart", "path-trbl"], broken=(("cart",), (), ()))
    state = play(state, Repair("repair-cart", 0, "cart"))
    assert state.turn == 1


@pytest.mark.parametrize("seat", [-1, 3, 10, 999])
def test_tool_of_a_missing_seat_cannot_be_broken_or_repaired_r17(seat: int) -> None:
    state = drawn_state("S", hand=["break-cart", "repair-cart"])
    assert refusal_reason(state, Break("break-cart", seat)) == Reason.NO_SUCH_SEAT
    assert refusal_reason(state, Repair("repair-cart", seat, "cart")) == Reason.NO_SUCH_SEAT


@pytest.mark.parametrize("card", ["map", "repair-cart", "path-trbl"])
def test_only_a_break_card_breaks_a_tool_r17(card: str) -> None:
    assert refusal_reason(drawn_state("S", hand=[card]), Break(card, 1)) == Reason.NOT_A_BROKEN_TOOL


@every_rulebook
@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("tool", TOOLS)
def test_repair_removes_the_break_card_and_discards_both_r21(
    rulebook: str, target: int, tool: str
) -> None:
    broken_tools = tuple(TOOLS if seat == target else () for seat in range(3))
    card = f"repair-{tool}"
    state = drawn_state("S", rulebook, hand=[card], broken=broken_tools)
    repair = Repair(card, target, tool)  # type: ignore[arg-type]
    assert [action for action in offered_actions(state) if isinstance(action, Repair)] == [repair]
    next_state = play(state, repair)
    assert next_state.broken[target] == tuple(
        other_tool for other_tool in TOOLS if other_tool != tool
    )
    assert next_state.discards == (card, f"break-{tool}")
    assert events_of_type(events_of(state, repair), ToolRepaired) == [
        ToolRepaired(0, card, target, tool)  # type: ignore[arg-type]
    ]


def test_repair_needs_a_matching_broken_tool_r22() -> None:
    state = drawn_state("S", hand=["repair-cart"], broken=((), ("lantern",), ()))
    assert refusal_reason(state, Repair("repair-cart", 1, "cart")) == Reason.NOTHING_TO_REPAIR
    assert offered_actions(state) == (Discard("repair-cart"),)


def test_repair_card_repairs_only_the_tool_it_shows_r21() -> None:
    state = drawn_state("S", hand=["repair-cart"], broken=((), ("lantern",), ()))
    assert refusal_reason(state, Repair("repair-cart", 1, "lantern")) == Reason.WRONG_TOOL


@pytest.mark.parametrize("card", [card for card, tools in REPAIRS.items() if len(tools) == 2])
def test_double_repair_repairs_one_of_its_two_tools_r23(card: str) -> None:
    state = drawn_state("S", hand=[card], broken=((), TOOLS, ()))
    one_tool, other_tool = REPAIRS[card]
    assert [action for action in offered_actions(state) if isinstance(action, Repair)] == [
        Repair(card, 1, one_tool),
        Repair(card, 1, other_tool),
    ]
    assert one_tool not in play(state, Repair(card, 1, one_tool)).broken[1]
    assert other_tool in play(state, Repair(card, 1, one_tool)).broken[1]
    (third_tool,) = set(TOOLS) - {one_tool, other_tool}
    assert refusal_reason(state, Repair(card, 1, third_tool)) == Reason.WRONG_TOOL


@pytest.mark.parametrize("card", ["map", "break-cart", "path-trbl"])
def test_only_a_repair_card_repairs_r21(card: str) -> None:
    assert (
        refusal_reason(drawn_state("S", hand=[card]), Repair(card, 1, "cart"))
        == Reason.NOT_A_REPAIR
    )


def test_broken_tools_are_visible_to_every_viewer_r17() -> None:
    state = drawn_state("S", broken=((), ("cart",), ()))
    assert {view_for(state, seat).broken for seat in (0, 1, 2, None)} == {((), ("cart",), ())}
