"""E12: a seat is given up while the game waits for its choice."""

import pytest

from engine.actions import Lay, TakeGold
from engine.events import (
    Dealt,
    Drawn,
    Event,
    GoalTurned,
    GoldPassed,
    GoldTaken,
    RoundEnded,
    SeatGivenUp,
)
from engine.game import give_up_seat
from engine.state import State
from engine.view import awaiting, view_for
from tests.support.drawn_positions import drawn
from tests.support.positions import (
    Arranged,
    at,
    due_seat,
    gold_held,
    happens,
    menu,
    play,
    told,
)

DIG = "S──────.$"
LAST_STONE = Lay("path-rl", at(7, 0))


def leave(state: State, seat: int, pick: int = 0) -> tuple[State, tuple[Event, ...]]:
    return give_up_seat(state, seat, pick=lambda _: pick, chance=Arranged())


def test_a_goal_that_a_seat_given_up_was_to_choose_is_chosen_by_chance_e12() -> None:
    drawing = """
......┌─a
......│..
S────.┤..
......│..
......└─$
"""
    state = play(drawn(drawing, "et-2007", hand=["path-rl"]), Lay("path-rl", at(5, 0)))
    due = awaiting(state)
    assert due is not None
    assert (due.seat, due.kind, due.cells) == (0, "goal", (at(8, -2), at(8, 2)))
    after, events = leave(state, 0, pick=0)
    assert told(events, GoalTurned) == [GoalTurned(0, at(8, -2), "stone-tl")]
    assert told(events, Drawn) == []
    assert after.turn == 1
    after, events = leave(state, 0, pick=1)
    assert told(events, RoundEnded)[0].ending == "treasure"
    assert due_seat(after) == 1
    assert after.results[-1].gold_cards[0] == 0


def test_a_stone_that_a_seat_given_up_was_to_turn_joins_the_new_card_e12_e7() -> None:
    misfit = """
........─
S──────.a
"""
    state = play(drawn(misfit, hand=["path-rl"]), Lay("path-rl", at(7, 0)))
    after, events = leave(state, 0)
    assert told(events, GoalTurned) == [GoalTurned(0, at(8, 0), "stone-tl")]
    assert after.turn == 1


def test_a_seat_given_up_while_it_chooses_has_had_its_turn_e12_r49() -> None:
    misfit = """
........─
S──────.a
"""
    state = play(drawn(misfit, hand=["path-rl"]), Lay("path-rl", at(7, 0)))
    after, _ = leave(state, 0)
    assert (after.turn, after.last_turn) == (1, 0)
    after, _ = leave(after, 1)
    assert (after.turn, after.last_turn) == (2, 0)


@pytest.mark.parametrize("rulebook", ["en-2004", "uk-2017"])
def test_gold_that_a_seat_given_up_holds_is_passed_on_untouched_e12(rulebook: str) -> None:
    state = play(drawn(DIG, rulebook, hand=["path-rl"], roles="dddds"), LAST_STONE)
    held = gold_held(state)
    after, events = leave(state, 0)
    assert events == (SeatGivenUp(0), GoldPassed(0, 3))
    assert due_seat(after) == 3
    assert view_for(after, 3).gold_held == held
    assert view_for(after, 0).gold_held == ()
    while after.choice is not None:
        after = play(after, menu(after)[0])
    assert after.gold[0] == ()
    assert after.results[-1].gold_cards[0] == 0


def test_what_nobody_is_left_to_take_goes_under_the_pile_e12() -> None:
    state = drawn(DIG, hand=["path-rl"], roles="dds")
    state = play(state, LAST_STONE)
    state, _ = leave(state, 1)
    held, below = gold_held(state), state.pile
    after, events = leave(state, 0)
    assert told(events, GoldPassed) == [GoldPassed(0, None)]
    assert told(events, Dealt)
    assert after.pile == below + held
    assert after.round == 2


def test_gold_passed_on_goes_round_among_those_who_are_left_e12_r40() -> None:
    state = play(drawn(DIG, hand=["path-rl"], roles="dds"), LAST_STONE)
    state = play(state, TakeGold(min(gold_held(state))))
    first, left = state.gold[0], gold_held(state)
    after, events = leave(state, 1)
    assert events[1] == GoldPassed(1, 0)
    after = play(after, TakeGold(left[0]))
    assert after.gold[0] == (*first, *left)
    assert after.round == 2


def test_in_one_rulebook_a_card_left_by_a_seat_given_up_while_gold_goes_round_is_nobodys_e12_r40() -> (
    None
):
    state = play(drawn(DIG, "uk-2017", hand=["path-rl"], roles="ddds"), LAST_STONE)
    state, _ = leave(state, 2)
    assert due_seat(state) == 0
    below = state.pile
    worst = min(gold_held(state))
    after = play(state, TakeGold(worst))
    (taken,) = told(happens(after, menu(after)[0]), GoldTaken)
    assert taken.passed_to is None
    assert len(play(after, menu(after)[0]).pile) == len(below) + 1
