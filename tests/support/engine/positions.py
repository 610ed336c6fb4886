"""What the seat on turn may do in a position, what an action causes there, and why another is refused."""

from collections.abc import Iterable
from typing import Final, TypeVar

import pytest

from engine.actions import Action
from engine.cells import Cell, label
from engine.errors import IllegalAction, Reason
from engine.events import Event
from engine.evolve import Transition
from engine.game import advance, give_up_seat
from engine.rulebook import HouseRules
from engine.rules import play_action
from engine.state import GoldChoice, State
from engine.view import awaiting, legal_actions, view_for
from tests.support.engine.seeded_random import ScriptedChance

T = TypeVar("T")

DEFAULT_HOUSE: Final = HouseRules()


def due_seat(state: State) -> int:
    """Return the seat that the game waits for."""
    awaited = awaiting(state)
    assert awaited is not None, "the game is over"
    return awaited.seat


def offered_actions(state: State) -> tuple[Action, ...]:
    """Return the legal actions of the seat that the game waits for."""
    return legal_actions(view_for(state, due_seat(state)))


def seats_in_play(state: State) -> list[int]:
    """Return the seats that have not been given up."""
    return [seat for seat in range(state.seats) if seat not in state.gone]


def play(state: State, *actions: Action, seed: int = 0) -> State:
    """Return the state after these actions, each of the seat then due."""
    for action in actions:
        state, _ = advance(state, due_seat(state), action, ScriptedChance(seed))
    return state


def events_of(state: State, action: Action, seed: int = 0) -> tuple[Event, ...]:
    """Return the events of an action of the seat that is due."""
    return advance(state, due_seat(state), action, ScriptedChance(seed))[1]


def decide(state: State, seat: int, action: Action) -> tuple[Event, ...]:
    """Return the events of an action without the next deal. Raises IllegalAction."""
    transition = Transition(state)
    play_action(transition, seat, action)
    return tuple(transition.events)


def give_up(state: State, seat: int, *, chosen_option: int = 0) -> tuple[State, tuple[Event, ...]]:
    """Give up a seat; ``chosen_option`` is the option chosen for it where it has an open choice of a goal."""
    return give_up_seat(state, seat, random_below=lambda _: chosen_option, chance=ScriptedChance())


def events_of_type(events: Iterable[Event], kind: type[T]) -> list[T]:
    """Return the events of one type, in their order."""
    return [event for event in events if isinstance(event, kind)]


def refusal_reason(state: State, action: Action, seat: int | None = None) -> Reason:
    """Return why an action is refused to a seat, by default the one that is due."""
    with pytest.raises(IllegalAction) as error_info:
        advance(state, due_seat(state) if seat is None else seat, action, ScriptedChance())
    return error_info.value.reason


def gold_held(state: State) -> tuple[int, ...]:
    """Return the gold cards of which the seat due keeps one."""
    assert isinstance(state.choice, GoldChoice)
    return state.choice.cards


def cell_at(x: int, y: int) -> Cell:
    """Return the label of a cell, counted from the start."""
    return label(x, y)
