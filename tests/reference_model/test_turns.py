"""R8, R12, R29, R32, R47, R49, E12, E13, E28: when a round ends, who ended it, and who starts the next."""

from typing import Any

import pytest

from tests.reference_model.differences import R6_WHO_STARTS
from tests.reference_model.turns import (
    FinishedTurn,
    automatic_passers,
    game_is_over,
    next_starter,
    passes_in_a_row,
    round_endings,
    seat_left_of,
    seat_that_ended,
)
from tests.support.rulebook_groups import PASSES_END_ROUND_RULEBOOKS, every_rulebook


def turns_from(text: str, *, deck: int = 0) -> list[FinishedTurn]:
    """Return the turns of "0p 1c": seat 0 passed, seat 1 played a card; each draws while ``deck`` lasts."""
    turn_words = text.split()
    return [
        {"seat": int(word[0]), "passed": word[1] == "p", "deck_before": max(0, deck - drawn_count)}
        for drawn_count, word in enumerate(turn_words)
    ]


def endings_after(rulebook: str, history: list[FinishedTurn], **changes: Any) -> set[str]:
    plain_arguments: dict[str, Any] = {
        "treasure_turned": False,
        "deck": 0,
        "hands": {0: 2, 1: 2, 2: 2},
    }
    return round_endings(rulebook, turns=history, **(plain_arguments | changes))


@every_rulebook
def test_treasure_ends_the_round_at_once_r29(rulebook: str) -> None:
    assert endings_after(rulebook, turns_from("0c", deck=9), deck=8, treasure_turned=True) == {
        "treasure"
    }


@every_rulebook
def test_full_circle_of_passes_ends_a_round_only_where_the_rulebook_says_r32(
    rulebook: str,
) -> None:
    expected = {"passes"} if rulebook in PASSES_END_ROUND_RULEBOOKS else set()
    assert endings_after(rulebook, turns_from("0c 1p 2p 0p")) == expected


@every_rulebook
def test_incomplete_circle_of_passes_does_not_end_the_round_e13(rulebook: str) -> None:
    assert endings_after(rulebook, turns_from("0c 1p 2p")) == set()


@every_rulebook
def test_any_card_played_restarts_the_circle_of_passes_e13(rulebook: str) -> None:
    assert endings_after(rulebook, turns_from("0p 1p 2c 0p 1p")) == set()


@every_rulebook
def test_pass_that_draws_the_last_card_does_not_count_e13(rulebook: str) -> None:
    assert endings_after(rulebook, turns_from("0p 1p 2p", deck=1)) == set()
    assert passes_in_a_row(turns_from("0p 1p 2p", deck=1)) == 2


@every_rulebook
def test_passes_while_the_deck_lasts_do_not_end_the_round_r32(rulebook: str) -> None:
    assert endings_after(rulebook, turns_from("0p 1p 2p 0p 1p 2p", deck=9), deck=3) == set()


@every_rulebook
def test_round_ends_when_deck_and_all_hands_are_empty_r32_e13(rulebook: str) -> None:
    empty_hands = {0: 0, 1: 0, 2: 0}
    assert endings_after(rulebook, turns_from("0p 1p 2c"), hands=empty_hands) == {"hands"}
    assert endings_after(rulebook, turns_from("0p 1p 2c"), hands={0: 0, 1: 0, 2: 1}) == set()
    assert (
        endings_after(rulebook, turns_from("0p 1p 2c", deck=9), hands=empty_hands, deck=6) == set()
    )


@every_rulebook
def test_given_up_seat_does_not_count_for_hands_or_passes_e12(rulebook: str) -> None:
    assert endings_after(rulebook, turns_from("0c 1c"), hands={0: 0, 1: 0, 2: 3}, given_up={2}) == {
        "hands"
    }
    circle_ending = {"passes"} if rulebook in PASSES_END_ROUND_RULEBOOKS else set()
    assert endings_after(rulebook, turns_from("2c 0p 1p"), given_up={2}) == circle_ending
    assert endings_after(rulebook, turns_from("1c 2p 0p"), given_up={2}) == set()


def automatic_passers_after(
    rulebook: str, history: list[FinishedTurn], **changes: Any
) -> list[int]:
    plain_arguments: dict[str, Any] = {
        "treasure_turned": False,
        "deck": 0,
        "hands": {0: 0, 1: 0, 2: 0},
    }
    return automatic_passers(rulebook, turns=history, **(plain_arguments | changes))


@every_rulebook
@pytest.mark.parametrize(
    "history,passing_seats,ending_seat",
    [
        ("0c 1c 2c", [0, 1, 2], 2),
        ("0c 1p 2c", [0, 1, 2], 2),
        ("0c 1c 2p", [0, 1], 1),
        ("0c 1p 2p", [0], 0),
        ("0p 1p 2p", [], 2),
    ],
)
def test_empty_hands_pass_until_the_circle_is_complete_in_one_rulebook_r12_e13(
    rulebook: str, history: str, passing_seats: list[int], ending_seat: int
) -> None:
    is_et_2007 = rulebook == "et-2007"
    assert automatic_passers_after(rulebook, turns_from(history)) == (
        passing_seats if is_et_2007 else []
    )
    finished_turns = turns_from(history) + (
        turns_from("".join(f"{seat}p " for seat in passing_seats)) if is_et_2007 else []
    )
    assert seat_that_ended(rulebook, finished_turns, seats=3) == (ending_seat if is_et_2007 else 2)


def test_no_seat_passes_automatically_while_any_card_is_left_e13() -> None:
    assert automatic_passers_after("et-2007", turns_from("0c 1c"), hands={0: 0, 1: 0, 2: 1}) == []
    assert automatic_passers_after("et-2007", turns_from("0c 1c 2c"), deck=1) == []
    assert automatic_passers_after("et-2007", turns_from("0c 1c 2c"), treasure_turned=True) == []


def test_given_up_seat_is_not_part_of_the_circle_of_passes_e12_e13() -> None:
    hands = dict.fromkeys(range(4), 0)
    assert automatic_passers_after(
        "et-2007", turns_from("0c 1p 2p"), hands=hands, given_up={3}
    ) == [0]
    assert automatic_passers_after(
        "et-2007", turns_from("0c 1p 2p 3p"), hands=hands, given_up={2}
    ) == [0]
    assert seat_that_ended("et-2007", turns_from("0p 1p 2p"), seats=3, given_up={2}) == 1
    assert seat_that_ended("uk-2017", turns_from("0p 1c 2p"), seats=3, given_up={2}) == 2


def test_turns_go_clockwise_and_skip_given_up_seats_r8_e12() -> None:
    assert seat_left_of(0, seats=3) == 1
    assert seat_left_of(2, seats=3) == 0
    assert seat_left_of(2, seats=5, given_up={3, 4}) == 0
    assert seat_left_of(2, seats=3, given_up={0, 1}) == 2


@every_rulebook
def test_seat_left_of_the_last_turn_starts_except_in_one_rulebook_r49_e28(rulebook: str) -> None:
    starter = next_starter(rulebook, seats=5, ended_by=4, round_one_starter=2)
    assert starter == (3 if rulebook == "sv-web" else 0)


def test_given_up_seat_does_not_start_the_next_round() -> None:
    next_seat = next_starter("lv-2009", seats=5, ended_by=1, round_one_starter=0, given_up={2, 3})
    assert next_seat == 4


def test_youngest_player_starts_in_two_rulebooks_r6() -> None:
    youngest_first_rulebooks = {key for key, kind in R6_WHO_STARTS.items() if kind == "youngest"}
    assert youngest_first_rulebooks == {"uk-2017", "en-2004"}
    assert R6_WHO_STARTS["et-2007"] == "anyone"


def test_game_has_three_rounds_or_fewer_by_house_rule_r47() -> None:
    assert not game_is_over({}, rounds_played=2)
    assert game_is_over({}, rounds_played=3)
    assert game_is_over({"rounds": 1}, rounds_played=1)
