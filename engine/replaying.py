"""A recorded game shown turn by turn, as one seat or anybody saw it.

The positions are those that the recorded events fold to; whether the rules give the same is for :mod:`engine.verification`.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from engine.cells import MAX_DISTANCE, position
from engine.events import Event, Rewound
from engine.evolve import evolve, initial_state, return_to
from engine.record import Record, RecordedTurn, TurnSource
from engine.state import State
from engine.story import Line, narrate
from engine.view import View, view_for

_MOST_EVENTS: Final = 100
"""More than the last turn of a round of ten can have."""


class ReplayError(Exception):
    """What a record says happened in a turn cannot have happened there."""

    def __init__(self, seq: int) -> None:
        """Name the turn."""
        super().__init__(str(seq))
        self.seq = seq


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """One turn: who played, what was heard of it, and what was known afterwards."""

    seq: int
    seat: int | None
    by: TurnSource
    lines: tuple[Line, ...]
    view: View


def frames(record: Record, seat: int | None, *, opened: bool = False) -> Iterator[Frame]:
    """The turns as this seat saw them, or an onlooker (None); ``opened`` tells everything.

    Raises CannotFollow when the record contradicts itself.
    """
    table = record.table
    states = [initial_state(table.rulebook, table.house, len(table.seats))]
    for seq, turn in enumerate(record.turns):
        try:
            states.append(_after(states, turn))
            frame = _frame(states[-1], turn, seat, opened=opened)
        except (LookupError, ValueError, TypeError):
            # A file may say anything. Whether a turn can have happened shows when it is made to happen.
            raise ReplayError(seq) from None
        yield frame


def _after(states: list[State], turn: RecordedTurn) -> State:
    """The position after one more turn; ``states`` begins with the blank table, which no rewind goes back to."""
    match turn.events:
        case (Rewound(to_seq),):
            return return_to(states[to_seq + 1], len(states) - 1)
    if len(turn.events) > _MOST_EVENTS or not all(map(_is_near, turn.events)):
        raise ValueError("so much, or so far away, happens in no game")
    return evolve(states[-1], turn.events)


def _is_near(event: Event) -> bool:
    """Whether it happened where cards can lie."""
    cell = getattr(event, "cell", None)
    return cell is None or max(map(abs, position(cell))) <= MAX_DISTANCE


def _frame(state: State, turn: RecordedTurn, seat: int | None, *, opened: bool) -> Frame:
    return Frame(
        seq=state.seq,
        seat=turn.seat,
        by=turn.by,
        lines=tuple(line for event in turn.events for line in narrate(event, seat, opened=opened)),
        view=view_for(state, seat),
    )
