"""A game goes back to what it was; the deck keeps its order, and what was seen was seen."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import Look
from engine.errors import IllegalAction, Reason
from engine.events import Rewound, SeatHandedOver
from engine.evolve import fold
from engine.game import rewind
from engine.rulebook import HouseRules
from engine.state import State
from engine.story import LineKey, narrate
from engine.view import view_for
from tests.support.positions import (
    Dice,
    Game,
    erring_action,
    every_rulebook,
    random_action,
    still_in_play,
)


def same_but_seq(one: State, other: State) -> bool:
    return msgspec.structs.replace(one, seq=0) == msgspec.structs.replace(other, seq=0)


def played(game: Game, turns: int, seed: int = 0) -> list[State]:
    """Play on; gives every position since."""
    dice, states = Dice(seed), [game.state]
    while len(states) <= turns and not game.is_over:
        game.play(erring_action(game.state, dice))
        states.append(game.state)
    return states


@every_rulebook
def test_a_rewind_goes_back_to_any_earlier_position(rulebook: str) -> None:
    game = Game(rulebook, seats=5)
    states = played(game, 70)
    for to_seq in (0, 1, 17, 44, 69):
        back, events = rewind(game.state, game.log, to_seq)
        assert events == (Rewound(to_seq),)
        assert same_but_seq(back, states[to_seq])
        assert back.seq == game.state.seq + 1


def test_a_rewind_keeps_the_order_of_the_deck() -> None:
    game = Game(seats=4)
    deck = game.state.deck
    played(game, 9)
    game.rewind(0)
    assert game.state.deck == deck


def test_a_rewind_goes_back_behind_the_end_of_a_round() -> None:
    game = Game(seats=3)
    states = played(game, 150)
    last_of_round_one = max(state.seq for state in states if state.round == 1)
    assert game.state.round > 1
    game.rewind(last_of_round_one)
    assert (game.state.round, game.state.results) == (1, ())
    assert game.state.roles == states[0].roles
    assert game.state.gold == ((), (), ())


def test_the_round_after_a_rewind_is_dealt_as_it_was_dealt_before() -> None:
    game = Game(seats=3)
    states = played(game, 150)
    (second,) = {state.roles + state.goals for state in states if state.round == 2}
    game.rewind(3)
    dice = Dice(77)
    while game.state.round == 1:
        game.play(random_action(game.state, dice))
    assert game.state.roles + game.state.goals == second


def test_a_rewind_brings_a_seat_back_that_was_given_up_since() -> None:
    game = Game(seats=4)
    hand = game.state.hands[2]
    game.give_up(2)
    game.rewind(0)
    assert (game.state.gone, game.state.hands[2]) == ((), hand)


def test_what_a_map_showed_is_not_known_to_the_view_after_a_rewind_but_stays_in_history() -> None:
    game, dice = Game(seats=3), Dice(5)
    while not any(game.state.seen):
        looks = [action for action in game.menu() if isinstance(action, Look)]
        seat = game.state.turn
        game.play(dice.pick(looks) if looks else random_action(game.state, dice))
    game.rewind(0)
    assert view_for(game.state, seat).goals == (None, None, None)
    heard = [line.key for turn in game.log for event in turn for line in narrate(event, seat)]
    assert LineKey.GOAL_SEEN in heard
    assert heard[-1] == LineKey.REWOUND


@pytest.mark.parametrize("to_seq", [-1, 5, 6, 1000])
def test_only_an_earlier_turn_can_be_gone_back_to(to_seq: int) -> None:
    game = Game()
    played(game, 5)
    with pytest.raises(IllegalAction) as refused:
        game.rewind(to_seq)
    assert refused.value.reason == Reason.NO_SUCH_TURN


def test_a_game_that_is_over_stays_over_for_everything_has_been_opened_r50() -> None:
    game = Game(house=HouseRules(rounds=1))
    played(game, 200)
    assert game.is_over
    with pytest.raises(IllegalAction) as refused:
        game.rewind(1)
    assert refused.value.reason == Reason.GAME_OVER


def test_handing_a_seat_over_changes_nothing_but_who_sits_there() -> None:
    game = Game(seats=4)
    before = game.state
    assert game.hand_over(2) == (SeatHandedOver(2),)
    assert same_but_seq(game.state, before)


def test_many_rewinds_behind_one_another_are_folded_as_fast_as_any_turns() -> None:
    """Folding each one's past anew would take 2 ** 60 steps."""
    game = Game()
    for _ in range(60):
        game.play(game.menu()[-1])
        game.rewind(game.state.seq - 1)
    assert fold(game.start, game.log) == game.state


@pytest.mark.no_cover
@given(st.integers(0, 2**32), st.sampled_from(["en-2004", "sv-web", "uk-2017"]))
def test_a_log_with_rewinds_seats_given_up_and_handed_over_folds_to_the_position(
    seed: int, rulebook: str
) -> None:
    dice = Dice(seed)
    game = Game(rulebook, seats=3 + dice.below(8))
    for _ in range(60):
        if game.is_over:
            break
        _something_happens(game, dice)
        assert fold(game.start, game.log) == game.state


def _something_happens(game: Game, dice: Dice) -> None:
    if dice.once_in(8) and game.state.seq:
        game.rewind(dice.below(game.state.seq))
    elif dice.once_in(12) and len(still_in_play(game.state)) > 1:
        game.give_up(dice.pick(still_in_play(game.state)), pick=dice.below)
    elif dice.once_in(20):
        game.hand_over(dice.pick(still_in_play(game.state)))
    else:
        game.play(erring_action(game.state, dice))
