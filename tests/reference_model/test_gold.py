import pytest

from tests.reference_model.gold import (
    PaidGold,
    draw_exactly,
    draw_one_by_one,
    exact_change,
    gold_cards_drawn,
    nuggets_per_saboteur,
    pay_diggers,
    pay_saboteurs,
    pickers,
    picking_order,
    saboteur_order,
    sharing_diggers,
    winners,
    winning_side,
)
from tests.reference_model.sketch import read_sketch
from tests.support.rulebook_groups import every_rulebook


def roles_from(initials: str) -> dict[int, str]:
    """Return the role of each seat: in "ddsd", seat 2 is the saboteur."""
    return {seat: "saboteur" if role == "s" else "digger" for seat, role in enumerate(initials)}


def sharing_seats(
    initials: str, *, broken_tools: dict[int, set[str]], given_up: set[int], house: bool
) -> list[int]:
    return sharing_diggers(
        roles_from(initials), broken=broken_tools, given_up=given_up, intact_diggers_only=house
    )


@every_rulebook
def test_diggers_win_by_an_unbroken_path_to_the_treasure_r34(rulebook: str) -> None:
    laid = read_sketch("S───────╬").laid
    assert winning_side(rulebook, laid, treasure=(8, 0), roles=roles_from("dds")) == "diggers"


@every_rulebook
@pytest.mark.parametrize("initials,side", [("dds", "saboteurs"), ("ddd", "nobody")])
def test_saboteurs_win_without_the_treasure_if_there_are_any_r35(
    rulebook: str, initials: str, side: str
) -> None:
    laid = read_sketch("S──━───.").laid
    assert winning_side(rulebook, laid, treasure=(8, 0), roles=roles_from(initials)) == side


@every_rulebook
def test_reached_treasure_counts_face_down_except_in_two_rulebooks_r35_e5(
    rulebook: str,
) -> None:
    laid = read_sketch("S───────$").laid
    side = winning_side(rulebook, laid, treasure=(8, 0), roles=roles_from("dds"))
    assert side == ("saboteurs" if rulebook in {"et-2007", "uk-2017"} else "diggers")


@every_rulebook
@pytest.mark.parametrize("players", [3, 4, 5, 9])
def test_one_gold_card_is_drawn_per_player_or_per_digger_r36(rulebook: str, players: int) -> None:
    drawn_card_count = gold_cards_drawn(rulebook, players=players, sharing_seat_count=2)
    assert drawn_card_count == (2 if rulebook == "uk-2017" else players)


@every_rulebook
def test_ten_players_draw_nine_cards_or_one_per_digger_r37_e17(rulebook: str) -> None:
    drawn_card_count = gold_cards_drawn(rulebook, players=10, sharing_seat_count=6)
    assert drawn_card_count == (6 if rulebook == "uk-2017" else 9)
    drawn_card_count = gold_cards_drawn(rulebook, players=10, sharing_seat_count=7)
    assert drawn_card_count == (7 if rulebook == "uk-2017" else 9)


@every_rulebook
def test_no_gold_is_drawn_when_no_digger_shares(rulebook: str) -> None:
    assert gold_cards_drawn(rulebook, players=5, sharing_seat_count=0) == 0
    assert pickers(rulebook, [], drawn_card_count=0) == []
    assert pay_diggers((3, 2, 1), []) == PaidGold({}, (3, 2, 1))


def test_gold_is_passed_counter_clockwise_from_digger_to_digger_r38() -> None:
    """Seats clockwise: 0 d, 1 s, 2 d, 3 d, 4 s; seat 2 turned the treasure."""
    assert picking_order(5, finder_seat=2, sharing_seats=[0, 2, 3]) == [2, 0, 3]


def test_next_digger_counter_clockwise_picks_first_after_a_saboteur_r39_e15_e16() -> None:
    assert picking_order(5, finder_seat=4, sharing_seats=[0, 2, 3]) == [3, 2, 0]
    assert picking_order(5, finder_seat=1, sharing_seats=[0, 2, 3]) == [0, 3, 2]


@every_rulebook
def test_remaining_gold_cards_go_round_again_except_in_one_rulebook_r40(rulebook: str) -> None:
    order = [2, 0, 3]
    drawn_card_count = gold_cards_drawn(rulebook, players=5, sharing_seat_count=3)
    expected = [2, 0, 3] if rulebook == "uk-2017" else [2, 0, 3, 2, 0]
    assert pickers(rulebook, order, drawn_card_count=drawn_card_count) == expected


def test_digger_keeps_the_best_card_unless_they_choose_otherwise_r41() -> None:
    pile = (1, 3, 1, 2, 2, 3, 1)
    assert pay_diggers(pile, [2, 0, 3, 2, 0]) == PaidGold({2: (3, 1), 0: (2, 1), 3: (2,)}, (3, 1))
    assert pay_diggers(pile, [2, 0, 3], choose_card=min) == PaidGold(
        {2: (1,), 0: (1,), 3: (3,)}, pile[3:]
    )


def test_diggers_with_broken_tools_share_by_default() -> None:
    broken_tools = {0: {"cart"}}
    assert sharing_seats("ddsd", broken_tools=broken_tools, given_up=set(), house=False) == [
        0,
        1,
        3,
    ]


def test_house_rule_excludes_diggers_with_broken_tools() -> None:
    broken_tools: dict[int, set[str]] = {0: {"cart"}, 1: set()}
    assert sharing_seats("ddsd", broken_tools=broken_tools, given_up=set(), house=True) == [1, 3]


def test_given_up_digger_does_not_share_e12() -> None:
    assert sharing_seats("ddsd", broken_tools={}, given_up={1, 2}, house=False) == [0, 3]


@every_rulebook
def test_number_of_drawn_cards_counts_a_given_up_seat_as_the_rulebook_says_e12(
    rulebook: str,
) -> None:
    sharing_diggers = sharing_seats("ddsdd", broken_tools={}, given_up={1}, house=False)
    drawn_card_count = gold_cards_drawn(
        rulebook, players=5, sharing_seat_count=len(sharing_diggers)
    )
    assert drawn_card_count == (3 if rulebook == "uk-2017" else 5)


def test_amount_per_saboteur_depends_on_their_number_r43() -> None:
    amounts = [nuggets_per_saboteur(roles_from("d" * (6 - n) + "s" * n)) for n in range(5)]
    assert amounts == [0, 4, 3, 3, 2]


def test_saboteurs_draw_clockwise_from_the_left_of_the_last_turn_e2() -> None:
    assert saboteur_order(roles_from("sdsds"), last_turn_seat=2) == [4, 0, 2]
    assert saboteur_order(roles_from("sdsds"), last_turn_seat=3) == [4, 0, 2]
    assert saboteur_order(roles_from("sdsds"), last_turn_seat=4) == [0, 2, 4]


def test_overshooting_gold_card_goes_to_the_bottom_r44_r45() -> None:
    assert draw_exactly((3, 1, 1, 2), owed_nuggets=2) == ((1, 1), (2, 3))
    assert draw_exactly((2, 2, 1, 3), owed_nuggets=3) == ((2, 1), (3, 2))
    assert draw_exactly((3, 2, 1), owed_nuggets=4) == ((3, 1), (2,))


def test_gold_drawing_continues_to_the_last_card_of_the_cycle_e1() -> None:
    assert draw_one_by_one((3, 3, 2), owed_nuggets=2) == ((2,), (3, 3))
    assert draw_one_by_one((3, 2, 2, 1), owed_nuggets=4) == ((3, 1), (2, 2))
    assert draw_one_by_one((3, 2, 2), owed_nuggets=4) is None


def test_exact_change_is_paid_when_no_card_is_accepted_e1() -> None:
    assert draw_exactly((2, 2, 3, 2), owed_nuggets=3) == ((3,), (2, 2, 2))
    assert draw_exactly((3, 2, 2, 3), owed_nuggets=4) == ((2, 2), (3, 3))


def test_best_lower_sum_is_paid_when_exact_change_is_impossible_e1() -> None:
    assert draw_exactly((2, 2, 2), owed_nuggets=3) == ((2,), (2, 2))
    assert draw_exactly((3, 3, 3), owed_nuggets=4) == ((3,), (3, 3))
    assert draw_exactly((3, 3), owed_nuggets=2) == ((), (3, 3))


def test_pile_is_restored_before_exact_change_is_paid_e1() -> None:
    assert draw_exactly((3, 2, 3, 2, 3), owed_nuggets=3) == ((3,), (2, 3, 2, 3))


def test_lexicographically_first_set_of_positions_is_paid_e1() -> None:
    assert exact_change((2, 1, 3, 1, 1), owed_nuggets=3) == ((2, 1), (3, 1, 1))
    assert exact_change((3, 1, 1, 1, 2), owed_nuggets=3) == ((3,), (1, 1, 1, 2))
    assert exact_change((1, 3, 1, 1, 2), owed_nuggets=3) == ((1, 1, 1), (3, 2))


def test_next_saboteur_draws_from_the_pile_left_by_the_previous_one_e3() -> None:
    payments = pay_saboteurs((3, 2, 3, 1, 1, 1, 1), roles_from("sdds"), last_turn_seat=1)
    assert payments == PaidGold({3: (3,), 0: (2, 1)}, (1, 1, 1, 3))


def test_given_up_saboteur_counts_for_the_amount_but_is_not_paid_e12() -> None:
    payments = pay_saboteurs((1, 1, 1, 1, 1), roles_from("sdds"), last_turn_seat=1, given_up={3})
    assert payments == PaidGold({0: (1, 1, 1)}, (1, 1))


def test_no_one_is_paid_without_a_saboteur_among_the_players() -> None:
    assert pay_saboteurs((1, 1, 1), roles_from("ddd"), last_turn_seat=0) == PaidGold({}, (1, 1, 1))


def test_most_nuggets_win_and_ties_share_the_win_r50() -> None:
    assert winners({0: 5, 1: 7, 2: 7}) == {1, 2}
    assert winners({0: 5, 1: 7, 2: 6}) == {1}
    assert winners({0: 0, 1: 0, 2: 0}) == {0, 1, 2}
