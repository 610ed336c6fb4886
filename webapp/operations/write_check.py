"""Whether the database takes changes: a small write, with a time limit that holds even if nothing answers.

A database that is read-only, or whose disk is full, answers every question and still loses every turn.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock, Thread
from typing import Final, Literal

import psycopg
from sqlalchemy.exc import ProgrammingError

from webapp.kernel.errors import Unavailable
from webapp.kernel.tx import Database, transaction
from webapp.operations.processes import record_web_process

WRITE_SECONDS: Final = 2.0
"""A write that takes longer counts as failed."""
_RESULT_MAX_AGE: Final = timedelta(seconds=1)
_NO_CHANGES_ERRORS: Final = (psycopg.errors.ReadOnlySqlTransaction, psycopg.errors.DiskFull)

DatabaseState = Literal["up", "takes no changes", "down"]


class WriteCheck:
    """Writes the heartbeat of this process when it is asked, at most once a second: several monitors share the answer."""

    def __init__(
        self,
        database: Database,
        instance: str,
        *,
        now: Callable[[], datetime],
        seconds: float = WRITE_SECONDS,
    ) -> None:
        self._database, self._instance = database, instance
        self._now, self._seconds = now, seconds
        self._lock = Lock()
        self._checked_at: datetime | None = None
        self._state: DatabaseState = "down"
        self._attempt: _Attempt | None = None

    def state(self) -> DatabaseState:
        """Return whether the database takes changes; it is ``down`` if that could not be found out in time."""
        with self._lock:
            now = self._now()
            if self._checked_at is None or abs(now - self._checked_at) >= _RESULT_MAX_AGE:
                self._state, self._checked_at = self._check(now), now
            return self._state

    def _check(self, now: datetime) -> DatabaseState:
        # A write that still waits for an answer has a thread of its own: there is never more than one.
        if self._attempt is None or not self._attempt.is_alive():
            self._attempt = _Attempt(self._database, self._instance, now)
            self._attempt.start()
        self._attempt.join(self._seconds)
        return "down" if self._attempt.is_alive() else self._attempt.state


class _Attempt(Thread):
    """One write, in a thread that the process does not wait for when it ends."""

    def __init__(self, database: Database, instance: str, now: datetime) -> None:
        super().__init__(name="write check", daemon=True)
        self._database, self._instance, self._time = database, instance, now
        self.state: DatabaseState = "down"

    def run(self) -> None:
        """Write, and keep what became of it."""
        try:
            with transaction(self._database, self._time) as tx:
                record_web_process(tx, self._instance, seconds=WRITE_SECONDS)
            self.state = "up"
        except Unavailable as problem:
            cause = getattr(problem.__cause__, "orig", problem.__cause__)
            self.state = "takes no changes" if isinstance(cause, _NO_CHANGES_ERRORS) else "down"
        except ProgrammingError:
            # The table is missing: other checks say that the schema is too old.
            self.state = "up"
