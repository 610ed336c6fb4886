"""When simulated people play: those of one game, or all, can rest for a while; in the end all stop."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

_MAX_STEP_SECONDS = 300.0


class Attendance:
    """Shared by the threads of all players."""

    def __init__(self) -> None:
        self._stop_event = threading.Event()
        self._condition = threading.Condition()
        self._resting_slugs: set[str] = set()
        self._are_all_resting = False
        self._busy_counts: Counter[str] = Counter()

    def wait(self, seconds: float) -> bool:
        """Wait; return whether all players are to stop."""
        return self._stop_event.wait(seconds)

    def stop(self) -> None:
        """Let all players stop after their present step."""
        self._stop_event.set()

    def is_resting(self, slug: str) -> bool:
        return self._are_all_resting or slug in self._resting_slugs

    @contextmanager
    def step(self, slug: str) -> Iterator[bool]:
        """Yield whether a player of this game may do something now."""
        with self._condition:
            may_play = not self.is_resting(slug)
            self._busy_counts[slug] += may_play
        try:
            yield may_play
        finally:
            with self._condition:
                self._busy_counts[slug] -= may_play
                self._condition.notify_all()

    def let_rest(self, slug: str | None = None) -> None:
        """Let the players of a game rest, or all; return when none of them does anything any more."""
        with self._condition:
            if slug is None:
                self._are_all_resting = True
            else:
                self._resting_slugs.add(slug)
            self._condition.wait_for(lambda: not self._is_busy(slug), timeout=_MAX_STEP_SECONDS)

    def resume(self) -> None:
        """Let all players play."""
        with self._condition:
            self._are_all_resting = False
            self._resting_slugs.clear()

    def _is_busy(self, slug: str | None) -> bool:
        return bool(self._busy_counts.total() if slug is None else self._busy_counts[slug])
