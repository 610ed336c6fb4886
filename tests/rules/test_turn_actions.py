"""A menu behaves like a tuple of actions, though it builds an action only when it is read."""

import pytest

from engine.actions import Discard
from engine.rulebook import HouseRules
from engine.turn_actions import TurnActions
from engine.view import legal_actions, view_for
from tests.support.engine.drawn_positions import drawn_state
from tests.support.engine.positions import due_seat
from tests.support.engine.random_games import game_steps
from tests.support.rulebook_groups import every_rulebook

HAND = ["path-trb", "break-cart", "repair-lantern-cart", "rockfall", "map", "path-trb", "dead-l"]
BROKEN = (("lantern",), ("cart", "lantern"), ())


def menu_of(*, gone: tuple[int, ...] = (), house: HouseRules | None = None) -> TurnActions:
    changes = {"gone": gone, "house": house or HouseRules()}
    menu = legal_actions(view_for(drawn_state("S─", hand=HAND, broken=BROKEN, **changes), 0))
    assert isinstance(menu, TurnActions)
    return menu


@every_rulebook
def test_menu_items_by_index_equal_its_iteration(rulebook: str) -> None:
    for game in game_steps(rulebook, seed=7):
        if game.is_over:
            break
        menu = legal_actions(view_for(game.state, due_seat(game.state)))
        assert [menu[number] for number in range(len(menu))] == list(menu)


@pytest.mark.parametrize("gone", [(), (1,)])
@pytest.mark.parametrize("no_self_breaking", [False, True])
def test_menu_length_excludes_given_up_and_protected_seats(
    *, gone: tuple[int, ...], no_self_breaking: bool
) -> None:
    menu = menu_of(gone=gone, house=HouseRules(no_self_breaking=no_self_breaking))
    assert len(menu) == len(tuple(menu)) == len(set(menu))


def test_menu_ends_with_one_discard_per_kind_of_card() -> None:
    assert list(menu_of())[-6:] == [Discard(card) for card in dict.fromkeys(HAND)]


def test_menu_supports_negative_indexes_and_slices() -> None:
    menu, listed = menu_of(), tuple(menu_of())
    assert (menu[-1], menu[1:4], menu[::-1]) == (listed[-1], listed[1:4], listed[::-1])
    for beyond in (len(listed), -len(listed) - 1):
        with pytest.raises(IndexError):
            menu[beyond]


def test_menu_equals_a_tuple_of_the_same_actions() -> None:
    menu, listed = menu_of(), tuple(menu_of())
    assert menu == listed == menu_of()
    assert menu != listed[1:]
    assert menu != [*listed]
    assert hash(menu) == hash(listed)


def test_repr_of_a_menu_shows_only_its_length() -> None:
    assert repr(menu_of()) == f"<TurnActions: {len(menu_of())}>"
