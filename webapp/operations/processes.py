"""Which processes of the server are running, as their heartbeats show, and whether their clocks are right.

Heartbeats are rows, so a second beat is noticed without Redis. A beat that was last seen before another one started was
replaced by it, and is no second one. The clock of the database decides for all processes.

Whether the database takes changes: a small write, with a time limit that holds even if nothing answers.

A database that is read-only, or whose disk is full, answers every question and still loses every turn.
"""

import os
import socket
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from threading import Lock, Thread
from typing import Final, Literal, TypeAlias

import msgspec
import psycopg
from sqlalchemy.exc import ProgrammingError

from webapp.kernel.refusals import Unavailable
from webapp.kernel.tx import Database, Tx, transaction
from webapp.operations.queries import health_samples, heartbeats
from webapp.operations.queries.heartbeats import (
    BEAT_PART,
    BOTS_PART,
    SCHEDULE_PART,
    WEB_PART,
    WORKER_PART,
    LastSeen,
)
from webapp.operations.site_figures import NO_WORK, WorkReport, count_work

SeenProcess: TypeAlias = LastSeen
"""A worker or a beat, when it was last seen, and its clock."""
WORKER_SILENT_AFTER: Final = timedelta(minutes=2)
"""A worker writes a heartbeat every 30 seconds; one that has been silent for longer than this is not running."""
KILLED_WORKER_LISTED_FOR: Final = timedelta(minutes=10)
"""A worker that has been silent for longer is listed only while no other is running: it was killed and replaced."""
BOTS_NOTED_AFTER: Final = timedelta(minutes=1)
"""A worker that plays bots says so in its second heartbeat, before this time."""
BEAT_SILENT_AFTER: Final = timedelta(seconds=45)
"""A beat writes one every 10 seconds. Shorter than for a worker, because a killed beat must not count as a second one for long."""
DatabaseTime: TypeAlias = Callable[[Tx], datetime]
"""Return the current time of the database."""
MAX_CLOCK_DIFFERENCE: Final = timedelta(seconds=30)
"""A process whose clock differs by more plays no turn, sends no email and deletes nothing."""


class ProcessStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Which workers and beats are running, and which workers have not been seen for too long."""

    running_workers: tuple[LastSeen, ...]
    silent_workers: tuple[LastSeen, ...]
    """The last seen first."""
    running_beats: tuple[LastSeen, ...]
    """Exactly one should be: each starts every task."""
    worker_seen_at: datetime | None
    beat_seen_at: datetime | None
    swept_at: datetime | None
    """When a worker last looked for deadlines, which only a beat starts."""
    bots_seen_at: datetime | None
    """When a worker last looked for bots on turn."""

    def lacks_bots(self, now: datetime) -> bool:
        """Return whether no worker plays bots, although one has been running for long enough to say that it does."""
        if self.bots_seen_at is not None and now - self.bots_seen_at <= WORKER_SILENT_AFTER:
            return False
        return any(
            worker.started_at is None or now - worker.started_at > BOTS_NOTED_AFTER
            for worker in self.running_workers
        )

    @property
    def wrong_clocks(self) -> tuple[LastSeen, ...]:
        """The running workers whose clocks are wrong: they do nothing."""
        return tuple(filter(_has_wrong_clock, self.running_workers))

    @property
    def beats_with_wrong_clock(self) -> tuple[LastSeen, ...]:
        """The running beats whose clocks are wrong: what they start counts as expired, or never expires."""
        return tuple(filter(_has_wrong_clock, self.running_beats))


def process_status(tx: Tx) -> ProcessStatus:
    """Return which processes are running. One statement."""
    rows = heartbeats.all_heartbeats(tx)
    workers = [row for row in rows if row.part == WORKER_PART]
    beats = [row for row in rows if row.part == BEAT_PART]
    running_workers = tuple(row for row in workers if tx.now - row.at <= WORKER_SILENT_AFTER)
    return ProcessStatus(
        running_workers=running_workers,
        silent_workers=tuple(
            row
            for row in workers
            if tx.now - row.at > WORKER_SILENT_AFTER
            and (not running_workers or tx.now - row.at <= KILLED_WORKER_LISTED_FOR)
        ),
        running_beats=tuple(
            beat
            for beat in beats
            if tx.now - beat.at <= BEAT_SILENT_AFTER and not _is_replaced(beat, beats)
        ),
        worker_seen_at=_newest_seen_at(rows, WORKER_PART),
        beat_seen_at=_newest_seen_at(rows, BEAT_PART),
        swept_at=_newest_seen_at(rows, SCHEDULE_PART),
        bots_seen_at=_newest_seen_at(rows, BOTS_PART),
    )


def database_time(tx: Tx) -> datetime:
    """Return the current time of the database machine. One statement that reads no table."""
    return health_samples.database_clock(tx)


def clock_difference(tx: Tx, now: Callable[[], datetime], database_time: DatabaseTime) -> timedelta:
    """Return by how much the clock ``now`` is ahead of the database's; negative if it is behind.

    The time that the question takes does not count as a difference.
    """
    time_before = now()
    time_at_database = database_time(tx)
    return (
        time_before - time_at_database
        if time_before > time_at_database
        else min(now() - time_at_database, timedelta(0))
    )


def is_clock_difference_too_large(difference: timedelta) -> bool:
    """Return whether a process with such a clock must not act."""
    return abs(difference) > MAX_CLOCK_DIFFERENCE


def instance_name() -> str:
    """Return the name under which this process is listed."""
    return f"{socket.gethostname()}:{os.getpid()}"


def is_on_this_host(instance: str) -> bool:
    """Return whether a process of this name runs on this machine or in this container."""
    return instance.startswith(f"{socket.gethostname()}:")


def record_heartbeat(
    tx: Tx,
    instance: str,
    *,
    work: WorkReport = NO_WORK,
    clock_ahead: timedelta = timedelta(0),
) -> None:
    """Store that a worker is running, and what it did since its last heartbeat; fail if the disk of the database is full."""
    heartbeats.use_disk(tx)
    last_seen_rows = [LastSeen(WORKER_PART, instance, tx.now, clock_ahead, started_at=tx.now)]
    if work.has_looked_for_bots:
        last_seen_rows.append(LastSeen(BOTS_PART, "", tx.now))
    if work.sweeps:
        health_samples.add_sweeps_to_sample(
            tx,
            sample_start=health_samples.sample_start_at(tx.now),
            sweep_count=work.sweeps,
            slow_sweep_count=work.slow_sweeps,
        )
    heartbeats.record(tx, last_seen_rows)
    count_work(tx, work)


def record_sweep(tx: Tx, *, swept_at: datetime) -> None:
    """Store when a worker last looked for deadlines. Only the schedule starts a sweep, so this shows that it is running too."""
    heartbeats.record_sweep(tx, swept_at)


def record_beat(tx: Tx, instance: str, *, clock_ahead: timedelta) -> None:
    """Store that a beat is running at ``now``, in the time of the database, and how far its clock is ahead of that."""
    last_seen = LastSeen(BEAT_PART, instance, tx.now, clock_ahead, started_at=tx.now)
    heartbeats.record(tx, [last_seen])


def record_wrong_clock(tx: Tx, instance: str, *, clock_ahead: timedelta) -> None:
    """Store how far the clock of a worker is ahead of the database's, after its heartbeat."""
    heartbeats.record_wrong_clock(tx, instance=instance, clock_ahead=clock_ahead)


def _record_web_process(tx: Tx, instance: str, *, seconds: float) -> None:
    """Store that a web process is running; fail if a statement takes longer than these seconds, or the disk is full."""
    heartbeats.limit_waiting(tx, seconds=seconds)
    heartbeats.use_disk(tx)
    heartbeats.rewrite(tx, LastSeen(WEB_PART, instance, tx.now))


def forget_worker(tx: Tx, instance: str) -> None:
    """Remove the heartbeat of a worker that ends properly."""
    heartbeats.remove_heartbeat(tx, part=WORKER_PART, instance=instance)


def forget_beat(tx: Tx, instance: str) -> None:
    """Remove the heartbeat of a beat that ends properly."""
    heartbeats.remove_heartbeat(tx, part=BEAT_PART, instance=instance)


def _is_replaced(beat: LastSeen, beats: Sequence[LastSeen]) -> bool:
    """Return whether another beat has started since this one was last seen: it was killed and started again."""
    return any(other.started_at is not None and other.started_at > beat.at for other in beats)


def _has_wrong_clock(row: LastSeen) -> bool:
    return is_clock_difference_too_large(row.clock_ahead)


def _newest_seen_at(rows: Sequence[LastSeen], part: str) -> datetime | None:
    return max((row.at for row in rows if row.part == part), default=None)


WRITE_SECONDS: Final = 2.0
"""A write that takes longer counts as failed."""
_RESULT_MAX_AGE: Final = timedelta(seconds=1)
_NO_CHANGES_ERRORS: Final = (psycopg.errors.ReadOnlySqlTransaction, psycopg.errors.DiskFull)

DatabaseState = Literal["up", "takes no changes", "down"]


class WriteCheck:
    """Writes the heartbeat of this process when it is asked, at most once a second: several monitors share the answer."""

    def __init__(
        self,
        database: Database,
        instance: str,
        *,
        now: Callable[[], datetime],
        seconds: float = WRITE_SECONDS,
    ) -> None:
        self._database, self._instance = database, instance
        self._now, self._seconds = now, seconds
        self._lock = Lock()
        self._checked_at: datetime | None = None
        self._state: DatabaseState = "down"
        self._attempt: _Attempt | None = None

    def state(self) -> DatabaseState:
        """Return whether the database takes changes; it is ``down`` if that could not be found out in time."""
        with self._lock:
            now = self._now()
            if self._checked_at is None or abs(now - self._checked_at) >= _RESULT_MAX_AGE:
                self._state, self._checked_at = self._check(now), now
            return self._state

    def _check(self, now: datetime) -> DatabaseState:
        # A write that still waits for an answer has a thread of its own: there is never more than one.
        if self._attempt is None or not self._attempt.is_alive():
            self._attempt = _Attempt(self._database, self._instance, now, self._seconds)
            self._attempt.start()
        self._attempt.join(self._seconds)
        return "down" if self._attempt.is_alive() else self._attempt.state


class _Attempt(Thread):
    """One write, in a thread that the process does not wait for when it ends."""

    def __init__(self, database: Database, instance: str, now: datetime, seconds: float) -> None:
        super().__init__(name="write check", daemon=True)
        self._database, self._instance, self._time = database, instance, now
        self._seconds = seconds
        self.state: DatabaseState = "down"

    def run(self) -> None:
        """Write, and keep what became of it."""
        try:
            with transaction(self._database, self._time) as tx:
                _record_web_process(tx, self._instance, seconds=self._seconds)
            self.state = "up"
        except Unavailable as problem:
            cause = getattr(problem.__cause__, "orig", problem.__cause__)
            self.state = "takes no changes" if isinstance(cause, _NO_CHANGES_ERRORS) else "down"
        except ProgrammingError:
            # The table is missing: other checks say that the schema is too old.
            self.state = "up"
