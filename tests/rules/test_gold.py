"""R34-R46, E1-E3, E15-E17, E31: who is paid what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import Discard, Lay, TakeGold
from engine.cards import GOLD
from engine.errors import Reason
from engine.events import GoldDrawn, GoldPaid, GoldTaken, RoundEnded
from engine.gold import exact_change, first_set
from engine.rulebook import HouseRules
from engine.state import State
from engine.view import legal_actions, neutral_action, view_for
from tests.reference_model import gold as oracle
from tests.support.drawn_positions import drawn
from tests.support.positions import (
    at,
    due_seat,
    every_rulebook,
    gold_held,
    happens,
    menu,
    play,
    refusal,
    told,
)

FIND = Lay("path-rl", at(7, 0))
PER_DIGGER = "uk-2017"


def before_the_find(rulebook: str = "en-2004", roles: str = "dds", **changes: object) -> State:
    return drawn("S──────.$", rulebook, hand=["path-rl"], roles=roles, **changes)  # type: ignore[arg-type]


def found(rulebook: str = "en-2004", roles: str = "dds", **changes: object) -> State:
    return play(before_the_find(rulebook, roles, **changes), FIND)


def pickers(state: State) -> list[int]:
    """Who picks, card by card, whatever they pick."""
    picked: list[int] = []
    while state.choice is not None:
        events = happens(state, menu(state)[0])
        picked += [event.seat for event in told(events, GoldTaken)]
        state = play(state, menu(state)[0])
    return picked


@every_rulebook
@pytest.mark.parametrize("roles", ["dds", "dddss", "ddddssddd"])
def test_one_gold_card_a_player_is_drawn_or_one_a_digger_r36(rulebook: str, roles: str) -> None:
    (drawn_cards,) = told(happens(before_the_find(rulebook, roles), FIND), GoldDrawn)
    wanted = roles.count("d") if rulebook == PER_DIGGER else len(roles)
    assert len(drawn_cards.cards) == wanted


@every_rulebook
@pytest.mark.parametrize("roles", ["d" * 7 + "s" * 3, "d" * 6 + "s" * 4])
def test_ten_players_draw_nine_cards_or_one_a_digger_r37_e17(rulebook: str, roles: str) -> None:
    (drawn_cards,) = told(happens(before_the_find(rulebook, roles), FIND), GoldDrawn)
    assert len(drawn_cards.cards) == (roles.count("d") if rulebook == PER_DIGGER else 9)


@every_rulebook
def test_the_gold_is_drawn_from_the_top_r36(rulebook: str) -> None:
    before = before_the_find(rulebook, "ddds")
    after = play(before, FIND)
    count = len(gold_held(after))
    assert gold_held(after) == before.pile[:count]
    assert after.pile == before.pile[count:]


@every_rulebook
def test_the_finder_picks_first_and_the_rest_goes_counter_clockwise_r38_r40(rulebook: str) -> None:
    order = pickers(found(rulebook, "ddsdd", turn=3, hands={3: ["path-rl"]}))
    assert order == ([3, 1, 0, 4] if rulebook == PER_DIGGER else [3, 1, 0, 4, 3])


@every_rulebook
def test_a_saboteur_who_finds_it_gets_nothing_and_the_next_digger_picks_first_r39_e15_e16(
    rulebook: str,
) -> None:
    order = pickers(found(rulebook, "sddds"))
    assert order == ([3, 2, 1] if rulebook == PER_DIGGER else [3, 2, 1, 3, 2])


@every_rulebook
def test_leftovers_go_round_again_or_there_are_none_r40(rulebook: str) -> None:
    order = pickers(found(rulebook, "ddsss"))
    assert order == ([0, 1] if rulebook == PER_DIGGER else [0, 1, 0, 1, 0])


@every_rulebook
def test_a_digger_alone_takes_all_that_is_drawn_r40(rulebook: str) -> None:
    state = found(rulebook, "dss")
    while state.choice is not None:
        state = play(state, menu(state)[0])
    assert state.results[0].gold_cards == ((1 if rulebook == PER_DIGGER else 3), 0, 0)


@every_rulebook
def test_each_keeps_one_of_those_he_holds_r41(rulebook: str) -> None:
    state = found(rulebook, "ddds", pile=(1, 3, 2, 2, *GOLD[4:]))
    offered = {action.nuggets for action in menu(state) if isinstance(action, TakeGold)}
    assert offered == set(gold_held(state))
    after = play(state, TakeGold(3))
    assert after.gold[0] == (3,)
    assert sorted(gold_held(after)) == sorted(set_aside(gold_held(state), 3))


def set_aside(cards: tuple[int, ...], kept: int) -> list[int]:
    rest = list(cards)
    rest.remove(kept)
    return rest


@pytest.mark.parametrize("nuggets", [-1, 0, 2, 4])
def test_only_a_card_that_he_holds_can_be_kept_r41(nuggets: int) -> None:
    state = found(pile=(1, 3, 1, *GOLD[3:]))
    assert refusal(state, TakeGold(nuggets)) == Reason.NOT_OFFERED
    assert refusal(state, Discard("map")) == Reason.CHOICE_FIRST
    assert refusal(state, TakeGold(3), seat=2) == Reason.NOT_YOUR_TURN


def test_only_the_holder_sees_the_cards_r41() -> None:
    state = found()
    holder = due_seat(state)
    for seat in (0, 1, 2, None):
        view = view_for(state, seat)
        assert view.gold_held == (gold_held(state) if seat == holder else ())
        assert bool(legal_actions(view)) == (seat == holder)


def test_a_single_card_leaves_nothing_to_choose_r40() -> None:
    state = play(found("uk-2017", "dds"), TakeGold(gold_held(found("uk-2017", "dds"))[0]))
    assert state.choice is None
    assert state.round == 2
    assert [len(cards) for cards in state.gold] == [1, 1, 0]


def test_a_late_player_keeps_the_most_valuable_card_r41() -> None:
    state = found("en-2004", "ddds", pile=(1, 2, 3, 1, *GOLD[4:]))
    assert neutral_action(view_for(state, 0), lambda _: 0) == TakeGold(3)


@every_rulebook
def test_how_many_cards_each_digger_picked_is_public_and_no_more_e31(rulebook: str) -> None:
    state = found(rulebook, "ddds")
    while state.choice is not None:
        state = play(state, menu(state)[0])
    (result,) = view_for(state, None).results
    assert result.gold_cards == ((1, 1, 1, 0) if rulebook == PER_DIGGER else (2, 1, 1, 0))
    assert result.nuggets_paid == (0, 0, 0, 0)
    assert view_for(state, 1).gold == (None, state.gold[1], None, None)


INTACT = HouseRules(intact_diggers_only=True)


@every_rulebook
def test_by_house_rule_a_digger_with_a_broken_tool_gets_no_gold_r36(rulebook: str) -> None:
    broken = ((), ("cart",), (), ())
    order = pickers(found(rulebook, "ddds", broken=broken, house=INTACT))
    assert order == ([0, 2] if rulebook == PER_DIGGER else [0, 2, 0, 2])
    assert 1 in pickers(found(rulebook, "ddds", broken=broken))


@every_rulebook
def test_by_house_rule_nobody_is_paid_where_no_digger_is_intact(rulebook: str) -> None:
    state = before_the_find(rulebook, "sdd", broken=((), ("cart",), ("lantern",)), house=INTACT)
    events = happens(state, FIND)
    assert not told(events, GoldDrawn)
    assert [event.winners for event in told(events, RoundEnded)] == ["diggers"]
    assert play(state, FIND).pile == state.pile


def saboteurs_win(roles: str, **changes: object) -> State:
    """The last card of the round is about to be discarded, by seat 0."""
    hands = {seat: ["map"] if seat == 0 else [] for seat in range(len(roles))}
    return drawn("S", hands=hands, deck=[], roles=roles, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "roles,nuggets", [("sdd", 4), ("sdsdd", 3), ("ssdsddd", 3), ("ssssdddddd", 2)]
)
def test_saboteurs_are_paid_by_their_number_to_the_very_nugget_r42_r43(
    roles: str, nuggets: int
) -> None:
    paid = told(happens(saboteurs_win(roles, aside="saboteur"), Discard("map")), GoldPaid)
    assert {event.seat for event in paid} == {n for n, role in enumerate(roles) if role == "s"}
    assert {sum(event.cards) for event in paid} == {nuggets}
    after = play(saboteurs_win(roles), Discard("map"))
    wanted = tuple(nuggets if role == "s" else 0 for role in roles)
    assert after.results[0].nuggets_paid == wanted
    assert after.results[0].gold_cards == (0,) * len(roles)


@every_rulebook
@pytest.mark.parametrize("roles", ["sdd", "dsdd"])
def test_a_lone_saboteur_among_three_or_four_is_paid_e33(rulebook: str, roles: str) -> None:
    hands = {seat: ["map"] * (seat == 0) for seat in range(len(roles))}
    state = drawn("S", rulebook, hands=hands, deck=[], roles=roles)
    paid = told(happens(state, Discard("map")), GoldPaid)
    assert [(event.seat, sum(event.cards)) for event in paid] == [(roles.index("s"), 4)]


def test_saboteurs_draw_clockwise_from_the_left_of_the_last_turn_e2() -> None:
    paid = told(happens(saboteurs_win("sdsds"), Discard("map")), GoldPaid)
    assert [event.seat for event in paid] == [2, 4, 0]


def test_the_next_saboteur_draws_from_what_the_last_one_left_e3() -> None:
    pile = (3, 2, 3, 1, 1, 1, 1)
    paid = told(happens(saboteurs_win("dsds", pile=pile), Discard("map")), GoldPaid)
    assert [event.cards for event in paid] == [(3,), (2, 1)]
    assert paid[1].overshot == (3,)
    assert play(saboteurs_win("dsds", pile=pile), Discard("map")).pile == (1, 1, 1, 3)


@pytest.mark.parametrize(
    "pile,owed,payment",
    [
        ((3, 1, 1, 2), 2, ((1, 1), (3,), (2, 3))),
        ((2, 2, 1, 3), 3, ((2, 1), (2,), (3, 2))),
        ((3, 2, 1), 4, ((3, 1), (2,), (2,))),
        ((3, 3, 2), 2, ((2,), (3, 3), (3, 3))),
        ((3, 2, 3, 2, 3), 3, ((3,), (), (2, 3, 2, 3))),
        ((1, 1, 1, 1, 1), 4, ((1, 1, 1, 1), (), (1,))),
    ],
)
def test_a_card_that_overshoots_goes_to_the_bottom_and_another_is_drawn_r44_r45(
    pile: tuple[int, ...], owed: int, payment: tuple[tuple[int, ...], ...]
) -> None:
    assert exact_change(pile, owed) == (*payment, False)


@pytest.mark.parametrize(
    "pile,owed,cards,rest",
    [
        ((2, 2, 3, 2), 3, (3,), (2, 2, 2)),
        ((3, 2, 2, 3), 4, (2, 2), (3, 3)),
        ((2, 2, 2), 3, (2,), (2, 2)),
        ((3, 3, 3), 4, (3,), (3, 3)),
        ((3, 3), 2, (), (3, 3)),
        ((), 2, (), ()),
    ],
)
def test_where_drawing_never_ends_the_first_exact_set_is_given_else_the_best_lower_e1(
    pile: tuple[int, ...], owed: int, cards: tuple[int, ...], rest: tuple[int, ...]
) -> None:
    payment = exact_change(pile, owed)
    assert (payment.cards, payment.pile) == (cards, rest)
    assert payment.restored


piles = st.lists(st.sampled_from([1, 2, 3]), max_size=12).map(tuple)


@given(piles, st.integers(1, 4))
def test_change_is_made_as_the_oracle_makes_it_and_no_nugget_is_minted_e1_e3(
    pile: tuple[int, ...], owed: int
) -> None:
    payment = exact_change(pile, owed)
    assert (payment.cards, payment.pile) == oracle.draw_exactly(pile, owed=owed)
    assert sorted(payment.cards + payment.pile) == sorted(pile)
    assert sum(payment.cards) <= owed


@given(piles, st.integers(1, 4))
def test_the_first_set_of_positions_is_the_lexicographically_first_e1(
    pile: tuple[int, ...], owed: int
) -> None:
    positions = first_set(pile, owed)
    cards, _ = oracle.exact_change(pile, owed=owed)
    assert tuple(pile[position] for position in positions) == (cards if sum(cards) == owed else ())
    assert list(positions) == sorted(set(positions))
