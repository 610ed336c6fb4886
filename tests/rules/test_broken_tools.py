"""R17-R23, E18: breaking tools and mending them."""

import pytest

from engine.actions import Break, Discard, Lay, Repair, Rockfall
from engine.cards import BREAKS, REPAIRS, TOOLS
from engine.errors import Reason
from engine.events import ToolBroken, ToolRepaired
from engine.rulebook import HouseRules
from engine.view import view_for
from tests.support.drawn_positions import drawn
from tests.support.positions import at, every_rulebook, happens, menu, play, refusal, told

EVERY_CARD_ONCE = ["path-trbl", *BREAKS, *REPAIRS, "rockfall", "map"]


@every_rulebook
@pytest.mark.parametrize("card", BREAKS)
def test_a_tool_of_anybody_can_be_broken_ones_own_too_r17_e18(rulebook: str, card: str) -> None:
    state = drawn("S", rulebook, hand=[card], roles="ddss")
    assert [action for action in menu(state) if isinstance(action, Break)] == [
        Break(card, seat) for seat in range(4)
    ]
    for seat in range(4):
        assert told(happens(state, Break(card, seat)), ToolBroken) == [ToolBroken(0, card, seat)]
        assert play(state, Break(card, seat)).broken[seat] == (BREAKS[card],)


def test_the_house_may_forbid_breaking_ones_own_tools_e18() -> None:
    house = HouseRules(no_self_breaking=True)
    state = drawn("S", hand=["break-cart"], house=house)
    assert refusal(state, Break("break-cart", 0)) == Reason.OWN_TOOL
    assert Break("break-cart", 0) not in menu(state)
    assert Break("break-cart", 1) in menu(state)


def test_one_broken_tool_of_each_kind_lies_before_a_player_at_most_r18() -> None:
    state = drawn("S", hand=["break-cart", "break-lantern"], broken=((), ("cart", "pickaxe"), ()))
    assert refusal(state, Break("break-cart", 1)) == Reason.ALREADY_BROKEN
    assert play(state, Break("break-lantern", 1)).broken[1] == ("cart", "pickaxe", "lantern")


@every_rulebook
@pytest.mark.parametrize("tool", TOOLS)
def test_whoever_begins_with_a_broken_tool_lays_no_path_card_r19_r20(
    rulebook: str, tool: str
) -> None:
    state = drawn("S─", rulebook, hand=EVERY_CARD_ONCE, broken=((tool,), (), ()))
    assert refusal(state, Lay("path-trbl", at(2, 0))) == Reason.TOOLS_BROKEN
    kinds = {type(action).__name__ for action in menu(state)}
    assert kinds == {"Break", "Repair", "Rockfall", "Look", "Discard"}
    assert play(state, Rockfall(at(1, 0))).turn == 1
    assert play(state, Discard("path-trbl")).turn == 1


def test_a_tool_mended_on_the_way_does_not_bring_a_second_card_r8_r19() -> None:
    state = drawn("S", hand=["repair-cart", "path-trbl"], broken=(("cart",), (), ()))
    state = play(state, Repair("repair-cart", 0, "cart"))
    assert state.turn == 1


@pytest.mark.parametrize("seat", [-1, 3, 10, 999])
def test_only_players_at_the_table_have_tools_r17(seat: int) -> None:
    state = drawn("S", hand=["break-cart", "repair-cart"])
    assert refusal(state, Break("break-cart", seat)) == Reason.NO_SUCH_SEAT
    assert refusal(state, Repair("repair-cart", seat, "cart")) == Reason.NO_SUCH_SEAT


@pytest.mark.parametrize("card", ["map", "repair-cart", "path-trbl"])
def test_only_a_broken_tool_breaks_a_tool_r17(card: str) -> None:
    assert refusal(drawn("S", hand=[card]), Break(card, 1)) == Reason.NOT_A_BROKEN_TOOL


@every_rulebook
@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("tool", TOOLS)
def test_one_broken_tool_of_anybody_is_mended_and_both_cards_are_gone_r21(
    rulebook: str, target: int, tool: str
) -> None:
    broken = tuple(TOOLS if seat == target else () for seat in range(3))
    card = f"repair-{tool}"
    state = drawn("S", rulebook, hand=[card], broken=broken)
    mended = Repair(card, target, tool)  # type: ignore[arg-type]
    assert [action for action in menu(state) if isinstance(action, Repair)] == [mended]
    after = play(state, mended)
    assert after.broken[target] == tuple(other for other in TOOLS if other != tool)
    assert after.discards == (card, f"break-{tool}")
    assert told(happens(state, mended), ToolRepaired) == [
        ToolRepaired(0, card, target, tool)  # type: ignore[arg-type]
    ]


def test_a_repair_needs_a_matching_broken_tool_r22() -> None:
    state = drawn("S", hand=["repair-cart"], broken=((), ("lantern",), ()))
    assert refusal(state, Repair("repair-cart", 1, "cart")) == Reason.NOTHING_TO_REPAIR
    assert menu(state) == (Discard("repair-cart"),)


def test_a_repair_mends_the_tool_it_shows_r21() -> None:
    state = drawn("S", hand=["repair-cart"], broken=((), ("lantern",), ()))
    assert refusal(state, Repair("repair-cart", 1, "lantern")) == Reason.WRONG_TOOL


@pytest.mark.parametrize("card", [card for card, tools in REPAIRS.items() if len(tools) == 2])
def test_a_double_repair_mends_one_of_its_two_tools_r23(card: str) -> None:
    state = drawn("S", hand=[card], broken=((), TOOLS, ()))
    one, other = REPAIRS[card]
    assert [action for action in menu(state) if isinstance(action, Repair)] == [
        Repair(card, 1, one),
        Repair(card, 1, other),
    ]
    assert one not in play(state, Repair(card, 1, one)).broken[1]
    assert other in play(state, Repair(card, 1, one)).broken[1]
    (third,) = set(TOOLS) - {one, other}
    assert refusal(state, Repair(card, 1, third)) == Reason.WRONG_TOOL


@pytest.mark.parametrize("card", ["map", "break-cart", "path-trbl"])
def test_only_a_repair_mends_r21(card: str) -> None:
    assert refusal(drawn("S", hand=[card]), Repair(card, 1, "cart")) == Reason.NOT_A_REPAIR


def test_broken_tools_lie_open_before_everybody_r17() -> None:
    state = drawn("S", broken=((), ("cart",), ()))
    assert {view_for(state, seat).broken for seat in (0, 1, 2, None)} == {((), ("cart",), ())}
