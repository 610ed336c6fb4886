"""At most so many at the same work, and none of those turned away came in vain."""

from collections.abc import Callable
from threading import Lock


class SenderLimit:
    """Lets ``places`` threads work at once. Whoever finds it full leaves a note, and somebody inside goes round once more."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._lock = Lock()
        self._inside = 0
        self._note = False

    def run(self, work: Callable[[], None]) -> None:
        """Do the work, again for every note that was left meanwhile; return at once where the place is taken."""
        if not self._enters():
            return
        try:
            work()
            while self._takes_note():
                work()
        finally:
            self._leaves()

    def _enters(self) -> bool:
        with self._lock:
            if self._inside == self._places:
                self._note = True
                return False
            self._inside += 1
            return True

    def _takes_note(self) -> bool:
        with self._lock:
            noted, self._note = self._note, False
            return noted

    def _leaves(self) -> None:
        with self._lock:
            self._inside -= 1
