"""Section 4 of the rulebooks, from whole rounds played by the reference model alone."""

import random  # noqa: TID251 - the model shares nothing with the engine, its shuffle included

import pytest

from tests.reference_model.cards import DIGGER_COUNTS, GOLD, HAND_SIZES, SABOTEUR_COUNTS
from tests.reference_model.gold import (
    draw_exactly,
    draw_one_by_one,
    nuggets_per_saboteur,
    saboteur_order,
)
from tests.reference_model.random_rounds import shuffled
from tests.reference_model.turns import FinishedTurn, round_endings, seat_left_of
from tests.support.rulebook_groups import must_continue_path_rulebooks, passes_end_round_rulebooks

PLAYER_COUNTS = range(3, 11)


def length_of_round(rulebook: str, players: int, *, everyone_passes: bool) -> int:
    """Play a round in which everybody passes, or plays a card that changes nothing."""
    hands = dict.fromkeys(range(players), HAND_SIZES[players])
    deck = 67 - sum(hands.values())
    turns: list[FinishedTurn] = []
    seat = 0
    while not round_endings(rulebook, treasure_turned=False, deck=deck, hands=hands, turns=turns):
        turns.append({"seat": seat, "passed": everyone_passes, "deck_before": deck})
        hands[seat] -= deck == 0
        deck -= deck > 0
        seat = seat_left_of(seat, seats=players)
    return len(turns)


@pytest.mark.parametrize("players", PLAYER_COUNTS)
@pytest.mark.parametrize("everyone_passes", [True, False])
@must_continue_path_rulebooks
def test_round_until_empty_hands_takes_sixty_seven_turns(
    rulebook: str, *, everyone_passes: bool, players: int
) -> None:
    assert length_of_round(rulebook, players, everyone_passes=everyone_passes) == 67


@passes_end_round_rulebooks
def test_round_until_a_circle_of_passes_has_the_expected_shortest_and_longest_length(
    rulebook: str,
) -> None:
    shortest_lengths = [length_of_round(rulebook, n, everyone_passes=True) for n in PLAYER_COUNTS]
    longest_lengths = [length_of_round(rulebook, n, everyone_passes=False) for n in PLAYER_COUNTS]
    assert shortest_lengths == [52, 47, 42, 43, 39, 43, 40, 37]
    assert longest_lengths == [67] * len(PLAYER_COUNTS)


def test_role_set_aside_is_a_saboteur_as_often_as_the_rulebooks_say() -> None:
    role_card_counts = [
        (SABOTEUR_COUNTS[n], SABOTEUR_COUNTS[n] + DIGGER_COUNTS[n]) for n in PLAYER_COUNTS
    ]
    assert role_card_counts == [(1, 4), (1, 5), (2, 6), (2, 7), (3, 8), (3, 9), (3, 10), (4, 11)]


def drawing_in_turn_cannot_pay_everyone(chance: random.Random) -> bool:
    """Let the saboteurs of ten players win thrice; tell whether drawing alone ever fails."""
    pile = tuple(shuffled(GOLD, chance))
    for _ in range(3):
        roles = dict(enumerate(shuffled({"saboteur": 4, "digger": 7}, chance)[:10]))
        for _ in saboteur_order(roles, last_turn_seat=9):
            owed_nuggets = nuggets_per_saboteur(roles)
            if draw_one_by_one(pile, owed_nuggets=owed_nuggets) is None:
                return True
            _, pile = draw_exactly(pile, owed_nuggets=owed_nuggets)
    return False


def test_gold_drawing_fails_in_about_a_fifth_of_games_that_saboteurs_win_thrice_e1() -> None:
    chance = random.Random(2004)
    assert 150 <= sum(drawing_in_turn_cannot_pay_everyone(chance) for _ in range(1000)) <= 250
