"""A Celery worker and its clock as threads of this process, for a server without Redis."""

import threading
from contextlib import suppress

from celery import Celery
from celery.beat import Scheduler, Service
from celery.worker import WorkController, state

_HOSTNAME = "serve@localhost"
_THREADS = 4
# One to see that it must stop, and one that it takes all the same.
_TURNS_OF_THE_LOOP = 2
_LAST_TASKS = 20.0


class WorkerThread(threading.Thread):
    """Runs tasks in a pool of threads until `stop`; only one can exist in a process."""

    def __init__(self, celery: Celery) -> None:
        super().__init__(name="worker", daemon=True)
        self._celery = celery
        self._controller = WorkController(
            app=celery,
            hostname=_HOSTNAME,
            pool="threads",
            concurrency=_THREADS,
            without_gossip=True,
            without_heartbeat=True,
            without_mingle=True,
        )

    def run(self) -> None:
        # The threads of the pool ask which application is in force, and are told by nobody else.
        self._celery.set_default()
        self._celery.set_current()
        self._controller.start()

    def stop(self) -> None:
        """Finish the tasks that run; the others are swept up by the next start."""
        # The worker's own loop looks here, as it does after a signal; 0 is the exit status.
        state.should_stop = 0  # type: ignore[assignment]  # the types know None only
        for _ in range(_TURNS_OF_THE_LOOP):
            self._wake()
        self.join(_LAST_TASKS)
        state.should_stop = None

    def _wake(self) -> None:
        """Give the loop something to look up for; it would do so every two seconds otherwise."""
        with suppress(Exception):
            self._celery.control.broadcast("ping", destination=[_HOSTNAME])


class BeatThread(threading.Thread):
    """Sends the periodic tasks of the schedule until `stop`."""

    def __init__(self, celery: Celery) -> None:
        super().__init__(name="beat", daemon=True)
        self._celery = celery
        # What is due is written in the database; the clock itself has nothing to remember.
        self._service = Service(celery, max_interval=1, scheduler_cls=Scheduler)

    def run(self) -> None:
        self._celery.set_current()
        self._service.start()

    def stop(self) -> None:
        self._service.stop()
        self.join(_LAST_TASKS)
