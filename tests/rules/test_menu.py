"""A menu is a sequence like any other, though it makes an action only when somebody looks at it."""

import pytest

from engine.actions import Discard
from engine.rulebook import HouseRules
from engine.turn_actions import TurnActions
from engine.view import legal_actions, view_for
from tests.rules.test_properties import positions
from tests.support.drawn_positions import drawn
from tests.support.positions import due_seat, every_rulebook

HAND = ["path-trb", "break-cart", "repair-lantern-cart", "rockfall", "map", "path-trb", "dead-l"]
BROKEN = (("lantern",), ("cart", "lantern"), ())


def menu_of(*, gone: tuple[int, ...] = (), house: HouseRules | None = None) -> TurnActions:
    changes = {"gone": gone, "house": house or HouseRules()}
    menu = legal_actions(view_for(drawn("S─", hand=HAND, broken=BROKEN, **changes), 0))
    assert isinstance(menu, TurnActions)
    return menu


@every_rulebook
def test_a_menu_counts_what_it_lists_and_gives_each_item_by_its_number(rulebook: str) -> None:
    for game in positions(rulebook, seed=7):
        if game.is_over:
            break
        menu = legal_actions(view_for(game.state, due_seat(game.state)))
        assert [menu[number] for number in range(len(menu))] == list(menu)


@pytest.mark.parametrize("gone", [(), (1,)])
@pytest.mark.parametrize("spared", [False, True])
def test_a_menu_counts_without_those_who_are_gone_or_spared(gone: tuple[int], spared: bool) -> None:  # noqa: FBT001 - a case
    menu = menu_of(gone=gone, house=HouseRules(no_self_breaking=spared))
    assert len(menu) == len(tuple(menu)) == len(set(menu))


def test_a_menu_ends_with_the_discards_and_lists_cards_that_look_alike_once() -> None:
    assert list(menu_of())[-6:] == [Discard(card) for card in dict.fromkeys(HAND)]


def test_a_menu_is_read_from_its_end_and_in_parts_as_a_tuple_is() -> None:
    menu, listed = menu_of(), tuple(menu_of())
    assert (menu[-1], menu[1:4], menu[::-1]) == (listed[-1], listed[1:4], listed[::-1])
    for beyond in (len(listed), -len(listed) - 1):
        with pytest.raises(IndexError):
            menu[beyond]


def test_a_menu_is_equal_to_what_lists_the_same_actions() -> None:
    menu, listed = menu_of(), tuple(menu_of())
    assert menu == listed == menu_of()
    assert menu != listed[1:]
    assert menu != [*listed]
    assert hash(menu) == hash(listed)


def test_a_menu_shows_no_hand_in_tracebacks() -> None:
    assert repr(menu_of()) == f"<Menu of {len(menu_of())}>"
