"""The schedule (beat): it starts the jobs, and stores heartbeats, so that a second beat is noticed."""

import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from threading import Event, Thread
from typing import Any, Final

from celery import beat

from webapp.kernel.refusals import Unavailable
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database, transaction
from webapp.operations import processes
from webapp.operations.processes import DatabaseTime, clock_difference, database_time

HEARTBEAT_INTERVAL: Final = timedelta(seconds=10)
_STOP_TIMEOUT_SECONDS: Final = 5.0
_log = logging.getLogger(__name__)


class BeatHeartbeats:
    """Writes heartbeats in a thread of its own, so that the schedule waits neither for the database nor for Redis."""

    def __init__(
        self,
        open_database: Callable[[], Database],
        *,
        now: Callable[[], datetime] = utc_now,
        database_time: DatabaseTime = database_time,
        interval: timedelta = HEARTBEAT_INTERVAL,
    ) -> None:
        self._open_database = open_database
        self._now, self._database_time, self._interval = now, database_time, interval
        self._stop_event = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Begin to write heartbeats, unless that has begun."""
        if self._thread is None:
            self._thread = Thread(target=self._run, name="heartbeats of beat", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Remove the heartbeat: this beat is ending as it should. Waits a few seconds at most."""
        if self._thread is not None:
            self._stop_event.set()
            self._thread.join(_STOP_TIMEOUT_SECONDS)

    def _run(self) -> None:
        # Process ids alone are the same in all containers that share the network of their host.
        instance = f"{processes.instance_name()}:{secrets.token_hex(2)}"
        with self._open_database() as database:
            while not self._stop_event.is_set():
                self._write(database, instance)
                self._stop_event.wait(self._interval.total_seconds())
            with suppress(Unavailable), transaction(database, self._now()) as tx:
                processes.forget_beat(tx, instance)

    def _write(self, database: Database, instance: str) -> None:
        """Store the heartbeat in the time of the database, because that of another beat is compared with it."""
        try:
            with transaction(database, self._now()) as tx:
                difference = clock_difference(tx, self._now, self._database_time)
                processes.record_beat(tx.at(tx.now - difference), instance, clock_ahead=difference)
        except Unavailable:
            _log.debug("The database does not answer; the next heartbeat of beat follows.")
        except Exception as error:  # noqa: BLE001 - a missing table, for example; the next one may succeed
            _log.warning("The heartbeat of beat was not stored: %s.", type(error).__name__)


class VisibleScheduler(beat.Scheduler):
    """Starts the jobs, and stores heartbeats. It logs one line instead of two tracebacks if the broker does not accept a job."""

    def __init__(self, *args: Any, heartbeats: BeatHeartbeats, **kwargs: Any) -> None:  # noqa: ANN401 - the library's own
        self._heartbeats = heartbeats
        self._is_closed = False
        super().__init__(*args, **kwargs)

    def tick(self, *args: Any, **kwargs: Any) -> float:  # noqa: ANN401 - the library's own
        """Start the jobs that are due; the first time, begin to write heartbeats. Raises SystemExit once it is closed.

        Celery closes it in the handler of the signal to stop, and then raises SystemExit wherever the process is just then.
        That is lost if it is in a callback of a library.
        """
        if self._is_closed:
            raise SystemExit
        self._heartbeats.start()
        seconds: float = super().tick(*args, **kwargs)
        return seconds

    def apply_entry(self, entry: beat.ScheduleEntry, producer: Any = None) -> None:  # noqa: ANN401 - the library's own
        """Send one job. A failed start is not repeated: the next one follows in seconds."""
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except beat.SchedulingError as error:
            # The same line for every job, so that it is not repeated for each while the broker is away.
            _log.warning("The broker did not accept a job: %s", error.__context__ or error)

    def close(self) -> None:
        """End the schedule and remove its heartbeat."""
        self._is_closed = True
        self._heartbeats.stop()
        super().close()
