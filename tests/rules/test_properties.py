"""What holds for every game, whoever plays it: replay, conservation, progress, refusal, the wire."""

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import Action
from engine.cards import BREAKS, DECK, GOALS, GOLD, PRINTED, role_pile
from engine.errors import RULES, IllegalAction
from engine.events import GoldTaken, RoundEnded, TurnBegan
from engine.evolve import evolve, fold
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.rules import decide
from engine.state import GoldChoice, State
from engine.story import narrate
from engine.view import awaiting, legal_actions, view_for
from engine.wire import (
    decode_action,
    decode_events,
    decode_state,
    encode_action,
    encode_events,
    encode_state,
)
from tests.support.engine.conceivable_actions import as_listed, conceivable_actions
from tests.support.engine.strange_mines import strange_position
from tests.support.positions import (
    Arranged,
    Dice,
    Game,
    due_seat,
    erring_action,
    every_rulebook,
    menu,
    random_action,
    still_in_play,
    told,
)
from tests.support.sizes import size_of

# Long, of what other tests cover line by line.
pytestmark = pytest.mark.no_cover

seeds = st.integers(0, 2**32)
rulebooks = st.sampled_from(list(RULEBOOKS))
HOUSES = (
    HouseRules(),
    HouseRules(intact_diggers_only=True),
    HouseRules(no_self_breaking=True, open_gold=True),
    HouseRules(rounds=1),
)
LONGEST_ROUND = 67


def game_of(rulebook: str, dice: Dice) -> Game:
    return Game(
        rulebook,
        seats=3 + dice.below(8),
        house=dice.pick(HOUSES),
        starter=None,
        chance=Arranged(dice.below(1 << 30)),
    )


def positions(rulebook: str, seed: int, *, people_leave: bool = True) -> Iterator[Game]:
    """A game after every step, to its end."""
    dice = Dice(seed)
    game = game_of(rulebook, dice)
    yield game
    while not game.is_over:
        if people_leave and dice.once_in(80) and len(still_in_play(game.state)) > 1:
            game.give_up(dice.pick(still_in_play(game.state)), pick=dice.below)
        else:
            game.play(erring_action(game.state, dice))
        yield game


@given(seeds, rulebooks)
def test_the_events_alone_give_every_position_again(seed: int, rulebook: str) -> None:
    state = None
    for game in positions(rulebook, seed):
        state = evolve(state or game.start, game.log[-1])
        assert state == game.state
    assert fold(game.start, game.log) == game.state


@given(seeds, rulebooks)
def test_no_card_role_goal_or_nugget_is_lost_or_made(seed: int, rulebook: str) -> None:
    for game in positions(rulebook, seed):
        state = game.state
        assert Counter(all_cards(state)) == Counter(DECK)
        assert Counter((*state.roles, state.aside)) == Counter(role_pile(state.seats))
        assert Counter(state.goals) == Counter(GOALS)
        assert Counter(all_gold(state)) == Counter(GOLD)


def all_cards(state: State) -> Iterator[str]:
    yield from state.deck
    yield from state.discards
    for hand in state.hands:
        yield from hand
    yield from (PRINTED[shape] for shape in state.mine.laid.values() if shape in PRINTED)
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
    for game in positions(rulebook, seed):
        if game.state.turn is not None:
            assert len(game.state.pile) >= 28 - 9 * (game.state.round - 1)


@given(seeds, rulebooks)
def test_every_game_ends_within_bounds(seed: int, rulebook: str) -> None:
    """A round is 67 turns at most (section 4); there is a choice for each goal, and one for each gold card."""
    *_, game = positions(rulebook, seed)
    rounds = game.state.house.rounds
    assert len(game.state.results) == rounds
    turns = sum(len(told(events, TurnBegan)) for events in game.log)
    picks = sum(len(told(events, GoldTaken)) for events in game.log)
    assert turns <= LONGEST_ROUND * rounds
    assert len(game.log) - 1 <= turns + rounds + picks + 6 * rounds + len(game.state.gone)


@given(seeds, rulebooks)
def test_there_is_always_something_that_the_due_seat_may_do(seed: int, rulebook: str) -> None:
    for game in positions(rulebook, seed):
        due = awaiting(game.state)
        assert (due is None) == game.is_over
        for seat in range(game.state.seats):
            offered = legal_actions(view_for(game.state, seat))
            assert bool(offered) == (due is not None and due.seat == seat)
            assert len(set(offered)) == len(offered)


@given(seeds, rulebooks)
def test_whatever_is_listed_is_accepted_and_whatever_is_not_is_refused(
    seed: int, rulebook: str
) -> None:
    dice = Dice(seed)
    game = game_of(rulebook, dice)
    for _ in range(dice.below(180)):
        game.play(erring_action(game.state, dice))
        if game.is_over:
            return
    agree_on_the_menu(game.state)


@every_rulebook
def test_the_menu_is_complete_at_strange_mines_too(rulebook: str) -> None:
    for seed in range(size_of("hypothesis_examples") // 6):
        agree_on_the_menu(strange_position(rulebook, Dice(seed)))


def agree_on_the_menu(state: State) -> None:
    seat = due_seat(state)
    offered = set(menu(state))
    universe = set(conceivable_actions(view_for(state, seat)))
    assert offered <= universe
    accepted = {action for action in universe if is_accepted(state, seat, action)}
    assert accepted == {action for action in universe if as_listed(action) in offered}


def is_accepted(state: State, seat: int, action: Action) -> bool:
    try:
        return bool(decide(state, seat, action))
    except IllegalAction as refused:
        return refused.rule != RULES[refused.reason]


@given(seeds, rulebooks)
def test_what_was_decided_or_refused_leaves_the_position_as_it_was(
    seed: int, rulebook: str
) -> None:
    dice = Dice(seed)
    game = game_of(rulebook, dice)
    for _ in range(dice.below(100)):
        game.play(random_action(game.state, dice))
        if game.is_over:
            return
    before = encode_state(game.state)
    for action in (*menu(game.state), *conceivable_actions(view_for(game.state, 0))):
        is_accepted(game.state, due_seat(game.state), action)
    assert encode_state(game.state) == before


@given(seeds, rulebooks)
def test_everything_stored_comes_back_as_it_was(seed: int, rulebook: str) -> None:
    for game in positions(rulebook, seed):
        restored = decode_state(encode_state(game.state))
        assert restored == game.state
        assert decode_events(encode_events(game.log[-1])) == game.log[-1]
        if game.is_over:
            return
        offered = menu(game.state)
        assert menu(restored) == offered
        assert decode_action(encode_action(offered[0])) == offered[0]


@given(seeds, rulebooks)
def test_the_same_game_is_the_same_each_time(seed: int, rulebook: str) -> None:
    (*_, one), (*_, other) = (positions(rulebook, seed) for _ in range(2))
    assert one.log == other.log


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_rounds_end_as_often_as_they_are_dealt(rulebook: str) -> None:
    for game in positions(rulebook, 7):
        ended = sum(len(told(events, RoundEnded)) for events in game.log)
        assert ended == len(game.state.results)
        assert ended in {game.state.round, game.state.round - 1}


def test_positions_hands_and_deals_do_not_show_in_tracebacks() -> None:
    game = Game()
    assert repr(game.state) == "<State>"
    assert repr(game.log) == "[(<Dealt>,)]"
    assert repr(GoldChoice(0, (3, 2, 1))) == "<GoldChoice>"
    assert repr(view_for(game.state, 2)) == "<View 2 0>"
    assert repr(narrate(game.log[0][0], 0)) == "(<Line round-dealt>, <Line role-dealt>)"
