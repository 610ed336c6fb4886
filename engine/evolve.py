"""Bookkeeping: what the facts of a turn, and of a whole log, lead to. No rules, no refusals, no chance."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from engine.events import Event, Rewound
from engine.mine import Mine
from engine.reducers import REDUCERS
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import State

# A state is frozen for everybody; a fresh copy is filled in before anybody else has seen it.
_put = msgspec.structs.force_setattr
_copy: Final[Callable[[State], State]] = State.__copy__  # type: ignore[attr-defined]  # a stub's gap


def initial_state(rulebook: str, house: HouseRules, seats: int) -> State:
    """A table before the first deal. Raises KeyError when there is no such rulebook."""
    rules = RULEBOOKS[rulebook]
    mine = Mine(
        continue_path=rules.continue_path, build_from_goal_alone=rules.build_from_goal_alone
    )
    return State(rulebook=rulebook, house=house, seats=seats, seq=-1, mine=mine)


class Transition:
    """A turn under way: facts are recorded one by one, and ``state`` is the position they lead to."""

    __slots__ = ("events", "state")

    def __init__(self, state: State) -> None:
        """Begin a turn at this position, which stays as it is."""
        self.state = _copy(state)
        self.events: list[Event] = []
        _put(self.state, "seq", state.seq + 1)

    def record(self, event: Event) -> None:
        """Let this have happened."""
        self.events.append(event)
        REDUCERS[type(event)](self.state, event)


def evolve(state: State, events: Iterable[Event]) -> State:
    """The position after one more turn, given what happened in it."""
    after = _copy(state)
    _put(after, "seq", state.seq + 1)
    for event in events:
        REDUCERS[type(event)](after, event)
    return after


def fold(start: State, log: Sequence[Iterable[Event]]) -> State:
    """The position after all turns of a log, from a blank table on; a rewind goes back within the log."""
    state = start
    # Kept, for a rewind may go back behind other rewinds: to fold the log anew for each would double the work every time.
    states: list[State] = []
    for seq, events in enumerate(log):
        to_seq = _rewound_to(events)
        state = evolve(state, events) if to_seq is None else return_to(states[to_seq], seq)
        states.append(state)
    return state


def _rewound_to(events: Iterable[Event]) -> int | None:
    for event in events:
        if isinstance(event, Rewound):
            return event.to_seq
    return None


def return_to(earlier: State, seq: int) -> State:
    """An earlier position, as the outcome of turn ``seq``."""
    return msgspec.structs.replace(earlier, seq=seq)
