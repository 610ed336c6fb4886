"""Apply the events of a turn, or of a whole log, to a position: no rules, no refusals, no chance."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from engine.events import Event, Rewound
from engine.mine import Mine
from engine.reducers import REDUCERS
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import State

# A state is frozen. Only a fresh copy that no caller holds yet is written to.
_set_field = msgspec.structs.force_setattr
_copy: Final[Callable[[State], State]] = State.__copy__  # type: ignore[attr-defined]  # a stub's gap


def initial_state(rulebook: str, house: HouseRules, seats: int) -> State:
    """Return the position before the first deal, with ``seq`` -1. Raises KeyError for an unknown rulebook."""
    rules = RULEBOOKS[rulebook]
    mine = Mine(
        continue_path=rules.continue_path, build_from_goal_alone=rules.build_from_goal_alone
    )
    return State(rulebook=rulebook, house=house, seats=seats, seq=-1, mine=mine)


class Transition:
    """A turn in progress: the events recorded so far, and ``state``, the position after them."""

    __slots__ = ("events", "state")

    def __init__(self, state: State) -> None:
        """Begin a turn at a position, which itself stays unchanged."""
        self.state = _copy(state)
        self.events: list[Event] = []
        _set_field(self.state, "seq", state.seq + 1)

    def record(self, event: Event) -> None:
        """Add an event and apply it to ``state``."""
        self.events.append(event)
        REDUCERS[type(event)](self.state, event)


def evolve(state: State, events: Iterable[Event]) -> State:
    """Return the position after one more turn with these events."""
    next_state = _copy(state)
    _set_field(next_state, "seq", state.seq + 1)
    for event in events:
        REDUCERS[type(event)](next_state, event)
    return next_state


def fold(start: State, log: Sequence[Iterable[Event]]) -> State:
    """Return the position after all turns of a log that begins at ``start``; a rewind refers to a turn of the same log."""
    return positions(start, log)[-1] if log else start


def positions(start: State, log: Sequence[Iterable[Event]]) -> list[State]:
    """Return the position after every turn of a log that begins at ``start``."""
    state = start
    # All positions are kept, because folding the log again for every rewind could take quadratic time.
    states: list[State] = []
    for seq, events in enumerate(log):
        to_seq = _rewound_to(events)
        state = evolve(state, events) if to_seq is None else return_to_state(states[to_seq], seq)
        states.append(state)
    return states


def _rewound_to(events: Iterable[Event]) -> int | None:
    for event in events:
        if isinstance(event, Rewound):
            return event.to_seq
    return None


def return_to_state(earlier_state: State, seq: int) -> State:
    """Return an earlier position as the result of turn ``seq``."""
    return msgspec.structs.replace(earlier_state, seq=seq)
