"""Nudges after a commit. The database knows what must be done; a nudge only tells workers that it can be done now."""

import logging
import threading
import time
from collections.abc import Callable, Collection
from queue import SimpleQueue
from typing import Final, Literal, TypeAlias

Nudge: TypeAlias = Literal["emails", "bots", "replies"]
"""The workers that may have something to do after a commit."""
TASKS_BY_NUDGE: Final[dict[Nudge, str]] = {
    "emails": "tasks.delivery.deliver",
    "bots": "tasks.bot_turns.play_bots",
    "replies": "tasks.replies.read_replies",
}
"""The task that a nudge starts, by name: webapp does not import tasks."""
SendTask: TypeAlias = Callable[[str], object]
"""Sends a task by name; raises if the broker does not accept it."""
_COLLECTING_SECONDS: Final = 0.01
"""Seconds for which a nudge waits for others that follow at once."""
_PAUSE_SECONDS: Final = 0.1
"""Seconds between two rounds: a message to a broker costs as much as half a turn, and under load was a fifth of all work."""
_log = logging.getLogger(__name__)


class Nudger:
    """Sends nudges from its own thread, so that a hanging broker delays no page.

    Equal nudges that come close together are sent once, because a nudged worker does all the work there is. The thread
    starts with the first nudge: by then a forking server has its workers.
    """

    def __init__(
        self, send_task: SendTask, *, pause: Callable[[float], object] = time.sleep
    ) -> None:
        self._send_task = send_task
        self._pause = pause
        self._queue: SimpleQueue[str] = SimpleQueue()
        self._starting_lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def __call__(self, nudges: Collection[Nudge]) -> None:
        """Queue these nudges; return at once, whether or not the broker accepts them."""
        for nudge in nudges:
            self._queue.put(TASKS_BY_NUDGE[nudge])
        if nudges and self._thread is None:
            self._start_thread()

    def _start_thread(self) -> None:
        with self._starting_lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._send_all, name="nudges", daemon=True)
                self._thread.start()

    def _send_all(self) -> None:
        while True:
            for task in sorted(self._collect_tasks()):
                send_quietly(self._send_task, task)
            self._pause(_PAUSE_SECONDS)

    def _collect_tasks(self) -> set[str]:
        tasks = {self._queue.get()}
        self._pause(_COLLECTING_SECONDS)
        while not self._queue.empty():
            tasks.add(self._queue.get())
        return tasks


def send_quietly(send_task: SendTask, task: str) -> None:
    """Send a task; only log it if the broker does not accept it."""
    try:
        send_task(task)
    except Exception as error:  # noqa: BLE001 - brokers raise many classes
        # Nothing is lost: beat starts every job every few seconds.
        _log.warning("The broker did not accept a nudge for %s: %s.", task, type(error).__name__)
