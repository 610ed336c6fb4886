"""R3, R26, R41, R46, R52, E31, E32: nothing that a seat is shown depends on what is hidden from it.

A counterfactual game changes everything that a seat cannot know; the seat's views, history and legal actions must be
the same in both games at every step.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import Action
from engine.errors import IllegalAction
from engine.narration import Line, narrate
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import State
from engine.view import awaiting, legal_actions, neutral_action, view_for
from tests.support.engine.conceivable_actions import conceivable_actions
from tests.support.engine.counterfactual_games import (
    Move,
    PlayedGame,
    counterfactual_game,
    play_moves,
    replay,
)
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import decide, seats_in_play
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import ScriptedChance, SeededRng

# Slow tests of code that other tests cover line by line.
pytestmark = pytest.mark.no_cover

HOUSE_RULE_SETS = (HouseRules(), HouseRules(open_gold=True), HouseRules(intact_diggers_only=True))


def random_game(rulebook: str, rng: SeededRng) -> PlayedGame:
    """Return an unfinished game of random length, now and then with a rewind or a seat given up."""
    game = InMemoryGame(
        rulebook,
        seats=3 + rng.below(8),
        house=rng.pick(HOUSE_RULE_SETS),
        starter=None,
        chance=ScriptedChance(rng.below(1 << 30)),
    )
    return play_moves(game, rng.below(160), lambda game: _random_move(game, rng))


def _random_move(game: InMemoryGame, rng: SeededRng) -> Move:
    if rng.happens_once_in(70) and game.state.seq:
        return Move("rewind", rng.below(game.state.seq))
    if rng.happens_once_in(90) and len(remaining_seats := seats_in_play(game.state)) > 2:
        return Move("give up", rng.pick(remaining_seats))
    return Move("play", action=mostly_digging_action(game.state, rng))


def refusal_reasons(state: State, seat: int, actions: list[Action]) -> list[str]:
    return [refusal_reason(state, seat, action) for action in actions]


def refusal_reason(state: State, seat: int, action: Action) -> str:
    try:
        decide(state, seat, action)
    except IllegalAction as refusal:
        return refusal.reason
    return "allowed"


@given(st.integers(0, 2**32), st.sampled_from(list(RULEBOOKS)))
def test_seat_sees_the_same_in_counterfactual_games(seed: int, rulebook: str) -> None:
    rng = SeededRng(seed)
    played_game = random_game(rulebook, rng)
    observer = rng.pick([None, *range(played_game.states[0].seats)])
    counterfactual = counterfactual_game(played_game, observer, rng)
    for state, other_state in zip(played_game.states, counterfactual.states, strict=True):
        check_views_equal(state, other_state, observer)
    assert history_shown_to(played_game, observer) == history_shown_to(counterfactual, observer)
    if observer is not None:
        check_refusals_equal(played_game.states[-1], counterfactual.states[-1], observer)


def history_shown_to(played_game: PlayedGame, observer: int | None) -> list[list[tuple[Line, ...]]]:
    return [[narrate(event, observer) for event in events] for events in played_game.game.log]


def check_views_equal(state: State, other_state: State, observer: int | None) -> None:
    view = view_for(state, observer)
    assert view == view_for(other_state, observer)
    assert awaiting(state) == awaiting(other_state)
    assert legal_actions(view) == legal_actions(view_for(other_state, observer))
    if view.awaiting is not None and view.awaiting.seat == observer:
        assert neutral_action(view, lambda _: 0) == neutral_action(
            view_for(other_state, observer), lambda _: 0
        )


def check_refusals_equal(state: State, other_state: State, observer: int) -> None:
    actions = list(conceivable_actions(view_for(state, observer)))
    assert refusal_reasons(state, observer, actions) == refusal_reasons(
        other_state, observer, actions
    )


def test_counterfactual_game_differs_in_what_is_hidden() -> None:
    """Prove that the test above is effective: it could not fail if both games were the same."""
    difference_counts = {
        "hands": 0,
        "deck": 0,
        "roles": 0,
        "goals": 0,
        "pile": 0,
        "gold": 0,
        "discards": 0,
    }
    for seed in range(30):
        rng = SeededRng(seed)
        played_game = random_game("en-2004", rng)
        counterfactual = counterfactual_game(played_game, 0, rng)
        for name in difference_counts:
            difference_counts[name] += any(
                getattr(state, name) != getattr(other_state, name)
                for state, other_state in zip(
                    played_game.states, counterfactual.states, strict=True
                )
            )
    assert all(count >= 5 for count in difference_counts.values()), difference_counts


def test_comparison_fails_for_a_seat_with_other_knowledge() -> None:
    rng = SeededRng(1)
    played_game = random_game("en-2004", rng)
    counterfactual = counterfactual_game(played_game, 0, rng)
    with pytest.raises(AssertionError):
        check_views_equal(played_game.states[-1], counterfactual.states[-1], 1)


def test_replaying_the_same_orders_and_moves_gives_the_same_game() -> None:
    played_game = random_game("uk-2017", SeededRng(2))
    replayed_game = replay(played_game.game, played_game.orders, played_game.moves)
    assert replayed_game.states == played_game.states
    assert replayed_game.game.log == played_game.game.log
