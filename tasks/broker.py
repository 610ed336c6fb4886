"""Keep workers and beat running while the broker is away.

They reconnect every second, for ever, and workers start jobs themselves.

By default Celery retries at growing intervals of up to half a minute and gives up after a hundred attempts, so emails would
be sent late, or never, after Redis returns. A worker that loses Redis while it runs a task also tries to restore or
acknowledge its messages over the closed connection, and dies of the error. Neither is needed: beat repeats every nudge.

Beat sends something every two seconds, so a worker that gets nothing for longer has lost the broker, or beat, or the broker
takes no messages; or all its threads wait for a relay, and then it is right to watch deadlines all the same. Jobs find their
work in the database and may run twice at a time, so an unneeded start costs little.
"""

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, Final

from celery import Celery, bootsteps, signals
from celery.app.amqp import AMQP
from celery.worker import WorkController
from kombu import Connection

QUIET_SECONDS: Final = 10.0
"""How long the broker may bring nothing before the worker starts jobs itself."""
_CHECK_SECONDS: Final = 1.0
_THREAD_COUNT: Final = 4
_log = logging.getLogger(__name__)
_RETRY_OPTIONS: Final[Mapping[str, float]] = {
    "interval_start": 1,
    "interval_step": 1,
    "interval_max": 1,
}


class _ReconnectingConnection(Connection):
    def ensure_connection(self, *args: Any, **kwargs: Any) -> Connection:  # type: ignore[override] # noqa: ANN401 - the library's own
        """Connect, with an attempt every second unless the caller sets other intervals."""
        return super().ensure_connection(*args, **{**_RETRY_OPTIONS, **kwargs})

    def get_transport_cls(self) -> type:
        """Return the project's transport for Redis, and the library's for any other broker."""
        transport_class: type = super().get_transport_cls()
        if transport_class.__module__ != "kombu.transport.redis":
            return transport_class
        # A server without Redis does not load its client.
        from tasks.redis_transport import Transport

        return Transport


class ReconnectingAMQP(AMQP):
    """Makes a Celery application open its connections with the classes above."""

    Connection = _ReconnectingConnection


class OwnClock:
    """Says which jobs are due while the broker is silent; shared by the threads of a worker.

    ``seconds_by_job`` has the seconds between two starts of each job, and ``seconds`` returns the time, in seconds.
    """

    def __init__(
        self, seconds_by_job: Mapping[str, float], *, seconds: Callable[[], float] = monotonic
    ) -> None:
        self._seconds_by_job, self._seconds = seconds_by_job, seconds
        self._lock = Lock()
        self._message_at = seconds()
        self._started_at = dict.fromkeys(seconds_by_job, self._message_at)
        self._running: set[str] = set()
        self._is_silent = False

    def note_message(self) -> None:
        """Note that the broker has brought a job."""
        with self._lock:
            self._message_at = self._seconds()
            if self._is_silent:
                _log.info("The broker brings jobs again.")
            self._is_silent = False

    def start_due_jobs(self) -> list[str]:
        """Return the jobs that are to be started now; they count as running until ``note_end``."""
        with self._lock:
            now = self._seconds()
            if now - self._message_at < QUIET_SECONDS:
                return []
            if not self._is_silent:
                _log.warning(
                    "The broker has brought no job for %.0f seconds; this worker starts its jobs by its own clock.",
                    QUIET_SECONDS,
                )
            self._is_silent = True
            due_jobs = [
                job
                for job, seconds in self._seconds_by_job.items()
                if job not in self._running and now - self._started_at[job] >= seconds
            ]
            self._started_at.update(dict.fromkeys(due_jobs, now))
            self._running.update(due_jobs)
            return due_jobs

    def note_end(self, job: str) -> None:
        """Note that a job that was started has ended."""
        with self._lock:
            self._running.discard(job)


class OwnClockStep(bootsteps.StartStopStep):
    """Runs the clock in every worker, from before its first connection to the broker until it stops."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, worker: WorkController, **options: Any) -> None:  # noqa: ANN401 - the library's own
        super().__init__(worker, **options)
        celery: Celery = worker.app
        self._celery = celery
        self._clock = OwnClock(_seconds_by_job(celery))
        self._stop_event = Event()
        self._thread = Thread(target=self._run, name="own clock", daemon=True)

    def start(self, worker: WorkController) -> None:  # noqa: ARG002 - the library's own
        """Begin to watch the broker."""
        signals.task_received.connect(self._note_message)
        self._thread.start()

    def stop(self, worker: WorkController) -> None:  # noqa: ARG002 - the library's own
        """Start nothing more, and wait for what was started."""
        signals.task_received.disconnect(self._note_message)
        self._stop_event.set()
        self._thread.join()

    def terminate(self, worker: WorkController) -> None:
        """Stop: jobs end early once the process is to end."""
        self.stop(worker)

    def _note_message(self, **_: object) -> None:
        self._clock.note_message()

    def _run(self) -> None:
        with ThreadPoolExecutor(_THREAD_COUNT, thread_name_prefix="own clock") as executor:
            while not self._stop_event.wait(_CHECK_SECONDS):
                for job in self._clock.start_due_jobs():
                    executor.submit(self._run_job, job)

    def _run_job(self, job: str) -> None:
        try:
            # As the worker itself runs it: a failure is logged, not raised.
            self._celery.tasks[job].apply()
        finally:
            self._clock.note_end(job)


def _seconds_by_job(celery: Celery) -> dict[str, float]:
    """Return the jobs of this worker's queues, with the seconds between two starts."""
    routes, default_queue = celery.conf.task_routes, celery.conf.task_default_queue
    queues = celery.amqp.queues.consume_from
    return {
        entry["task"]: entry["schedule"]
        for entry in celery.conf.beat_schedule.values()
        if routes.get(entry["task"], {}).get("queue", default_queue) in queues
    }
