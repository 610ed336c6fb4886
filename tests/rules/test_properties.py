"""Properties of every game: replay, conservation of cards, progress, refusals and the wire format."""

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import Action
from engine.cards import BREAKS, CARD_BY_SHAPE, DECK, GOALS, GOLD_CARDS, role_pile
from engine.errors import IllegalAction
from engine.events import GoldTaken, RoundEnded, TurnBegan
from engine.evolve import evolve, fold
from engine.narration import narrate
from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import GoldChoice, State
from engine.view import awaiting, legal_actions, view_for
from engine.wire import (
    decode_action,
    decode_events,
    decode_state,
    encode_action,
    encode_events,
    encode_state,
)
from tests.support.engine.conceivable_actions import as_offered_by_engine, conceivable_actions
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import decide, due_seat, events_of_type, offered_actions
from tests.support.engine.random_games import game_steps, random_dealt_game, unfinished_state
from tests.support.engine.random_mines import random_mine_state
from tests.support.engine.random_players import mostly_digging_action, random_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.rulebook_groups import every_rulebook
from tests.support.sizes import case_count

# Slow tests of code that other tests cover line by line.
pytestmark = pytest.mark.no_cover

seeds = st.integers(0, 2**32)
rulebooks = st.sampled_from(list(RULEBOOKS))
MAX_TURNS_PER_ROUND = 67


@given(seeds, rulebooks)
def test_events_fold_to_every_position(seed: int, rulebook: str) -> None:
    state = None
    for game in game_steps(rulebook, seed):
        state = evolve(state or game.start, game.log[-1])
        assert state == game.state
    assert fold(game.start, game.log) == game.state


@given(seeds, rulebooks)
def test_cards_roles_goals_and_gold_are_conserved(seed: int, rulebook: str) -> None:
    for game in game_steps(rulebook, seed):
        state = game.state
        assert Counter(all_cards(state)) == Counter(DECK)
        assert Counter((*state.roles, state.aside)) == Counter(role_pile(state.seats))
        assert Counter(state.goals) == Counter(GOALS)
        assert Counter(all_gold(state)) == Counter(GOLD_CARDS)


def all_cards(state: State) -> Iterator[str]:
    yield from state.deck
    yield from state.discards
    for hand in state.hands:
        yield from hand
    yield from (
        CARD_BY_SHAPE[shape] for shape in state.mine.laid.values() if shape in CARD_BY_SHAPE
    )
    card_of = {tool: card for card, tool in BREAKS.items()}
    yield from (card_of[tool] for tools in state.broken for tool in tools)


def all_gold(state: State) -> Iterator[int]:
    yield from state.pile
    for cards in state.gold:
        yield from cards
    if isinstance(state.choice, GoldChoice):
        yield from state.choice.cards


@given(seeds, rulebooks)
def test_at_least_ten_gold_cards_remain_before_any_round_r36(seed: int, rulebook: str) -> None:
    states = [game.state for game in game_steps(rulebook, seed) if game.state.turn is not None]
    assert states
    assert all(len(state.pile) >= 28 - 9 * (state.round - 1) for state in states)


@given(seeds, rulebooks)
def test_every_game_ends_within_the_maximum_number_of_turns(seed: int, rulebook: str) -> None:
    """A round has at most 67 turns (section 4), one choice for each goal and one for each gold card."""
    *_, game = game_steps(rulebook, seed)
    rounds = game.state.house.rounds
    assert len(game.state.results) == rounds
    turns = sum(len(events_of_type(events, TurnBegan)) for events in game.log)
    gold_pick_count = sum(len(events_of_type(events, GoldTaken)) for events in game.log)
    assert turns <= MAX_TURNS_PER_ROUND * rounds
    assert len(game.log) - 1 <= turns + rounds + gold_pick_count + 6 * rounds + len(game.state.gone)


@given(seeds, rulebooks)
def test_only_the_seat_on_turn_has_legal_actions(seed: int, rulebook: str) -> None:
    for game in game_steps(rulebook, seed):
        awaited = awaiting(game.state)
        assert (awaited is None) == game.is_over
        for seat in range(game.state.seats):
            offered = legal_actions(view_for(game.state, seat))
            assert bool(offered) == (awaited is not None and awaited.seat == seat)
            assert len(set(offered)) == len(offered)


@given(seeds, rulebooks)
def test_exactly_the_listed_actions_are_accepted(seed: int, rulebook: str) -> None:
    rng = SeededRng(seed)
    game = random_dealt_game(rulebook, rng)
    check_offered_actions_are_complete(
        unfinished_state(game, rng.below(180), mostly_digging_action, rng)
    )


@every_rulebook
def test_exactly_the_listed_actions_are_accepted_in_random_mines(rulebook: str) -> None:
    for seed in range(case_count("hypothesis_examples") // 6):
        check_offered_actions_are_complete(random_mine_state(rulebook, SeededRng(seed)))


def check_offered_actions_are_complete(state: State) -> None:
    seat = due_seat(state)
    offered = set(offered_actions(state))
    tried_actions = set(conceivable_actions(view_for(state, seat)))
    assert offered <= tried_actions
    accepted_actions = {action for action in tried_actions if is_accepted(state, seat, action)}
    assert accepted_actions == {
        action for action in tried_actions if as_offered_by_engine(action) in offered
    }


def is_accepted(state: State, seat: int, action: Action) -> bool:
    try:
        return bool(decide(state, seat, action))
    except IllegalAction:
        return False


@given(seeds, rulebooks)
def test_deciding_and_refusing_leave_the_state_unchanged(seed: int, rulebook: str) -> None:
    rng = SeededRng(seed)
    state = unfinished_state(random_dealt_game(rulebook, rng), rng.below(100), random_action, rng)
    encoded_state = encode_state(state)
    for action in (*offered_actions(state), *conceivable_actions(view_for(state, 0))):
        is_accepted(state, due_seat(state), action)
    assert encode_state(state) == encoded_state


@given(seeds, rulebooks)
def test_stored_states_events_and_actions_are_decoded_unchanged(seed: int, rulebook: str) -> None:
    for game in game_steps(rulebook, seed):
        decoded_state = decode_state(encode_state(game.state))
        assert decoded_state == game.state
        assert decode_events(encode_events(game.log[-1])) == game.log[-1]
        if game.is_over:
            return
        offered = offered_actions(game.state)
        assert offered_actions(decoded_state) == offered
        assert decode_action(encode_action(offered[0])) == offered[0]


@given(seeds, rulebooks)
def test_same_seed_gives_the_same_log(seed: int, rulebook: str) -> None:
    (*_, game), (*_, other_game) = (game_steps(rulebook, seed) for _ in range(2))
    assert game.log == other_game.log


@every_rulebook
def test_every_finished_round_has_one_result(rulebook: str) -> None:
    for game in game_steps(rulebook, 7):
        ended_round_count = sum(len(events_of_type(events, RoundEnded)) for events in game.log)
        assert ended_round_count == len(game.state.results)
        assert ended_round_count in {game.state.round, game.state.round - 1}


def test_repr_of_states_views_and_deals_shows_no_cards() -> None:
    game = InMemoryGame()
    assert repr(game.state) == "<State>"
    assert repr(game.log) == "[(<Dealt>,)]"
    assert repr(GoldChoice(0, (3, 2, 1))) == "<GoldChoice>"
    assert repr(view_for(game.state, 2)) == "<View 2 0>"
    assert repr(narrate(game.log[0][0], 0)) == "(<Line round-dealt>, <Line role-dealt>)"
