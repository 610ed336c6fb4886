"""The playing time that a turn lost through a maintenance or an outage: each moment is given back once."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from webapp.clock.pace.arithmetic import elapsed_time
from webapp.clock.pace.calendar import Calendar, Interval
from webapp.clock.queries.deadline_events import ClockSwitch
from webapp.site.queries.maintenance import MaintenanceRow

_START_KINDS = frozenset({"started", "undelivered"})


def lost_time(
    row: MaintenanceRow,
    events: Sequence[ClockSwitch],
    calendar: Calendar,
    *,
    started_at: datetime,
    paused_at: datetime | None,
    earlier_stops: Iterable[Interval],
) -> timedelta:
    """Return the playing time of a running turn that is still to be given back.

    The turn began when its last events say so, or else at ``started_at``. ``earlier_stops`` moved all deadlines already. A
    turn that is paused gets the rest when its game is resumed.
    """
    assert row.ended_at is not None
    start_at = max([started_at, *_starts(events)][-1], row.began_at)
    lost = Interval(start_at, min(row.ended_at, paused_at or row.ended_at))
    given_back = sorted([*earlier_stops, *_pauses_before(events, row.recorded_at)])
    return sum(
        (elapsed_time(part.start, part.end, calendar) for part in _without(lost, given_back)),
        timedelta(0),
    )


def _starts(events: Iterable[ClockSwitch]) -> list[datetime]:
    return [event.at for event in events if event.kind in _START_KINDS]


def _pauses_before(events: Iterable[ClockSwitch], recorded_at: datetime) -> list[Interval]:
    """Return the pauses that ended before the maintenance was known: those after it left it out when they moved the deadline."""
    pauses: list[Interval] = []
    paused_at: datetime | None = None
    for event in events:
        if event.kind == "paused":
            paused_at = event.at
        elif event.kind == "resumed" and paused_at is not None and event.at <= recorded_at:
            pauses.append(Interval(paused_at, max(paused_at, event.at)))
    return pauses


def _without(whole: Interval, taken_parts: Iterable[Interval]) -> list[Interval]:
    """Return what sorted intervals leave of another one."""
    parts: list[Interval] = []
    at = whole.start
    for taken in taken_parts:
        parts.append(Interval(at, min(taken.start, whole.end)))
        at = max(at, taken.end)
    return [*parts, Interval(at, whole.end)]


def uncovered_time(whole: Interval, earlier_stops: Iterable[Interval]) -> timedelta:
    """Return how much of an interval no earlier stop covers."""
    parts = _without(whole, sorted(earlier_stops))
    return sum((max(part.length, timedelta(0)) for part in parts), timedelta(0))
