"""E12: a seat that nobody takes any more."""

import msgspec
import pytest

from engine.actions import Break, Discard, Lay, Look, Repair
from engine.cards import DECK, HAND_SIZES
from engine.cells import GOAL_CELLS
from engine.errors import IllegalAction, Reason
from engine.events import (
    Event,
    GoldDrawn,
    GoldPaid,
    Passed,
    RoundEnded,
    SeatGivenUp,
    TurnBegan,
)
from engine.game import give_up_seat, hand_over_seat
from engine.rulebook import HouseRules
from engine.state import State
from engine.view import legal_actions, view_for
from tests.support.drawn_positions import drawn
from tests.support.positions import (
    CIRCLING,
    CONNECTING,
    Arranged,
    Dice,
    Game,
    at,
    due_seat,
    every_rulebook,
    happens,
    menu,
    play,
    random_action,
    refusal,
    told,
)

DIG = "S──────.$"
LAST_STONE = Lay("path-rl", at(7, 0))


def leave(state: State, seat: int, pick: int = 0) -> tuple[State, tuple[Event, ...]]:
    return give_up_seat(state, seat, pick=lambda _: pick, chance=Arranged())


@every_rulebook
def test_the_hand_of_a_seat_given_up_goes_to_the_discards_unseen_e12(rulebook: str) -> None:
    game = Game(rulebook, seats=4)
    before = game.state
    assert game.give_up(2) == (SeatGivenUp(2),)
    assert game.state.hands[2] == ()
    assert game.state.discards == before.hands[2]
    assert game.state.deck == before.deck
    assert game.state.turn == 0


def test_the_turn_of_a_seat_given_up_goes_to_the_next_e12() -> None:
    game = Game(seats=4)
    assert game.give_up(0) == (SeatGivenUp(0), TurnBegan(1))
    assert game.give_up(2) == (SeatGivenUp(2),)
    game.play(game.menu()[-1])
    assert game.state.turn == 3
    game.play(game.menu()[-1])
    assert game.state.turn == 1


def test_a_seat_given_up_takes_no_cards_not_even_broken_tools_e12() -> None:
    state = drawn("S", hand=["break-cart", "repair-cart"], broken=((), (), ("cart",)))
    state, _ = leave(state, 2)
    assert refusal(state, Break("break-cart", 2)) == Reason.SEAT_GIVEN_UP
    assert refusal(state, Repair("repair-cart", 2, "cart")) == Reason.SEAT_GIVEN_UP
    assert not any(getattr(action, "seat", None) == 2 for action in menu(state))


def test_a_seat_given_up_cannot_be_given_up_or_handed_over_again_e12() -> None:
    state, _ = leave(Game(seats=4).state, 3)
    for again in (leave, hand_over_seat):
        with pytest.raises(IllegalAction) as refused:
            again(state, 3)
        assert refused.value.reason == Reason.SEAT_GIVEN_UP
        assert refused.value.rule == "E12"


@pytest.mark.parametrize("seat", [-1, 4, 99])
def test_only_a_seat_of_the_table_can_be_given_up_or_handed_over_e12(seat: int) -> None:
    for act in (leave, hand_over_seat):
        with pytest.raises(IllegalAction) as refused:
            act(Game(seats=4).state, seat)
        assert refused.value.reason == Reason.NO_SUCH_SEAT


def test_the_last_seat_cannot_be_given_up_e12() -> None:
    game = Game(seats=3)
    game.give_up(0)
    game.give_up(1)
    with pytest.raises(IllegalAction) as refused:
        game.give_up(2)
    assert refused.value.reason == Reason.LAST_SEAT


def test_once_the_game_is_over_no_seat_is_given_up_or_handed_over_e12() -> None:
    game, dice = Game(seats=3, house=HouseRules(rounds=1)), Dice(0)
    while not game.is_over:
        game.play(random_action(game.state, dice))
    for act in (leave, hand_over_seat):
        with pytest.raises(IllegalAction) as refused:
            act(game.state, 0)
        assert refused.value.reason == Reason.GAME_OVER


@every_rulebook
def test_one_seat_alone_plays_the_game_to_its_end_e12(rulebook: str) -> None:
    game, dice = Game(rulebook, seats=10), Dice(0)
    for seat in range(9):
        game.give_up(seat)
    while not game.is_over:
        assert due_seat(game.state) == 9
        game.play(random_action(game.state, dice))
    assert len(game.state.results) == 3


@every_rulebook
def test_a_seat_given_up_gets_a_role_but_no_hand_in_the_next_round_e12(rulebook: str) -> None:
    game, dice = Game(rulebook, seats=5), Dice(0)
    game.give_up(1)
    while game.state.round == 1:
        game.play(random_action(game.state, dice))
    size = HAND_SIZES[5]
    assert [len(hand) for hand in game.state.hands] == [size, 0, size, size, size]
    assert len(game.state.deck) == len(DECK) - 4 * size
    assert len(game.state.roles) == 5
    assert game.state.turn != 1


def test_a_seat_given_up_does_not_start_the_next_round_e12_r49() -> None:
    state = drawn("S", "sv-web", hand=["map"], hands={1: [], 2: []}, deck=[], roles="sdd")
    gone = msgspec.structs.replace(state, gone=(1,), first_starter=0)
    after = play(gone, Discard("map"))
    assert (after.round, after.turn) == (2, 2)


@pytest.mark.parametrize("rulebook", CIRCLING)
def test_a_seat_given_up_counts_no_more_for_the_circle_of_passes_e12_e13(rulebook: str) -> None:
    hands = {1: ["map", "map"], 2: ["map", "map"], 3: ["map", "map"]}
    state = drawn("S", rulebook, hand=["map", "map"], hands=hands, deck=[], roles="ddds")
    state = play(state, Discard("map"), Discard("map"), Discard("map"))
    assert state.passed == (0, 1, 2)
    without_a_passer, events = leave(state, 1)
    assert without_a_passer.passed == (0, 2)
    assert not told(events, RoundEnded)
    _, events = leave(state, 3)
    (ended,) = told(events, RoundEnded)
    assert (ended.ending, ended.ended_by) == ("circle-of-passes", 2)


@pytest.mark.parametrize("rulebook", CIRCLING)
def test_one_who_has_not_passed_leaves_and_that_closes_the_circle_e12_e13(rulebook: str) -> None:
    hands = {1: ["map", "map"], 2: ["map", "map"], 3: ["map", "map"]}
    state = drawn("S", rulebook, hand=["map", "map"], hands=hands, deck=[], roles="ddds")
    state = play(state, Discard("map"), Discard("map"))
    state, events = leave(state, 3)
    assert not told(events, RoundEnded)
    _, events = leave(state, 2)
    (ended,) = told(events, RoundEnded)
    assert (ended.ending, ended.winners) == ("circle-of-passes", "saboteurs")


@pytest.mark.parametrize("rulebook", CONNECTING)
def test_a_seat_given_up_counts_no_more_for_empty_hands_e12_r32(rulebook: str) -> None:
    state = drawn("S", rulebook, hand=["map"], hands={1: [], 2: ["map"]}, deck=[], roles="sdd")
    state = msgspec.structs.replace(state, turn=2, last_turn=1)
    state = play(state, Discard("map"))
    after, events = leave(state, 0)
    (ended,) = told(events, RoundEnded)
    assert ended.ending == "exhausted"
    assert (after.round, after.turn) == (2, 1)


@every_rulebook
def test_the_seat_of_the_last_turn_ended_the_round_though_two_after_it_were_given_up_e12_r49(
    rulebook: str,
) -> None:
    hands = {1: ["map"], 2: ["map"], 3: []}
    state = drawn("S", rulebook, hand=["map"], hands=hands, deck=[], roles="ddds")
    state, _ = leave(play(state, Discard("map")), 1)
    assert state.last_turn == 0
    after, events = leave(state, 2)
    (ended,) = told(events, RoundEnded)
    assert ended.ended_by == (3 if rulebook == "et-2007" else 0)
    assert after.turn == (0 if rulebook == "et-2007" else 3)


@pytest.mark.parametrize("rulebook", CIRCLING)
def test_the_last_pass_that_counts_ended_the_round_when_others_were_given_up_e12_e13(
    rulebook: str,
) -> None:
    hands = {seat: ["map", "map"] for seat in range(1, 5)}
    state = drawn("S", rulebook, hand=["map", "map"], hands=hands, deck=[], roles="dddds")
    state = play(state, Discard("map"), Discard("map"), Discard("map"))
    for seat in (2, 3):
        state, events = leave(state, seat)
        assert not told(events, RoundEnded)
    _, events = leave(state, 4)
    (ended,) = told(events, RoundEnded)
    assert (ended.ending, ended.ended_by) == ("circle-of-passes", 1)


def test_a_seat_given_up_makes_none_of_the_missing_passes_e12_e13() -> None:
    hands = {1: ["map"], 2: [], 3: []}
    state = drawn("S", "et-2007", hand=["map"], hands=hands, deck=[], roles="ddds")
    state, _ = leave(play(state, Look(GOAL_CELLS[0])), 2)
    events = happens(state, Discard("map"))
    assert told(events, Passed) == [Passed(3), Passed(0)]
    assert [event.ended_by for event in told(events, RoundEnded)] == [0]


def test_giving_up_the_seat_with_the_last_card_completes_the_circle_e12_e13() -> None:
    hands: dict[int, list[str]] = {1: ["map"], 2: [], 3: []}
    state = drawn("S", "et-2007", hand=["map"], hands=hands, deck=[], roles="ddds")
    state = play(state, Look(GOAL_CELLS[0]))
    after, events = leave(state, 1)
    assert events[:4] == (SeatGivenUp(1), Passed(2), Passed(3), Passed(0))
    assert [event.ended_by for event in told(events, RoundEnded)] == [0]
    assert after.turn == 2


@every_rulebook
def test_a_digger_given_up_is_not_paid_e12(rulebook: str) -> None:
    state, _ = leave(drawn(DIG, rulebook, hand=["path-rl"], roles="dddds"), 3)
    after, events = play(state, LAST_STONE), happens(state, LAST_STONE)
    drawn_cards = 3 if rulebook == "uk-2017" else 5
    assert [(event.seat, len(event.cards)) for event in told(events, GoldDrawn)] == [
        (0, drawn_cards)
    ]
    while after.choice is not None:
        assert due_seat(after) != 3
        after = play(after, menu(after)[0])
    assert after.gold[3] == ()


@every_rulebook
def test_a_saboteur_given_up_is_not_paid_and_counts_for_the_sum_e12_r43(rulebook: str) -> None:
    state = drawn(
        "S", rulebook, hand=["map"], hands={n: [] for n in range(1, 5)}, deck=[], roles="sddds"
    )
    state = msgspec.structs.replace(state, gone=(4,))
    events = happens(state, Discard("map"))
    assert [(event.seat, sum(event.cards)) for event in told(events, GoldPaid)] == [(0, 3)]


@every_rulebook
def test_a_seat_given_up_keeps_its_gold_and_may_win_e12(rulebook: str) -> None:
    game, dice = Game(rulebook, seats=3, house=HouseRules(rounds=2)), Dice(0)
    while game.state.round == 1:
        game.play(random_action(game.state, dice))
    rich = msgspec.structs.replace(game.state, gold=((), (3, 3), ()), pile=game.state.pile)
    game.state = rich
    game.give_up(1)
    assert game.state.gold[1] == (3, 3)
    while not game.is_over:
        game.play(random_action(game.state, dice))
    assert game.state.winners == (1,)


def test_a_seat_given_up_still_sees_what_it_saw_e12() -> None:
    game = Game(seats=3)
    game.give_up(0)
    view = view_for(game.state, 0)
    assert view.role == game.state.roles[0]
    assert (view.hand, view.gone) == ((), (0,))
    assert legal_actions(view) == ()
