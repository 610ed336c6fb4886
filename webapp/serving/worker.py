"""Run a Celery worker and the Celery scheduler (beat) as threads of this process."""

import threading
from contextlib import suppress

from celery import Celery
from celery.beat import Service
from celery.worker import WorkController, state

_HOSTNAME = "serve@localhost"
_THREAD_COUNT = 4
# One message that wakes the loop, and one that it may still process before it sees the flag.
_WAKE_MESSAGE_COUNT = 2
_STOP_TIMEOUT_SECONDS = 20.0


class WorkerThread(threading.Thread):
    """Runs tasks in a thread pool until ``stop`` is called; a process can have only one."""

    def __init__(self, celery: Celery) -> None:
        super().__init__(name="worker", daemon=True)
        self._celery = celery
        self._controller = WorkController(
            app=celery,
            hostname=_HOSTNAME,
            pool="threads",
            concurrency=_THREAD_COUNT,
            without_gossip=True,
            without_heartbeat=True,
            without_mingle=True,
        )

    def run(self) -> None:
        # The threads of the pool look up the current application, which is not set otherwise.
        self._celery.set_default()
        self._celery.set_current()
        self._controller.start()

    def stop(self) -> None:
        """Finish the running tasks; the others are found again after the next start."""
        # The worker's loop checks this flag, as after a signal; 0 is the exit status.
        state.should_stop = 0  # type: ignore[assignment]  # typed as None only
        for _ in range(_WAKE_MESSAGE_COUNT):
            self._wake_worker()
        self.join(_STOP_TIMEOUT_SECONDS)
        state.should_stop = None

    def _wake_worker(self) -> None:
        """Send the loop a message; otherwise it checks the flag only every two seconds."""
        with suppress(Exception):
            self._celery.control.broadcast("ping", destination=[_HOSTNAME])


class BeatThread(threading.Thread):
    """Sends the periodic tasks of the schedule until ``stop`` is called."""

    def __init__(self, celery: Celery) -> None:
        super().__init__(name="beat", daemon=True)
        self._celery = celery
        self._service = Service(celery, max_interval=1, scheduler_cls=celery.conf.beat_scheduler)

    def run(self) -> None:
        self._celery.set_current()
        self._service.start()

    def stop(self) -> None:
        self._service.stop()
        self.join(_STOP_TIMEOUT_SECONDS)
