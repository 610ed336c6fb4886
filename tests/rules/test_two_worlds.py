"""R3, R26, R41, R46, R52, E31, E32: nothing that a seat is shown or told depends on what is hidden from it.

For a seat in a game another world is made in which all that it cannot know is otherwise; what it sees, hears and may do
must be the same in both, at every step.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import Action
from engine.errors import IllegalAction
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.rules import decide
from engine.state import State
from engine.story import Line, narrate
from engine.view import awaiting, legal_actions, neutral_action, view_for
from tests.support.engine.conceivable_actions import conceivable_actions
from tests.support.engine.counterfactual_games import HistoryEntry, Move, do, tell_again, twin
from tests.support.positions import Arranged, Dice, Game, erring_action, still_in_play

# Long, of what other tests cover line by line.
pytestmark = pytest.mark.no_cover

HOUSES = (HouseRules(), HouseRules(open_gold=True), HouseRules(intact_diggers_only=True))


def some_game(rulebook: str, dice: Dice) -> HistoryEntry:
    """A game of some length that is not over, people leaving it and going back in it now and then."""
    game = Game(
        rulebook,
        seats=3 + dice.below(8),
        house=dice.pick(HOUSES),
        starter=None,
        chance=Arranged(dice.below(1 << 30)),
    )
    moves, states = [], [game.state]
    for _ in range(dice.below(160)):
        move = _some_move(game, dice)
        do(game, move)
        if game.is_over:
            game.log.pop()
            break
        moves.append(move)
        states.append(game.state)
    assert isinstance(game.chance, Arranged)
    return HistoryEntry(game, dict(game.chance.fallen), tuple(moves), tuple(states))


def _some_move(game: Game, dice: Dice) -> Move:
    if dice.once_in(70) and game.state.seq:
        return Move("rewind", dice.below(game.state.seq))
    if dice.once_in(90) and len(in_play := still_in_play(game.state)) > 2:
        return Move("give up", dice.pick(in_play))
    return Move("play", action=erring_action(game.state, dice))


def refusals(state: State, seat: int, actions: list[Action]) -> list[str]:
    return [why_not(state, seat, action) for action in actions]


def why_not(state: State, seat: int, action: Action) -> str:
    try:
        decide(state, seat, action)
    except IllegalAction as refused:
        return refused.reason
    return "allowed"


@given(st.integers(0, 2**32), st.sampled_from(list(RULEBOOKS)))
def test_two_worlds_that_a_seat_cannot_tell_apart_look_alike_to_it(
    seed: int, rulebook: str
) -> None:
    dice = Dice(seed)
    one = some_game(rulebook, dice)
    observer = dice.pick([None, *range(one.states[0].seats)])
    other = twin(one, observer, dice)
    for here, there in zip(one.states, other.states, strict=True):
        agree_on_sight(here, there, observer)
    assert heard(one, observer) == heard(other, observer)
    if observer is not None:
        agree_on_refusals(one.states[-1], other.states[-1], observer)


def heard(world: HistoryEntry, observer: int | None) -> list[list[tuple[Line, ...]]]:
    return [[narrate(event, observer) for event in events] for events in world.game.log]


def agree_on_sight(here: State, there: State, observer: int | None) -> None:
    view = view_for(here, observer)
    assert view == view_for(there, observer)
    assert awaiting(here) == awaiting(there)
    assert legal_actions(view) == legal_actions(view_for(there, observer))
    if view.awaiting is not None and view.awaiting.seat == observer:
        assert neutral_action(view, lambda _: 0) == neutral_action(
            view_for(there, observer), lambda _: 0
        )


def agree_on_refusals(here: State, there: State, observer: int) -> None:
    actions = list(conceivable_actions(view_for(here, observer)))
    assert refusals(here, observer, actions) == refusals(there, observer, actions)


def test_the_other_world_is_another_world() -> None:
    """Were the twin the same game, the test above could not fail."""
    differ = {"hands": 0, "deck": 0, "roles": 0, "goals": 0, "pile": 0, "gold": 0, "discards": 0}
    for seed in range(30):
        dice = Dice(seed)
        one = some_game("en-2004", dice)
        other = twin(one, 0, dice)
        for name in differ:
            differ[name] += any(
                getattr(here, name) != getattr(there, name)
                for here, there in zip(one.states, other.states, strict=True)
            )
    assert all(count >= 5 for count in differ.values()), differ


def test_a_seat_that_sees_another_hand_would_tell_the_worlds_apart() -> None:
    dice = Dice(1)
    one = some_game("en-2004", dice)
    other = twin(one, 0, dice)
    with pytest.raises(AssertionError):
        agree_on_sight(one.states[-1], other.states[-1], 1)


def test_a_game_told_again_is_the_same_game() -> None:
    one = some_game("uk-2017", Dice(2))
    again = tell_again(one.game, one.orders, one.moves)
    assert again.states == one.states
    assert again.game.log == one.game.log
