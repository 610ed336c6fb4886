"""E12: what happens to a given-up seat: its hand, its turns, its passes and its gold."""

import msgspec
import pytest

from engine.actions import Break, Discard, Lay, Look, Repair
from engine.cards import DECK, HAND_SIZES
from engine.cells import GOAL_CELLS
from engine.errors import IllegalAction, Reason
from engine.events import GoldDrawn, GoldPaid, Passed, RoundEnded, SeatGivenUp, TurnBegan
from engine.game import hand_over_seat
from engine.rulebook import HouseRules
from engine.view import legal_actions, view_for
from tests.support.engine.drawn_positions import drawn_state
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import cell_at, due_seat, events_of_type
from tests.support.engine.random_players import random_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.engine.vectors import events_of, give_up, offered_actions, play, refusal_reason
from tests.support.rulebook_groups import (
    every_rulebook,
    must_continue_path_rulebooks,
    passes_end_round_rulebooks,
)

ONE_CARD_BEFORE_TREASURE = "S──────.$"
LAY_REACHING_TREASURE = Lay("path-rl", cell_at(7, 0))


@every_rulebook
def test_hand_of_a_given_up_seat_is_discarded_face_down_e12(rulebook: str) -> None:
    game = InMemoryGame(rulebook, seats=4)
    earlier_state = game.state
    assert game.give_up(2) == (SeatGivenUp(2),)
    assert game.state.hands[2] == ()
    assert game.state.discards == earlier_state.hands[2]
    assert game.state.deck == earlier_state.deck
    assert game.state.turn == 0


def test_turn_of_a_given_up_seat_passes_to_the_next_e12() -> None:
    game = InMemoryGame(seats=4)
    assert game.give_up(0) == (SeatGivenUp(0), TurnBegan(1))
    assert game.give_up(2) == (SeatGivenUp(2),)
    game.play(game.offered_actions()[-1])
    assert game.state.turn == 3
    game.play(game.offered_actions()[-1])
    assert game.state.turn == 1


def test_given_up_seat_receives_no_break_or_repair_cards_e12() -> None:
    state = drawn_state("S", hand=["break-cart", "repair-cart"], broken=((), (), ("cart",)))
    state, _ = give_up(state, 2)
    assert refusal_reason(state, Break("break-cart", 2)) == Reason.SEAT_GIVEN_UP
    assert refusal_reason(state, Repair("repair-cart", 2, "cart")) == Reason.SEAT_GIVEN_UP
    assert not any(getattr(action, "seat", None) == 2 for action in offered_actions(state))


def test_given_up_seat_cannot_be_given_up_or_handed_over_again_e12() -> None:
    state, _ = give_up(InMemoryGame(seats=4).state, 3)
    for change_seat in (give_up, hand_over_seat):
        with pytest.raises(IllegalAction) as error_info:
            change_seat(state, 3)
        assert error_info.value.reason == Reason.SEAT_GIVEN_UP
        assert error_info.value.reason.rule == "E12"


@pytest.mark.parametrize("seat", [-1, 4, 99])
def test_missing_seat_cannot_be_given_up_or_handed_over_e12(seat: int) -> None:
    for change_seat in (give_up, hand_over_seat):
        with pytest.raises(IllegalAction) as error_info:
            change_seat(InMemoryGame(seats=4).state, seat)
        assert error_info.value.reason == Reason.NO_SUCH_SEAT


def test_last_seat_cannot_be_given_up_e12() -> None:
    game = InMemoryGame(seats=3)
    game.give_up(0)
    game.give_up(1)
    with pytest.raises(IllegalAction) as error_info:
        game.give_up(2)
    assert error_info.value.reason == Reason.LAST_SEAT


def test_seat_of_a_finished_game_cannot_be_given_up_or_handed_over_e12() -> None:
    game, rng = InMemoryGame(seats=3, house=HouseRules(rounds=1)), SeededRng(0)
    while not game.is_over:
        game.play(random_action(game.state, rng))
    for change_seat in (give_up, hand_over_seat):
        with pytest.raises(IllegalAction) as error_info:
            change_seat(game.state, 0)
        assert error_info.value.reason == Reason.GAME_OVER


@every_rulebook
def test_single_remaining_seat_finishes_the_game_e12(rulebook: str) -> None:
    game, rng = InMemoryGame(rulebook, seats=10), SeededRng(0)
    for seat in range(9):
        game.give_up(seat)
    while not game.is_over:
        assert due_seat(game.state) == 9
        game.play(random_action(game.state, rng))
    assert len(game.state.results) == 3


@every_rulebook
def test_given_up_seat_gets_a_role_but_no_hand_in_the_next_round_e12(rulebook: str) -> None:
    game, rng = InMemoryGame(rulebook, seats=5), SeededRng(0)
    game.give_up(1)
    while game.state.round == 1:
        game.play(random_action(game.state, rng))
    size = HAND_SIZES[5]
    assert [len(hand) for hand in game.state.hands] == [size, 0, size, size, size]
    assert len(game.state.deck) == len(DECK) - 4 * size
    assert len(game.state.roles) == 5
    assert game.state.turn != 1


def test_given_up_seat_does_not_start_the_next_round_e12_r49() -> None:
    state = drawn_state("S", "sv-web", hand=["map"], hands={1: [], 2: []}, deck=[], roles="sdd")
    state_without_starter = msgspec.structs.replace(state, gone=(1,), first_starter=0)
    next_state = play(state_without_starter, Discard("map"))
    assert (next_state.round, next_state.turn) == (2, 2)


@passes_end_round_rulebooks
def test_pass_of_a_given_up_seat_no_longer_counts_for_the_circle_e12_e13(rulebook: str) -> None:
    hands = {1: ["map", "map"], 2: ["map", "map"], 3: ["map", "map"]}
    state = drawn_state("S", rulebook, hand=["map", "map"], hands=hands, deck=[], roles="ddds")
    state = play(state, Discard("map"), Discard("map"), Discard("map"))
    assert state.passed == (0, 1, 2)
    state_without_passer, events = give_up(state, 1)
    assert state_without_passer.passed == (0, 2)
    assert not events_of_type(events, RoundEnded)
    _, events = give_up(state, 3)
    (round_ended,) = events_of_type(events, RoundEnded)
    assert (round_ended.ending, round_ended.ended_by) == ("circle-of-passes", 2)


@passes_end_round_rulebooks
def test_giving_up_the_only_seat_that_has_not_passed_closes_the_circle_e12_e13(
    rulebook: str,
) -> None:
    hands = {1: ["map", "map"], 2: ["map", "map"], 3: ["map", "map"]}
    state = drawn_state("S", rulebook, hand=["map", "map"], hands=hands, deck=[], roles="ddds")
    state = play(state, Discard("map"), Discard("map"))
    state, events = give_up(state, 3)
    assert not events_of_type(events, RoundEnded)
    _, events = give_up(state, 2)
    (round_ended,) = events_of_type(events, RoundEnded)
    assert (round_ended.ending, round_ended.winners) == ("circle-of-passes", "saboteurs")


@must_continue_path_rulebooks
def test_hand_of_a_given_up_seat_counts_as_empty_e12_r32(rulebook: str) -> None:
    state = drawn_state(
        "S", rulebook, hand=["map"], hands={1: [], 2: ["map"]}, deck=[], roles="sdd"
    )
    state = msgspec.structs.replace(state, turn=2, last_turn=1)
    state = play(state, Discard("map"))
    next_state, events = give_up(state, 0)
    (round_ended,) = events_of_type(events, RoundEnded)
    assert round_ended.ending == "exhausted"
    assert (next_state.round, next_state.turn) == (2, 1)


@every_rulebook
def test_round_continues_with_empty_hands_while_the_deck_lasts_e12_r32(rulebook: str) -> None:
    state = drawn_state("S", rulebook, hand=["map"], hands={1: [], 2: []}, deck=["rockfall"] * 2)
    next_state, events = give_up(state, 0)
    assert not events_of_type(events, RoundEnded)
    assert next_state.turn == 1


@every_rulebook
def test_round_is_ended_by_the_last_turn_though_two_later_seats_were_given_up_e12_r49(
    rulebook: str,
) -> None:
    hands = {1: ["map"], 2: ["map"], 3: []}
    state = drawn_state("S", rulebook, hand=["map"], hands=hands, deck=[], roles="ddds")
    state, _ = give_up(play(state, Discard("map")), 1)
    assert state.last_turn == 0
    next_state, events = give_up(state, 2)
    (round_ended,) = events_of_type(events, RoundEnded)
    assert round_ended.ended_by == (3 if rulebook == "et-2007" else 0)
    assert next_state.turn == (0 if rulebook == "et-2007" else 3)


@passes_end_round_rulebooks
def test_round_is_ended_by_the_last_counted_pass_when_other_seats_were_given_up_e12_e13(
    rulebook: str,
) -> None:
    hands = {seat: ["map", "map"] for seat in range(1, 5)}
    state = drawn_state("S", rulebook, hand=["map", "map"], hands=hands, deck=[], roles="dddds")
    state = play(state, Discard("map"), Discard("map"), Discard("map"))
    for seat in (2, 3):
        state, events = give_up(state, seat)
        assert not events_of_type(events, RoundEnded)
    _, events = give_up(state, 4)
    (round_ended,) = events_of_type(events, RoundEnded)
    assert (round_ended.ending, round_ended.ended_by) == ("circle-of-passes", 1)


def test_given_up_seat_makes_no_automatic_pass_e12_e13() -> None:
    hands = {1: ["map"], 2: [], 3: []}
    state = drawn_state("S", "et-2007", hand=["map"], hands=hands, deck=[], roles="ddds")
    state, _ = give_up(play(state, Look(GOAL_CELLS[0])), 2)
    events = events_of(state, Discard("map"))
    assert events_of_type(events, Passed) == [Passed(3), Passed(0)]
    assert [event.ended_by for event in events_of_type(events, RoundEnded)] == [0]


def test_giving_up_the_seat_with_the_last_card_completes_the_circle_e12_e13() -> None:
    hands: dict[int, list[str]] = {1: ["map"], 2: [], 3: []}
    state = drawn_state("S", "et-2007", hand=["map"], hands=hands, deck=[], roles="ddds")
    state = play(state, Look(GOAL_CELLS[0]))
    next_state, events = give_up(state, 1)
    assert events[:4] == (SeatGivenUp(1), Passed(2), Passed(3), Passed(0))
    assert [event.ended_by for event in events_of_type(events, RoundEnded)] == [0]
    assert next_state.turn == 2


@every_rulebook
def test_given_up_digger_is_not_paid_e12(rulebook: str) -> None:
    state, _ = give_up(
        drawn_state(ONE_CARD_BEFORE_TREASURE, rulebook, hand=["path-rl"], roles="dddds"), 3
    )
    next_state, events = play(state, LAY_REACHING_TREASURE), events_of(state, LAY_REACHING_TREASURE)
    drawn_cards = 3 if rulebook == "uk-2017" else 5
    assert [(event.seat, len(event.cards)) for event in events_of_type(events, GoldDrawn)] == [
        (0, drawn_cards)
    ]
    while next_state.choice is not None:
        assert due_seat(next_state) != 3
        next_state = play(next_state, offered_actions(next_state)[0])
    assert next_state.gold[3] == ()


@every_rulebook
def test_given_up_saboteur_is_not_paid_but_counts_for_the_amount_e12_r43(rulebook: str) -> None:
    state = drawn_state(
        "S", rulebook, hand=["map"], hands={n: [] for n in range(1, 5)}, deck=[], roles="sddds"
    )
    state = msgspec.structs.replace(state, gone=(4,))
    events = events_of(state, Discard("map"))
    assert [(event.seat, sum(event.cards)) for event in events_of_type(events, GoldPaid)] == [
        (0, 3)
    ]


@every_rulebook
def test_given_up_seat_keeps_its_gold_and_may_win_e12(rulebook: str) -> None:
    game, rng = InMemoryGame(rulebook, seats=3, house=HouseRules(rounds=2)), SeededRng(0)
    while game.state.round == 1:
        game.play(random_action(game.state, rng))
    rich_state = msgspec.structs.replace(game.state, gold=((), (3, 3), ()), pile=game.state.pile)
    game.state = rich_state
    game.give_up(1)
    assert game.state.gold[1] == (3, 3)
    while not game.is_over:
        game.play(random_action(game.state, rng))
    assert game.state.winners == (1,)


def test_given_up_seat_still_sees_its_role_e12() -> None:
    game = InMemoryGame(seats=3)
    game.give_up(0)
    view = view_for(game.state, 0)
    assert view.role == game.state.roles[0]
    assert (view.hand, view.gone) == ((), (0,))
    assert legal_actions(view) == ()
