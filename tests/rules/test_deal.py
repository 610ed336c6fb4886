"""R2-R6 and R48: which cards a deal takes from which pile, and how likely each outcome is."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain

import msgspec
import pytest

from engine.cards import DECK, GOALS, GOLD_CARDS, HAND_SIZES, SABOTEUR_COUNTS, role_pile
from engine.commitments import ProvableChance, Secrets, SeededChance
from engine.events import Dealt
from engine.evolve import initial_state
from engine.rounds import deal
from engine.rulebook import HouseRules
from engine.state import State
from tests.support.engine.seeded_random import ScriptedChance
from tests.support.rulebook_groups import every_number_of_seats


def undealt_state(seats: int, *, dealt_rounds: int = 0, gone: tuple[int, ...] = ()) -> State:
    earlier_state = initial_state("en-2004", HouseRules(), seats)
    return msgspec.structs.replace(earlier_state, round=dealt_rounds, gone=gone)


def many_deals(seats: int, times: int, *, starter: int | None = 0) -> Iterator[Dealt]:
    for seed in range(times):
        chance = SeededChance(seed.to_bytes(4, "big"))
        yield deal(undealt_state(seats), starter=starter, chance=chance)


def is_near_expected_share(count: int, times: int, share: float) -> bool:
    """Return whether a count lies within four standard deviations of its expected share."""
    return (count - times * share) ** 2 <= 16 * times * share * (1 - share)


@every_number_of_seats
def test_every_seat_gets_a_role_and_one_role_is_set_aside_r2_r3(seats: int) -> None:
    deal_event = next(many_deals(seats, 1))
    assert len(deal_event.roles) == seats
    assert Counter((*deal_event.roles, deal_event.aside)) == Counter(role_pile(seats))


@every_number_of_seats
def test_hands_and_deck_are_the_67_cards_r5(seats: int) -> None:
    deal_event = next(many_deals(seats, 1))
    assert [len(hand) for hand in deal_event.hands] == [HAND_SIZES[seats]] * seats
    assert Counter((*chain(*deal_event.hands), *deal_event.deck)) == Counter(DECK)


def test_every_goal_is_dealt_to_a_goal_place_r4() -> None:
    assert set(next(many_deals(3, 1)).goals) == set(GOALS)


def test_gold_pile_is_shuffled_only_before_round_one_r48() -> None:
    chance = SeededChance(b"gold")
    first_deal = deal(undealt_state(4), starter=0, chance=chance)
    assert first_deal.pile is not None
    assert Counter(first_deal.pile) == Counter(GOLD_CARDS)
    for rounds in (1, 2):
        later_deal = deal(undealt_state(4, dealt_rounds=rounds), starter=0, chance=chance)
        assert (later_deal.round, later_deal.pile) == (rounds + 1, None)


def test_every_round_shuffles_the_deck_again_r48() -> None:
    chance = SeededChance(b"rounds")
    deal_event = [
        deal(undealt_state(5, dealt_rounds=dealt_rounds), starter=0, chance=chance)
        for dealt_rounds in range(3)
    ]
    assert len({deal.deck for deal in deal_event}) == 3


def test_each_pile_follows_the_order_of_its_label() -> None:
    chance = ScriptedChance(7)
    deal_event = deal(undealt_state(3, dealt_rounds=1), starter=None, chance=chance)
    used_labels = chance.used_orders
    assert set(used_labels) == {"round-2/roles", "round-2/goals", "round-2/deck", "round-2/starter"}
    assert (*deal_event.roles, deal_event.aside) == used_labels["round-2/roles"]
    assert deal_event.goals == used_labels["round-2/goals"]
    assert (*chain(*deal_event.hands), *deal_event.deck) == used_labels["round-2/deck"]
    assert deal_event.starter == used_labels["round-2/starter"][0]


def test_gold_pile_follows_the_order_of_the_gold_label() -> None:
    chance = ScriptedChance(7)
    assert deal(undealt_state(3), starter=0, chance=chance).pile == chance.used_orders["gold"]


def test_every_label_has_a_secret() -> None:
    secrets = Secrets(gold=b"g" * 32, round_1=b"1" * 32, round_2=b"2" * 32, round_3=b"3" * 32)
    chance = ProvableChance(secrets, b"record")
    for rounds in range(3):
        deal_event = deal(undealt_state(10, dealt_rounds=rounds), starter=None, chance=chance)
        assert deal_event.round == rounds + 1


def test_agreed_starter_is_used_without_chance_r6() -> None:
    chance = ScriptedChance()
    assert deal(undealt_state(6), starter=4, chance=chance).starter == 4
    assert "round-1/starter" not in chance.used_orders


def test_every_seat_is_equally_likely_to_start_by_chance_r6() -> None:
    starters = Counter(deal_event.starter for deal_event in many_deals(5, 1_000, starter=None))
    assert all(is_near_expected_share(starters[seat], 1_000, 1 / 5) for seat in range(5))


def test_given_up_seat_gets_a_role_but_no_hand_e12() -> None:
    full_deal = deal(undealt_state(4, dealt_rounds=1), starter=0, chance=SeededChance(b"x"))
    deal_event = deal(
        undealt_state(4, dealt_rounds=1, gone=(1,)), starter=0, chance=SeededChance(b"x")
    )
    assert deal_event.roles == full_deal.roles
    assert deal_event.hands == (full_deal.hands[0], (), full_deal.hands[1], full_deal.hands[2])
    assert (*chain(*deal_event.hands), *deal_event.deck) == (
        *chain(*full_deal.hands),
        *full_deal.deck,
    )


def test_given_up_seat_is_not_drawn_as_starter_e12() -> None:
    earlier_state = undealt_state(4, dealt_rounds=1, gone=(0, 3))
    starters = {
        deal(earlier_state, starter=None, chance=SeededChance(bytes([seed]))).starter
        for seed in range(40)
    }
    assert starters == {1, 2}


@pytest.mark.parametrize("seats", [0, 2, 11])
def test_dealing_to_fewer_than_three_or_more_than_ten_raises_r2(seats: int) -> None:
    with pytest.raises(ValueError, match="three to ten"):
        deal(undealt_state(seats), starter=0, chance=SeededChance(b""))


@every_number_of_seats
def test_role_set_aside_is_a_saboteur_with_the_expected_frequency(seats: int) -> None:
    """The probability is 1/4, 1/5, 2/6, 2/7, 3/8, 3/9, 3/10, 4/11 for 3 to 10 players."""
    aside = Counter(deal_event.aside for deal_event in many_deals(seats, 1_000))
    assert is_near_expected_share(aside["saboteur"], 1_000, SABOTEUR_COUNTS[seats] / (seats + 1))


def test_every_seat_is_a_saboteur_equally_often_r3() -> None:
    times = 1_000
    saboteurs = Counter(
        seat
        for deal_event in many_deals(10, times)
        for seat, role in enumerate(deal_event.roles)
        if role == "saboteur"
    )
    assert all(is_near_expected_share(saboteurs[seat], times, 4 / 11) for seat in range(10))


def test_treasure_lies_at_every_goal_place_equally_often_r4() -> None:
    places = Counter(deal_event.goals.index("treasure") for deal_event in many_deals(3, 1_000))
    assert all(is_near_expected_share(places[place], 1_000, 1 / 3) for place in range(3))


def test_every_seat_is_dealt_maps_equally_often_r5() -> None:
    times = 1_000
    holder_counts = Counter(
        seat
        for deal_event in many_deals(5, times)
        for seat, hand in enumerate(deal_event.hands)
        if "map" in hand
    )
    # The probability that none of the six maps is among the six cards of a hand, out of 67.
    probability_of_none = 1.0
    for drawn_count in range(6):
        probability_of_none *= (61 - drawn_count) / (67 - drawn_count)
    assert all(
        is_near_expected_share(holder_counts[seat], times, 1 - probability_of_none)
        for seat in range(5)
    )


def test_role_and_hand_are_independent() -> None:
    pairs = Counter(
        (deal_event.roles[0], "rockfall" in deal_event.hands[0])
        for deal_event in many_deals(3, 2_000)
    )
    for has_rockfall in (True, False):
        pair_count = pairs["saboteur", has_rockfall] + pairs["digger", has_rockfall]
        assert is_near_expected_share(pairs["saboteur", has_rockfall], pair_count, 1 / 4)
