"""E12: what happens when a seat is given up while the game waits for its choice."""

import pytest

from engine.actions import Lay, TakeGold
from engine.events import Dealt, Drawn, GoalTurned, GoldPassed, GoldTaken, RoundEnded, SeatGivenUp
from engine.view import awaiting, view_for
from tests.support.engine.drawn_positions import drawn_state
from tests.support.engine.positions import (
    cell_at,
    due_seat,
    events_of,
    events_of_type,
    give_up,
    gold_held,
    offered_actions,
    play,
)

ONE_CARD_BEFORE_TREASURE = "S──────.$"
LAY_REACHING_TREASURE = Lay("path-rl", cell_at(7, 0))


def test_chance_chooses_the_goal_for_a_given_up_seat_e12() -> None:
    drawing = """
......┌─a
......│..
S────.┤..
......│..
......└─$
"""
    state = play(drawn_state(drawing, "et-2007", hand=["path-rl"]), Lay("path-rl", cell_at(5, 0)))
    awaited_choice = awaiting(state)
    assert awaited_choice is not None
    assert (awaited_choice.seat, awaited_choice.kind, awaited_choice.cells) == (
        0,
        "goal",
        (cell_at(8, -2), cell_at(8, 2)),
    )
    next_state, events = give_up(state, 0, chosen_option=0)
    assert events_of_type(events, GoalTurned) == [GoalTurned(0, cell_at(8, -2), "stone-tl")]
    assert events_of_type(events, Drawn) == []
    assert next_state.turn == 1
    next_state, events = give_up(state, 0, chosen_option=1)
    assert events_of_type(events, RoundEnded)[0].ending == "treasure"
    assert due_seat(next_state) == 1
    assert next_state.results[-1].gold_cards[0] == 0


def test_stone_of_a_given_up_seat_is_turned_to_join_the_new_card_e12_e7() -> None:
    misfit_sketch = """
........─
S──────.a
"""
    state = play(drawn_state(misfit_sketch, hand=["path-rl"]), Lay("path-rl", cell_at(7, 0)))
    next_state, events = give_up(state, 0)
    assert events_of_type(events, GoalTurned) == [GoalTurned(0, cell_at(8, 0), "stone-tl")]
    assert next_state.turn == 1


def test_seat_given_up_while_choosing_has_taken_its_turn_e12_r49() -> None:
    misfit_sketch = """
........─
S──────.a
"""
    state = play(drawn_state(misfit_sketch, hand=["path-rl"]), Lay("path-rl", cell_at(7, 0)))
    next_state, _ = give_up(state, 0)
    assert (next_state.turn, next_state.last_turn) == (1, 0)
    next_state, _ = give_up(next_state, 1)
    assert (next_state.turn, next_state.last_turn) == (2, 0)


@pytest.mark.parametrize("rulebook", ["en-2004", "uk-2017"])
def test_gold_held_by_a_given_up_seat_is_passed_on_complete_e12(rulebook: str) -> None:
    state = play(
        drawn_state(ONE_CARD_BEFORE_TREASURE, rulebook, hand=["path-rl"], roles="dddds"),
        LAY_REACHING_TREASURE,
    )
    held_gold = gold_held(state)
    next_state, events = give_up(state, 0)
    assert events == (SeatGivenUp(0), GoldPassed(0, 3))
    assert due_seat(next_state) == 3
    assert view_for(next_state, 3).gold_held == held_gold
    assert view_for(next_state, 0).gold_held == ()
    while next_state.choice is not None:
        next_state = play(next_state, offered_actions(next_state)[0])
    assert next_state.gold[0] == ()
    assert next_state.results[-1].gold_cards[0] == 0


def test_gold_without_a_digger_to_take_it_goes_under_the_pile_e12() -> None:
    state = drawn_state(ONE_CARD_BEFORE_TREASURE, hand=["path-rl"], roles="dds")
    state = play(state, LAY_REACHING_TREASURE)
    state, _ = give_up(state, 1)
    held_gold, remaining_pile = gold_held(state), state.pile
    next_state, events = give_up(state, 0)
    assert events_of_type(events, GoldPassed) == [GoldPassed(0, None)]
    assert events_of_type(events, Dealt)
    assert next_state.pile == remaining_pile + held_gold
    assert next_state.round == 2


def test_passed_gold_goes_round_among_the_remaining_diggers_e12_r40() -> None:
    state = play(
        drawn_state(ONE_CARD_BEFORE_TREASURE, hand=["path-rl"], roles="dds"), LAY_REACHING_TREASURE
    )
    state = play(state, TakeGold(min(gold_held(state))))
    first_gold, remaining_gold = state.gold[0], gold_held(state)
    next_state, events = give_up(state, 1)
    assert events[1] == GoldPassed(1, 0)
    next_state = play(next_state, TakeGold(remaining_gold[0]))
    assert next_state.gold[0] == (*first_gold, *remaining_gold)
    assert next_state.round == 2


def test_gold_card_of_a_given_up_digger_returns_to_the_pile_in_one_rulebook_e12_r40() -> None:
    state = play(
        drawn_state(ONE_CARD_BEFORE_TREASURE, "uk-2017", hand=["path-rl"], roles="ddds"),
        LAY_REACHING_TREASURE,
    )
    state, _ = give_up(state, 2)
    assert due_seat(state) == 0
    remaining_pile = state.pile
    lowest_gold = min(gold_held(state))
    next_state = play(state, TakeGold(lowest_gold))
    (gold_taken,) = events_of_type(events_of(next_state, offered_actions(next_state)[0]), GoldTaken)
    assert gold_taken.passed_to is None
    assert len(play(next_state, offered_actions(next_state)[0]).pile) == len(remaining_pile) + 1
