"""A limit on how many threads of a worker send emails at once."""

from collections.abc import Callable
from threading import Lock


class SenderLimit:
    """Lets ``limit`` threads work at once. A thread that is turned away makes one of them do another round."""

    def __init__(self, limit: int) -> None:
        self._max_running_count = limit
        self._lock = Lock()
        self._running_count = 0
        self._is_repeat_requested = False

    def run(self, work: Callable[[], None]) -> None:
        """Do the work, and again if another thread was turned away meanwhile; return at once at the limit."""
        if not self._try_to_enter():
            return
        try:
            work()
            while self._take_repeat_request():
                work()
        finally:
            self._end_run()

    def _try_to_enter(self) -> bool:
        with self._lock:
            if self._running_count == self._max_running_count:
                self._is_repeat_requested = True
                return False
            self._running_count += 1
            return True

    def _take_repeat_request(self) -> bool:
        with self._lock:
            is_requested, self._is_repeat_requested = self._is_repeat_requested, False
            return is_requested

    def _end_run(self) -> None:
        with self._lock:
            self._running_count -= 1
