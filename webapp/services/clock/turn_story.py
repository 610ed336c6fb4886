"""The story of a turn's clock, step by step, from the events that are stored: one source for players and moderators."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

import msgspec

from webapp.store.clock.deadline_history import TurnEventRow

START_KIND: Final = "started"
END_KINDS: Final = frozenset({"played", "late", "missed"})
_PRIVATE_CAUSES: Final = frozenset({"away", "undelivered"})


class DeadlineStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a turn's clock: an event of its deadline, or what became of an email."""

    at: datetime
    kind: str
    """The kind of the event; for an email ``call`` or ``reminder`` with what became of it: ``call-sent``."""
    by: str = ""
    cause: str = ""
    deadline_at: datetime | None = None
    """The deadline afterwards, if this step changed it."""


def start_of(events: Iterable[TurnEventRow]) -> TurnEventRow | None:
    """Return the event with which a turn began, first if it began again; None if its seat or the event itself is not known."""
    start = next((event for event in events if event.kind == START_KIND), None)
    return None if start is None or start.seat is None else start


def shown_events(events: Sequence[TurnEventRow], *, is_over: bool) -> Sequence[TurnEventRow]:
    """Return the events without reminders of a running turn: when they come is for its player alone to choose."""
    return [event for event in events if is_over or event.kind != "reminded"]


def event_steps(events: Iterable[TurnEventRow], *, is_insider: bool) -> Iterator[DeadlineStep]:
    """Return the events as steps; who is not at the table, nor moderates it, learns nothing about emails and absences."""
    for event in events:
        is_private = event.kind in {"absence", "undelivered"} and not is_insider
        hides_cause = event.cause in _PRIVATE_CAUSES and not is_insider
        yield DeadlineStep(
            # To the second, as the history shows them.
            at=event.at.replace(microsecond=0),
            kind="moved" if is_private else event.kind,
            by="" if is_private else event.by,
            cause="" if is_private or hides_cause else event.cause,
            deadline_at=None if event.kind in END_KINDS else event.deadline_at,
        )
