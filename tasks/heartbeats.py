"""Heartbeats of this worker process: any job writes one, at most every 30 seconds."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Lock
from typing import Final

from msgspec.structs import replace

from webapp.kernel.tx import Database, Tx, transaction
from webapp.operations import maintenance, processes
from webapp.operations.maintenance import SHORTEST_OUTAGE
from webapp.operations.processes import instance_name, is_clock_difference_too_large
from webapp.operations.site_figures import NO_WORK

HEARTBEAT_INTERVAL: Final = timedelta(seconds=30)
SLOW_SWEEP_DURATION: Final = timedelta(seconds=5)
"""A sweep that takes longer is not over when the next one is due."""


class Heartbeats:
    """Counts the sweeps of all threads of a process, notes whether it plays bots, and writes its heartbeat when one is due."""

    def __init__(self, instance: str | None = None) -> None:
        self._instance = instance or instance_name()
        self._lock = Lock()
        self._written_at: datetime | None = None
        self._work = NO_WORK
        self._swept_at: datetime | None = None

    @contextmanager
    def counted_sweep(self, now: Callable[[], datetime]) -> Iterator[None]:
        """Count a sweep at its end."""
        began_at = now()
        yield
        is_slow = now() - began_at > SLOW_SWEEP_DURATION
        self._note(sweeps=1, slow_sweeps=int(is_slow))

    def note_task(self, *, has_failed: bool) -> None:
        """Count a task that has ended."""
        self._note(tasks_done=int(not has_failed), tasks_failed=int(has_failed))

    def note_sweep(self, at: datetime) -> None:
        """Note until when all deadlines were watched: the instant for which the sweep asked, not the one of the answer.

        In between the process may have stood still.
        """
        with self._lock:
            self._swept_at = at

    def forget_sweep(self) -> None:
        """Let the next sweep look for an outage."""
        with self._lock:
            self._swept_at = None

    def may_have_missed_sweeps(self, now: datetime) -> bool:
        """Return whether this process has not swept lately: it has just begun, stood still or could not reach the database."""
        with self._lock:
            return self._swept_at is None or abs(now - self._swept_at) > SHORTEST_OUTAGE

    def note_playing_bots(self) -> None:
        """Note that this process plays bots."""
        self._note(has_looked_for_bots=True)

    def write_if_due(
        self,
        database: Database,
        *,
        now: datetime,
        clock_difference: Callable[[Tx], timedelta],
    ) -> None:
        """Write a heartbeat, if the last one is old enough. Counts that cannot be written are lost. Raises Unavailable.

        It says when the database's clock was read, and how far this one was from it if that is too far; and when deadlines were
        last looked for, unless that is so long after what was stored before that the next sweep is to look for an outage.
        """
        with self._lock:
            if self._written_at is not None and abs(now - self._written_at) < HEARTBEAT_INTERVAL:
                return
            self._written_at = now
            work, self._work = self._work, NO_WORK
            # A clock that was ahead and has been set back noted an instant that is still to come.
            swept_at = None if self._swept_at is None or self._swept_at > now else self._swept_at
        with transaction(database, now) as tx:
            difference = clock_difference(tx)
            is_clock_wrong = is_clock_difference_too_large(difference)
            processes.record_heartbeat(
                tx.at(now - difference if is_clock_wrong else now),
                self._instance,
                work=replace(work, sweeps=0, slow_sweeps=0) if is_clock_wrong else work,
                clock_ahead=difference,
            )
            is_watch_unbroken = (
                swept_at is None or is_clock_wrong or maintenance.record_watch(tx, until=swept_at)
            )
            if is_clock_wrong:
                processes.record_wrong_clock(tx, self._instance, clock_ahead=difference)
        if not is_watch_unbroken:
            self.forget_sweep()

    def end(self, tx: Tx) -> None:
        """Remove the heartbeat: this process is ending as it should."""
        processes.forget_worker(tx, self._instance)

    def _note(self, *, has_looked_for_bots: bool = False, **counts: int) -> None:
        with self._lock:
            sums = {name: getattr(self._work, name) + count for name, count in counts.items()}
            has_looked_for_bots = has_looked_for_bots or self._work.has_looked_for_bots
            self._work = replace(self._work, has_looked_for_bots=has_looked_for_bots, **sums)
