"""R34-R46, E1-E3, E15-E17, E31: who is paid how much gold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import Discard, Lay, TakeGold
from engine.cards import GOLD_CARDS
from engine.errors import Reason
from engine.events import GoldDrawn, GoldPaid, GoldTaken, RoundEnded
from engine.gold import exact_change, first_positions_with_sum
from engine.rulebook import HouseRules
from engine.state import State
from engine.view import legal_actions, neutral_action, view_for
from tests.reference_model import gold as model
from tests.support.engine.drawn_positions import drawn_state
from tests.support.engine.positions import cell_at, due_seat, events_of_type, gold_held
from tests.support.engine.vectors import events_of, offered_actions, play, refusal_reason
from tests.support.rulebook_groups import every_rulebook

TREASURE_LAY = Lay("path-rl", cell_at(7, 0))
UK_2017 = "uk-2017"  # Each gold-digger gets exactly one card.


def state_before_finding(rulebook: str = "en-2004", roles: str = "dds", **changes: object) -> State:
    return drawn_state("S──────.$", rulebook, hand=["path-rl"], roles=roles, **changes)  # type: ignore[arg-type]


def state_after_finding(rulebook: str = "en-2004", roles: str = "dds", **changes: object) -> State:
    return play(state_before_finding(rulebook, roles, **changes), TREASURE_LAY)


def picking_order(state: State) -> list[int]:
    """Return which seat picks each gold card."""
    picking_seats: list[int] = []
    while state.choice is not None:
        events = events_of(state, offered_actions(state)[0])
        picking_seats += [event.seat for event in events_of_type(events, GoldTaken)]
        state = play(state, offered_actions(state)[0])
    return picking_seats


@every_rulebook
@pytest.mark.parametrize("roles", ["dds", "dddss", "ddddssddd"])
def test_one_gold_card_is_drawn_per_player_or_per_digger_r36(rulebook: str, roles: str) -> None:
    (drawn_cards,) = events_of_type(
        events_of(state_before_finding(rulebook, roles), TREASURE_LAY), GoldDrawn
    )
    expected = roles.count("d") if rulebook == UK_2017 else len(roles)
    assert len(drawn_cards.cards) == expected


@every_rulebook
@pytest.mark.parametrize("roles", ["d" * 7 + "s" * 3, "d" * 6 + "s" * 4])
def test_ten_players_draw_nine_cards_or_one_per_digger_r37_e17(rulebook: str, roles: str) -> None:
    (drawn_cards,) = events_of_type(
        events_of(state_before_finding(rulebook, roles), TREASURE_LAY), GoldDrawn
    )
    assert len(drawn_cards.cards) == (roles.count("d") if rulebook == UK_2017 else 9)


@every_rulebook
def test_gold_is_drawn_from_the_top_of_the_pile_r36(rulebook: str) -> None:
    earlier_state = state_before_finding(rulebook, "ddds")
    next_state = play(earlier_state, TREASURE_LAY)
    count = len(gold_held(next_state))
    assert gold_held(next_state) == earlier_state.pile[:count]
    assert next_state.pile == earlier_state.pile[count:]


@every_rulebook
def test_finder_picks_first_and_the_rest_goes_counter_clockwise_r38_r40(rulebook: str) -> None:
    order = picking_order(state_after_finding(rulebook, "ddsdd", turn=3, hands={3: ["path-rl"]}))
    assert order == ([3, 1, 0, 4] if rulebook == UK_2017 else [3, 1, 0, 4, 3])


@every_rulebook
def test_saboteur_who_finds_the_treasure_is_skipped_r39_e15_e16(rulebook: str) -> None:
    order = picking_order(state_after_finding(rulebook, "sddds"))
    assert order == ([3, 2, 1] if rulebook == UK_2017 else [3, 2, 1, 3, 2])


@every_rulebook
def test_remaining_gold_cards_go_round_again_except_in_one_rulebook_r40(rulebook: str) -> None:
    order = picking_order(state_after_finding(rulebook, "ddsss"))
    assert order == ([0, 1] if rulebook == UK_2017 else [0, 1, 0, 1, 0])


@every_rulebook
def test_only_digger_takes_every_drawn_gold_card_r40(rulebook: str) -> None:
    state = state_after_finding(rulebook, "dss")
    while state.choice is not None:
        state = play(state, offered_actions(state)[0])
    assert state.results[0].gold_cards == ((1 if rulebook == UK_2017 else 3), 0, 0)


@every_rulebook
def test_digger_keeps_one_of_the_gold_cards_held_r41(rulebook: str) -> None:
    state = state_after_finding(rulebook, "ddds", pile=(1, 3, 2, 2, *GOLD_CARDS[4:]))
    offered_nuggets = {
        action.nuggets for action in offered_actions(state) if isinstance(action, TakeGold)
    }
    assert offered_nuggets == set(gold_held(state))
    next_state = play(state, TakeGold(3))
    assert next_state.gold[0] == (3,)
    assert sorted(gold_held(next_state)) == sorted(without_card(gold_held(state), 3))


def without_card(cards: tuple[int, ...], kept_card: int) -> list[int]:
    remaining_cards = list(cards)
    remaining_cards.remove(kept_card)
    return remaining_cards


@pytest.mark.parametrize("nuggets", [-1, 0, 2, 4])
def test_only_a_held_gold_card_can_be_kept_r41(nuggets: int) -> None:
    state = state_after_finding(pile=(1, 3, 1, *GOLD_CARDS[3:]))
    assert refusal_reason(state, TakeGold(nuggets)) == Reason.NOT_OFFERED
    assert refusal_reason(state, Discard("map")) == Reason.CHOICE_FIRST
    assert refusal_reason(state, TakeGold(3), seat=2) == Reason.NOT_YOUR_TURN


def test_only_the_holder_sees_the_held_gold_r41() -> None:
    state = state_after_finding()
    choosing_seat = due_seat(state)
    for seat in (0, 1, 2, None):
        view = view_for(state, seat)
        assert view.gold_held == (gold_held(state) if seat == choosing_seat else ())
        assert bool(legal_actions(view)) == (seat == choosing_seat)


def test_last_gold_card_is_taken_without_a_choice_r40() -> None:
    choosing_state = state_after_finding("uk-2017", "dds")
    state = play(choosing_state, TakeGold(gold_held(choosing_state)[0]))
    assert state.choice is None
    assert state.round == 2
    assert [len(cards) for cards in state.gold] == [1, 1, 0]


def test_neutral_action_keeps_the_most_valuable_gold_card_r41() -> None:
    state = state_after_finding("en-2004", "ddds", pile=(1, 2, 3, 1, *GOLD_CARDS[4:]))
    assert neutral_action(view_for(state, 0), lambda _: 0) == TakeGold(3)


@every_rulebook
def test_number_of_picked_gold_cards_is_public_and_their_value_is_not_e31(rulebook: str) -> None:
    state = state_after_finding(rulebook, "ddds")
    while state.choice is not None:
        state = play(state, offered_actions(state)[0])
    (result,) = view_for(state, None).results
    assert result.gold_cards == ((1, 1, 1, 0) if rulebook == UK_2017 else (2, 1, 1, 0))
    assert result.nuggets_paid == (0, 0, 0, 0)
    assert view_for(state, 1).gold == (None, state.gold[1], None, None)


INTACT_DIGGERS_ONLY = HouseRules(intact_diggers_only=True)


@every_rulebook
def test_house_rule_gives_no_gold_to_diggers_with_broken_tools_r36(rulebook: str) -> None:
    broken_tools = ((), ("cart",), (), ())
    order = picking_order(
        state_after_finding(rulebook, "ddds", broken=broken_tools, house=INTACT_DIGGERS_ONLY)
    )
    assert order == ([0, 2] if rulebook == UK_2017 else [0, 2, 0, 2])
    assert 1 in picking_order(state_after_finding(rulebook, "ddds", broken=broken_tools))


@every_rulebook
def test_house_rule_pays_no_gold_when_every_digger_has_a_broken_tool(rulebook: str) -> None:
    state = state_before_finding(
        rulebook, "sdd", broken=((), ("cart",), ("lantern",)), house=INTACT_DIGGERS_ONLY
    )
    events = events_of(state, TREASURE_LAY)
    assert not events_of_type(events, GoldDrawn)
    assert [event.winners for event in events_of_type(events, RoundEnded)] == ["diggers"]
    assert play(state, TREASURE_LAY).pile == state.pile


def state_before_saboteurs_win(roles: str, **changes: object) -> State:
    """Return a state in which seat 0 holds the last card of the round, a map to discard."""
    hands = {seat: ["map"] if seat == 0 else [] for seat in range(len(roles))}
    return drawn_state("S", hands=hands, deck=[], roles=roles, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "roles,nuggets", [("sdd", 4), ("sdsdd", 3), ("ssdsddd", 3), ("ssssdddddd", 2)]
)
def test_each_saboteur_is_paid_the_exact_amount_for_their_number_r42_r43(
    roles: str, nuggets: int
) -> None:
    payments = events_of_type(
        events_of(state_before_saboteurs_win(roles, aside="saboteur"), Discard("map")), GoldPaid
    )
    assert {event.seat for event in payments} == {n for n, role in enumerate(roles) if role == "s"}
    assert {sum(event.cards) for event in payments} == {nuggets}
    next_state = play(state_before_saboteurs_win(roles), Discard("map"))
    expected = tuple(nuggets if role == "s" else 0 for role in roles)
    assert next_state.results[0].nuggets_paid == expected
    assert next_state.results[0].gold_cards == (0,) * len(roles)


@every_rulebook
@pytest.mark.parametrize("roles", ["sdd", "dsdd"])
def test_only_saboteur_among_three_or_four_is_paid_e33(rulebook: str, roles: str) -> None:
    hands = {seat: ["map"] * (seat == 0) for seat in range(len(roles))}
    state = drawn_state("S", rulebook, hands=hands, deck=[], roles=roles)
    payments = events_of_type(events_of(state, Discard("map")), GoldPaid)
    assert [(event.seat, sum(event.cards)) for event in payments] == [(roles.index("s"), 4)]


def test_saboteurs_draw_clockwise_from_the_left_of_the_last_turn_e2() -> None:
    payments = events_of_type(
        events_of(state_before_saboteurs_win("sdsds"), Discard("map")), GoldPaid
    )
    assert [event.seat for event in payments] == [2, 4, 0]


def test_next_saboteur_draws_from_the_pile_left_by_the_previous_one_e3() -> None:
    pile = (3, 2, 3, 1, 1, 1, 1)
    payments = events_of_type(
        events_of(state_before_saboteurs_win("dsds", pile=pile), Discard("map")), GoldPaid
    )
    assert [event.cards for event in payments] == [(3,), (2, 1)]
    assert payments[1].overshot == (3,)
    assert play(state_before_saboteurs_win("dsds", pile=pile), Discard("map")).pile == (1, 1, 1, 3)


@pytest.mark.parametrize(
    "pile,owed_nuggets,payment",
    [
        ((3, 1, 1, 2), 2, ((1, 1), (3,), (2, 3))),
        ((2, 2, 1, 3), 3, ((2, 1), (2,), (3, 2))),
        ((3, 2, 1), 4, ((3, 1), (2,), (2,))),
        ((3, 3, 2), 2, ((2,), (3, 3), (3, 3))),
        ((3, 2, 3, 2, 3), 3, ((3,), (), (2, 3, 2, 3))),
        ((1, 1, 1, 1, 1), 4, ((1, 1, 1, 1), (), (1,))),
    ],
)
def test_overshooting_gold_card_goes_to_the_bottom_and_another_is_drawn_r44_r45(
    pile: tuple[int, ...], owed_nuggets: int, payment: tuple[tuple[int, ...], ...]
) -> None:
    cards, _, remaining_pile = payment
    assert exact_change(pile, owed_nuggets) == (*payment, False)
    assert model.draw_exactly(pile, owed_nuggets=owed_nuggets) == (cards, remaining_pile)


@pytest.mark.parametrize(
    "pile,owed_nuggets,cards,remaining_pile",
    [
        ((2, 2, 3, 2), 3, (3,), (2, 2, 2)),
        ((3, 2, 2, 3), 4, (2, 2), (3, 3)),
        ((2, 2, 2), 3, (2,), (2, 2)),
        ((3, 3, 3), 4, (3,), (3, 3)),
        ((3, 3), 2, (), (3, 3)),
        ((), 2, (), ()),
    ],
)
def test_first_exact_set_or_best_lower_sum_is_paid_when_drawing_never_ends_e1(
    pile: tuple[int, ...],
    owed_nuggets: int,
    cards: tuple[int, ...],
    remaining_pile: tuple[int, ...],
) -> None:
    payment = exact_change(pile, owed_nuggets)
    assert (payment.cards, payment.pile) == (cards, remaining_pile)
    assert payment.restored
    assert model.draw_exactly(pile, owed_nuggets=owed_nuggets) == (cards, remaining_pile)


@pytest.mark.parametrize(
    "pile,cards",
    [((2, 1, 3, 1, 1), (2, 1)), ((3, 1, 1, 1, 2), (3,)), ((1, 3, 1, 1, 2), (1, 1, 1))],
)
def test_lexicographically_first_exact_set_is_paid_e1(
    pile: tuple[int, ...], cards: tuple[int, ...]
) -> None:
    assert tuple(pile[position] for position in first_positions_with_sum(pile, 3)) == cards
    assert model.exact_change(pile, owed_nuggets=3)[0] == cards


piles = st.lists(st.sampled_from([1, 2, 3]), max_size=12).map(tuple)


@given(piles, st.integers(1, 4))
def test_payment_equals_the_reference_model_and_creates_no_nuggets_e1_e3(
    pile: tuple[int, ...], owed_nuggets: int
) -> None:
    payment = exact_change(pile, owed_nuggets)
    assert (payment.cards, payment.pile) == model.draw_exactly(pile, owed_nuggets=owed_nuggets)
    assert sorted(payment.cards + payment.pile) == sorted(pile)
    assert sum(payment.cards) <= owed_nuggets


@given(piles, st.integers(1, 4))
def test_first_set_is_the_lexicographically_first_e1(
    pile: tuple[int, ...], owed_nuggets: int
) -> None:
    positions = first_positions_with_sum(pile, owed_nuggets)
    cards, _ = model.exact_change(pile, owed_nuggets=owed_nuggets)
    exact_cards = cards if sum(cards) == owed_nuggets else ()
    assert tuple(pile[position] for position in positions) == exact_cards
    assert list(positions) == sorted(set(positions))
