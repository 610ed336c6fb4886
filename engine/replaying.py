"""A recorded game shown turn by turn, from the perspective of one seat or of an onlooker.

The positions come from the recorded events alone; :mod:`engine.verification` checks them against the rules.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from engine.cells import MAX_DISTANCE_FROM_START, position
from engine.events import Event, Rewound
from engine.evolve import evolve, initial_state, return_to_state
from engine.narration import Line, narrate
from engine.record import Record, RecordedTurn, TurnSource
from engine.state import State
from engine.view import View, view_for

_MAX_EVENTS_PER_TURN: Final = 100
"""More events than any turn can have: the last turn of a round with ten players has fewer."""


class ReplayError(Exception):
    """The record says that something happened in turn ``seq`` that cannot have happened there."""

    def __init__(self, seq: int) -> None:
        """Keep the turn."""
        super().__init__(str(seq))
        self.seq = seq


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """One turn as a viewer saw it: the seat that played, the lines of history, and the view afterwards."""

    seq: int
    seat: int | None
    by: TurnSource
    lines: tuple[Line, ...]
    view: View


def frames(record: Record, seat: int | None, *, reveal_all: bool = False) -> Iterator[Frame]:
    """Yield all turns as this seat saw them, or an onlooker (None); with ``reveal_all`` the lines hold every secret.

    Raises ReplayError if the record contradicts itself.
    """
    table = record.table
    states = [initial_state(table.rulebook, table.house, len(table.seats))]
    for seq, turn in enumerate(record.turns):
        try:
            states.append(_state_after(states, turn))
            frame = _frame(states[-1], turn, seat, reveal_all=reveal_all)
        except (LookupError, ValueError, TypeError):
            # A file can hold any events; only applying them shows whether they can have happened.
            raise ReplayError(seq) from None
        yield frame


def _state_after(states: list[State], turn: RecordedTurn) -> State:
    """Return the position after one more turn. ``states[0]`` is the initial state; no rewind returns to it."""
    match turn.events:
        case (Rewound(to_seq),):
            return return_to_state(states[to_seq + 1], len(states) - 1)
    if len(turn.events) > _MAX_EVENTS_PER_TURN or not all(map(_is_near_the_start, turn.events)):
        raise ValueError("too many events, or a cell too far away, for any game")
    return evolve(states[-1], turn.events)


def _is_near_the_start(event: Event) -> bool:
    """Return whether the event is at a cell where cards can lie."""
    cell = getattr(event, "cell", None)
    return cell is None or max(map(abs, position(cell))) <= MAX_DISTANCE_FROM_START


def _frame(state: State, turn: RecordedTurn, seat: int | None, *, reveal_all: bool) -> Frame:
    lines = (line for event in turn.events for line in narrate(event, seat, reveal_all=reveal_all))
    return Frame(
        seq=state.seq,
        seat=turn.seat,
        by=turn.by,
        lines=tuple(lines),
        view=view_for(state, seat),
    )
