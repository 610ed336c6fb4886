"""The nudge after a commit. What must be done stands in the database; this only says that it may be done at once."""

import logging
import threading
import time
from collections.abc import Callable, Collection
from queue import SimpleQueue
from typing import Final

from webapp.services.tx import Nudge

SendTask = Callable[[str], object]

_TASKS: Final[dict[Nudge, str]] = {"emails": "tasks.delivery.deliver", "bots": "tasks.bots.play"}
_GATHERING: Final = 0.01
"""Seconds for which a nudge waits for others that follow at once."""
_RESTING: Final = 0.1
"""Seconds between one nudge and the next: to tell a broker costs as much as half a turn, and in a crowd it was a fifth of all work."""
_log = logging.getLogger(__name__)


class Nudger:
    """Sends nudges from a thread of its own, so that a broker that hangs holds up no page.

    Those that come close together go as one, for whoever is nudged looks for all that there is to do. The thread
    starts with the first nudge: a server that forks has its workers by then.
    """

    def __init__(self, send_task: SendTask) -> None:
        self._send_task = send_task
        self._waiting: SimpleQueue[str] = SimpleQueue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def __call__(self, nudges: Collection[Nudge]) -> None:
        """Pass these nudges on; returns at once, whatever becomes of them."""
        for nudge in nudges:
            self._waiting.put(_TASKS[nudge])
        if nudges and self._thread is None:
            self._start()

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._send_all, name="nudges", daemon=True)
                self._thread.start()

    def _send_all(self) -> None:
        while True:
            for name in sorted(self._gathered()):
                self._send(name)
            time.sleep(_RESTING)

    def _gathered(self) -> set[str]:
        names = {self._waiting.get()}
        time.sleep(_GATHERING)
        while not self._waiting.empty():
            names.add(self._waiting.get())
        return names

    def _send(self, name: str) -> None:
        try:
            self._send_task(name)
        except Exception as problem:  # noqa: BLE001 - brokers raise what they like
            # Nothing is lost: the clock looks for owed letters and waiting bots every few seconds.
            _log.warning("The broker took no nudge for %s: %s.", name, type(problem).__name__)
