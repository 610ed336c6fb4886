"""A rewind restores an earlier state with the same order of the deck; history keeps what was seen since."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import Look
from engine.errors import IllegalAction, Reason
from engine.events import Rewound, SeatHandedOver
from engine.evolve import fold
from engine.game import rewind
from engine.narration import LineKey, narrate
from engine.rulebook import HouseRules
from engine.state import State
from engine.view import view_for
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import seats_in_play
from tests.support.engine.random_players import mostly_digging_action, random_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.rulebook_groups import every_rulebook


def equal_except_seq(state: State, other_state: State) -> bool:
    return msgspec.structs.replace(state, seq=0) == msgspec.structs.replace(other_state, seq=0)


def play_turns(game: InMemoryGame, turns: int, seed: int = 0) -> list[State]:
    """Play turns and return every state from the current one on."""
    rng, states = SeededRng(seed), [game.state]
    while len(states) <= turns and not game.is_over:
        game.play(mostly_digging_action(game.state, rng))
        states.append(game.state)
    return states


@every_rulebook
def test_rewind_restores_any_earlier_position(rulebook: str) -> None:
    game = InMemoryGame(rulebook, seats=5)
    states = play_turns(game, 70)
    for to_seq in (0, 1, 17, 44, 69):
        rewound_state, events = rewind(game.states, to_seq)
        assert events == (Rewound(to_seq),)
        assert equal_except_seq(rewound_state, states[to_seq])
        assert rewound_state.seq == game.state.seq + 1


def test_rewind_keeps_the_order_of_the_deck() -> None:
    game = InMemoryGame(seats=4)
    deck = game.state.deck
    play_turns(game, 9)
    game.rewind(0)
    assert game.state.deck == deck


def test_rewind_crosses_the_end_of_a_round() -> None:
    game = InMemoryGame(seats=3)
    states = play_turns(game, 150)
    last_of_round_one = max(state.seq for state in states if state.round == 1)
    assert game.state.round > 1
    game.rewind(last_of_round_one)
    assert (game.state.round, game.state.results) == (1, ())
    assert game.state.roles == states[0].roles
    assert game.state.gold == ((), (), ())


def test_next_round_after_a_rewind_is_dealt_as_before() -> None:
    game = InMemoryGame(seats=3)
    states = play_turns(game, 150)
    (second_deal,) = {state.roles + state.goals for state in states if state.round == 2}
    game.rewind(3)
    rng = SeededRng(77)
    while game.state.round == 1:
        game.play(random_action(game.state, rng))
    assert game.state.roles + game.state.goals == second_deal


def test_rewind_restores_a_seat_given_up_since() -> None:
    game = InMemoryGame(seats=4)
    hand = game.state.hands[2]
    game.give_up(2)
    game.rewind(0)
    assert (game.state.gone, game.state.hands[2]) == ((), hand)


def test_rewind_removes_a_seen_goal_from_the_view_but_not_from_history() -> None:
    game, rng = InMemoryGame(seats=3), SeededRng(5)
    while not any(game.state.seen):
        look_actions = [action for action in game.offered_actions() if isinstance(action, Look)]
        seat = game.state.turn
        game.play(rng.pick(look_actions) if look_actions else random_action(game.state, rng))
    game.rewind(0)
    assert view_for(game.state, seat).goals == (None, None, None)
    history_keys = [
        line.key for turn in game.log for event in turn for line in narrate(event, seat)
    ]
    assert LineKey.GOAL_SEEN in history_keys
    assert history_keys[-1] == LineKey.REWOUND


@pytest.mark.parametrize("to_seq", [-1, 5, 6, 1000])
def test_rewind_to_the_present_or_future_is_refused(to_seq: int) -> None:
    game = InMemoryGame()
    play_turns(game, 5)
    with pytest.raises(IllegalAction) as error_info:
        game.rewind(to_seq)
    assert error_info.value.reason == Reason.NO_SUCH_TURN


def test_finished_game_cannot_be_rewound_r50() -> None:
    game = InMemoryGame(house=HouseRules(rounds=1))
    play_turns(game, 200)
    assert game.is_over
    with pytest.raises(IllegalAction) as error_info:
        game.rewind(1)
    assert error_info.value.reason == Reason.GAME_OVER


def test_handing_over_a_seat_changes_only_the_sequence_number() -> None:
    game = InMemoryGame(seats=4)
    earlier_state = game.state
    assert game.hand_over(2) == (SeatHandedOver(2),)
    assert equal_except_seq(game.state, earlier_state)


def test_consecutive_rewinds_are_folded_in_linear_time() -> None:
    """Folding the past of every rewind again would take 2 ** 60 steps."""
    game = InMemoryGame()
    for _ in range(60):
        game.play(game.offered_actions()[-1])
        game.rewind(game.state.seq - 1)
    assert fold(game.start, game.log) == game.state


@pytest.mark.no_cover
@given(st.integers(0, 2**32), st.sampled_from(["en-2004", "sv-web", "uk-2017"]))
def test_log_with_rewinds_and_seat_changes_folds_to_the_state(seed: int, rulebook: str) -> None:
    rng = SeededRng(seed)
    game = InMemoryGame(rulebook, seats=3 + rng.below(8))
    for _ in range(60):
        if game.is_over:
            break
        _make_random_move(game, rng)
        assert fold(game.start, game.log) == game.state


def _make_random_move(game: InMemoryGame, rng: SeededRng) -> None:
    if rng.happens_once_in(8) and game.state.seq:
        game.rewind(rng.below(game.state.seq))
    elif rng.happens_once_in(12) and len(seats_in_play(game.state)) > 1:
        game.give_up(rng.pick(seats_in_play(game.state)), random_below=rng.below)
    elif rng.happens_once_in(40) and game.state.round < game.state.house.rounds:
        game.shorten()
    elif rng.happens_once_in(20):
        game.hand_over(rng.pick(seats_in_play(game.state)))
    else:
        game.play(mostly_digging_action(game.state, rng))
