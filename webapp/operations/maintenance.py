"""Maintenance and outages: while they last no deadline runs out, and afterwards every deadline moves by their length.

The end is handled like the end of a pause of every running game: in batches, each a transaction that also stores how
far it came, so that a process which dies in between repeats nothing.
"""

import logging
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final, Literal, TypeAlias

from webapp.clock.pace.calendar import Calendar, Interval, elapsed_time
from webapp.clock.queries import deadline_events, maintenance
from webapp.clock.queries.deadline_events import ClockSwitch
from webapp.clock.queries.maintenance import MaintenanceRow
from webapp.clock.turn import ClockEvent
from webapp.kernel.refusals import FieldError, FieldErrors
from webapp.kernel.tx import Tx
from webapp.logs.fields import log_effect
from webapp.mail.queries import outbox, pending_emails
from webapp.mail.queries.outbox import NewNotification
from webapp.operations import processes
from webapp.operations.queries import heartbeats
from webapp.play.queries import clocks, games
from webapp.play.queries.clocks import ClockUpdate
from webapp.play.queries.rows import GameRow

_START_KINDS = frozenset({"started", "undelivered"})


OutageCause: TypeAlias = Literal["server", "email"]
"""What failed: no worker looked for deadlines, or no relay took emails."""
BATCH_SIZE: Final = 200
SHORTEST_OUTAGE: Final = timedelta(minutes=5)
"""If no worker has looked for deadlines for longer than this, their players get the time back."""

EMAIL_DELAY: Final = timedelta(minutes=1)
"""By then all games of a person have been shifted, and their email lists every one."""

_log = logging.getLogger(__name__)


def begin(tx: Tx) -> None:
    """Stop all clocks. Raises FieldErrors for ``maintenance`` while clocks are shifted after the maintenance before."""
    row = maintenance.unfinished_maintenance(tx, lock=True)
    if row is not None and row.ended_at is not None:
        raise FieldErrors(FieldError("maintenance", "clocks-shifting"))
    if row is None:
        maintenance.begin(tx)


def end(tx: Tx) -> None:
    """Start the clocks again as soon as they have been shifted, which workers do next."""
    row = maintenance.unfinished_maintenance(tx, lock=True)
    if row is not None and row.ended_at is None:
        maintenance.set_end(tx, row.id, max(tx.now, row.began_at))


def continue_since(tx: Tx, began_at: datetime) -> None:
    """Let the clocks count as stopped since this instant until now, whether or not they are stopped at present.

    No clocks may be in the middle of being shifted. Time that has been given back already is not given back again.
    """
    row = maintenance.unfinished_maintenance(tx, lock=True)
    if row is None:
        maintenance.begin(tx)
        row = maintenance.unfinished_maintenance(tx, lock=True)
    assert row is not None
    assert not row.last_game_id
    maintenance.extend(tx, row.id, began_at=min(row.began_at, began_at), ended_at=None)


def detect_outage(tx: Tx) -> bool:
    """Store that no worker has looked for deadlines for long, if so: they are to be shifted before anyone plays for others.

    Return False if it must be looked for again, after the clocks have been shifted that are shifted at present. Of several
    workers that begin at once only one finds the outage. What a maintenance covers counts once. It fails while the disk is
    full: the outage is not over.
    """
    heartbeats.use_disk(tx)
    last_sweep_at = heartbeats.lock_last_sweep(tx)
    if last_sweep_at is None:
        # The first worker of all: from now on deadlines are watched.
        heartbeats.record_sweep(tx, tx.now)
        return True
    is_recorded = not _is_outage(last_sweep_at, tx.now) or record_outage(
        tx, cause="server", began_at=last_sweep_at, ended_at=tx.now
    )
    if is_recorded:
        # Also if it lies in the future, because the clock of the database was ahead: it would hide the next outage.
        heartbeats.set_last_sweep(tx, tx.now)
    return is_recorded


def record_watch(tx: Tx, *, until: datetime) -> bool:
    """Store until when a worker has looked for deadlines, unless none could store that for so long that it is an outage.

    Then return False: `detect_outage` is to store it. Workers may have read all deadlines while the database took no changes,
    but no one could play.
    """
    if _is_outage(heartbeats.last_sweep(tx), until):
        return False
    processes.record_sweep(tx, swept_at=until)
    return True


def _is_outage(last_sweep_at: datetime | None, now: datetime) -> bool:
    return last_sweep_at is not None and now - last_sweep_at > SHORTEST_OUTAGE


def may_deadlines_run_out(tx: Tx) -> bool:
    """Return whether turns may be played for those who are late: workers have watched the deadlines, and no clocks are stopped."""
    return not (_is_outage(heartbeats.last_sweep(tx), tx.now) or are_clocks_stopped(tx))


def record_outage(tx: Tx, *, cause: OutageCause, began_at: datetime, ended_at: datetime) -> bool:
    """Store that an outage is over: workers move all deadlines by its length next, and none runs out before. Return False if it must be recorded later.

    It must while clocks are shifted after another outage or maintenance, or while a maintenance lasts that began after this outage.
    Time that has been given back already, or is too short, is not given back: then nothing is stored, and the answer is True.
    """
    row = maintenance.unfinished_maintenance(tx, lock=True)
    if row is None:
        _store_outage(tx, cause, began_at, ended_at)
        return True
    if row.last_game_id or not row.touches(began_at, ended_at):
        return False
    maintenance.extend(
        tx,
        row.id,
        began_at=min(row.began_at, began_at),
        ended_at=None if row.ended_at is None else max(row.ended_at, ended_at),
    )
    return True


def _store_outage(tx: Tx, cause: OutageCause, began_at: datetime, ended_at: datetime) -> None:
    """Store the outage, unless there is hardly any time in it for which all clocks have not been shifted already."""
    earlier_stops = maintenance.shifted_intervals(tx, began_at, ended_at)
    if uncovered_time(Interval(began_at, ended_at), earlier_stops) > SHORTEST_OUTAGE:
        maintenance.record_outage(tx, cause=cause, began_at=began_at, ended_at=ended_at)


def are_clocks_stopped(tx: Tx) -> bool:
    """Return whether no deadline may run out now: during maintenance, until all clocks have been shifted, and in a copy."""
    return maintenance.are_clocks_stopped(tx)


def shift_next_games(tx: Tx, *, limit: int = BATCH_SIZE) -> bool:
    """Shift the clocks of the next running games after the maintenance; return whether there are more games to shift."""
    row = maintenance.unfinished_maintenance(tx, lock=True)
    if row is None or row.ended_at is None:
        return False
    ids = maintenance.lock_next_games(tx, row, limit=limit)
    if ids:
        _shift_clocks(tx, row, ids)
        tx.after_commit.append(partial(log_effect, _log, "lost-time", shifted=len(ids)))
    if len(ids) == limit:
        return True
    maintenance.finish(tx, row.id)
    return False


def _shift_clocks(tx: Tx, row: MaintenanceRow, ids: list[int]) -> None:
    assert row.ended_at is not None
    games_by_id = games.find_many(tx, ids)
    switches_by_id = deadline_events.clock_switches(tx, ids)
    earlier_stops = maintenance.shifted_intervals(tx, row.began_at, row.ended_at)
    lost_times = {
        game_id: _lost_time(games_by_id[game_id], row, switches_by_id[game_id], earlier_stops)
        for game_id in ids
    }
    shifted_ids = [game_id for game_id in ids if lost_times[game_id]]
    # Reminders that were not sent name old deadlines, and are dropped: they are written again.
    unreminded_ids = pending_emails.games_with_unsent_reminder(tx, shifted_ids)
    updates = [
        ClockUpdate(
            games_by_id[game_id],
            games_by_id[game_id].clock.shift(
                lost_times[game_id],
                cause=row.cause,
                now=tx.now,
                is_reminder_unsent=game_id in unreminded_ids,
            ),
        )
        for game_id in shifted_ids
    ]
    clocks.write(tx, *updates)
    maintenance.record_progress(tx, row.id, last_id=ids[-1])
    pending_emails.discard_messages(tx, shifted_ids)
    events = [event for update in updates for event in update.change.events]
    _queue_emails(tx, row, events)


def _queue_emails(tx: Tx, row: MaintenanceRow, events: Sequence[ClockEvent]) -> None:
    """Queue one email about this maintenance for each person whose turn it is, however many games wait for them."""
    account_ids = sorted({event.account_id for event in events if event.account_id is not None})
    emails = [
        NewNotification(
            kind="deadlines-moved",
            game_id=None,
            account_id=account_id,
            dedup_key=row.id,
            due_at=tx.now + EMAIL_DELAY,
        )
        for account_id in account_ids
    ]
    outbox.enqueue(tx, emails)


def _lost_time(
    game: GameRow,
    row: MaintenanceRow,
    switches: Sequence[ClockSwitch],
    earlier_stops: Sequence[Interval],
) -> timedelta:
    """Return the playing time that the turn of a game lost.

    A game whose turn began during the maintenance lost only what was left of it, and one whose turn began afterwards lost
    nothing. A paused game lost what was before its pause; resuming it adds the rest.
    """
    return lost_time(
        row,
        switches,
        game.clock.calendar,
        started_at=game.turn_started_at or row.began_at,
        paused_at=game.paused_at,
        earlier_stops=earlier_stops,
    )


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
