"""What follows in a position by the engine and by the reference model, which must agree.

A test that states a rule uses these functions: what it expects of the position then holds for both programs. They have
the names of those in ``positions``, which ask the engine alone.
"""

from engine.actions import Action
from engine.errors import Reason
from engine.events import Event
from engine.state import GoldChoice, State
from tests.support.engine import positions
from tests.support.engine.conceivable_actions import as_offered_by_engine
from tests.support.engine.model_adapter import assert_same_actions
from tests.support.engine.model_checker import checker_at


def offered_actions(state: State) -> tuple[Action, ...]:
    """Return the legal actions of the seat that the game waits for; the model lists no gold picks."""
    offered = positions.offered_actions(state)
    if not isinstance(state.choice, GoldChoice):
        assert_same_actions(state, offered)
    return offered


def play(state: State, *actions: Action) -> State:
    """Return the state after these actions, each of the seat then due. Lay a card and choose for it in one call."""
    return _play(state, *actions)[0]


def events_of(state: State, *actions: Action) -> tuple[Event, ...]:
    """Return the events of the last of these actions, each of the seat then due."""
    return _play(state, *actions)[1]


def give_up(state: State, seat: int) -> tuple[State, tuple[Event, ...]]:
    """Give up a seat that has no open choice."""
    checker = checker_at(state)
    events = checker.give_up(seat)
    return checker.game.state, events


def refusal_reason(state: State, action: Action, seat: int | None = None) -> Reason:
    """Return why an action is refused to a seat, by default the one that is due."""
    assert seat is not None or as_offered_by_engine(action) not in offered_actions(state)
    return positions.refusal_reason(state, action, seat)


def _play(state: State, *actions: Action) -> tuple[State, tuple[Event, ...]]:
    checker = checker_at(state)
    for action in actions:
        events = checker.play(action)
    return checker.game.state, events
