"""``TurnActions`` behaves like a tuple of actions, though it builds each action only when it is read."""

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
BROKEN_TOOLS = (("lantern",), ("cart", "lantern"), ())


def actions_of_seat_0(
    *, gone: tuple[int, ...] = (), house: HouseRules | None = None
) -> TurnActions:
    changes = {"gone": gone, "house": house or HouseRules()}
    actions = legal_actions(
        view_for(drawn_state("S─", hand=HAND, broken=BROKEN_TOOLS, **changes), 0)
    )
    assert isinstance(actions, TurnActions)
    return actions


@every_rulebook
def test_turn_actions_by_index_equal_their_iteration(rulebook: str) -> None:
    for game in game_steps(rulebook, seed=7):
        if game.is_over:
            break
        actions = legal_actions(view_for(game.state, due_seat(game.state)))
        assert [actions[number] for number in range(len(actions))] == list(actions)


@pytest.mark.parametrize("gone", [(), (1,)])
@pytest.mark.parametrize("no_self_breaking", [False, True])
def test_number_of_turn_actions_excludes_given_up_and_protected_seats(
    *, gone: tuple[int, ...], no_self_breaking: bool
) -> None:
    actions = actions_of_seat_0(gone=gone, house=HouseRules(no_self_breaking=no_self_breaking))
    assert len(actions) == len(tuple(actions)) == len(set(actions))


def test_turn_actions_end_with_one_discard_per_kind_of_card() -> None:
    assert list(actions_of_seat_0())[-6:] == [Discard(card) for card in dict.fromkeys(HAND)]


def test_turn_actions_support_negative_indexes_and_slices() -> None:
    actions, listed_actions = actions_of_seat_0(), tuple(actions_of_seat_0())
    assert (actions[-1], actions[1:4], actions[::-1]) == (
        listed_actions[-1],
        listed_actions[1:4],
        listed_actions[::-1],
    )
    for index_out_of_range in (len(listed_actions), -len(listed_actions) - 1):
        with pytest.raises(IndexError):
            actions[index_out_of_range]


def test_turn_actions_equal_a_tuple_of_the_same_actions() -> None:
    actions, listed_actions = actions_of_seat_0(), tuple(actions_of_seat_0())
    assert actions == listed_actions == actions_of_seat_0()
    assert actions != listed_actions[1:]
    assert actions != [*listed_actions]
    assert hash(actions) == hash(listed_actions)


def test_repr_of_turn_actions_shows_only_their_number() -> None:
    assert repr(actions_of_seat_0()) == f"<TurnActions: {len(actions_of_seat_0())}>"
