"""What every page needs and receives from ``create_app``: the settings, the database, time, chance, the nudge.

Nudges after a commit. The database knows what must be done; a nudge only says that it can be done now.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from queue import SimpleQueue
from typing import Final, cast

from flask import Flask, current_app

from webapp.kernel.config import Settings
from webapp.kernel.keyring import Keyring, RandomBytes, TokenSource
from webapp.kernel.tx import (
    TASKS_BY_NUDGE,
    Database,
    Nudge,
    Tx,
    late_transaction,
    read_only,
    transaction,
)
from webapp.operations.processes import DatabaseTime, WriteCheck, database_time
from webapp.site.current_settings import SettingsCache

SendTask = Callable[[str], object]
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
                self._send(task)
            self._pause(_PAUSE_SECONDS)

    def _collect_tasks(self) -> set[str]:
        tasks = {self._queue.get()}
        self._pause(_COLLECTING_SECONDS)
        while not self._queue.empty():
            tasks.add(self._queue.get())
        return tasks

    def _send(self, task: str) -> None:
        try:
            self._send_task(task)
        except Exception as error:  # noqa: BLE001 - brokers raise many classes
            # Nothing is lost: beat starts every job every few seconds.
            _log.warning(
                "The broker did not accept a nudge for %s: %s.", task, type(error).__name__
            )


class UsedSessions:
    """The sessions whose use in the present minute this process has recorded.

    Not kept in the browser's cookie, because a client that repeats an old cookie would have every request recorded.
    """

    def __init__(self) -> None:
        self._minute = 0
        self._tokens: set[str] = set()

    def note(self, token: str, now: datetime) -> None:
        """Note that the use of a session was recorded, and forget those of earlier minutes."""
        if self._minute != _minute_of(now):
            self._minute, self._tokens = _minute_of(now), set()
        self._tokens.add(token)

    def is_noted(self, token: str, now: datetime) -> bool:
        return self._minute == _minute_of(now) and token in self._tokens


def _minute_of(instant: datetime) -> int:
    return int(instant.timestamp()) // 60


_EXTENSION_NAME: Final = "lodepost"


@dataclass(frozen=True, kw_only=True)
class AppContext:
    """The dependencies of one running application."""

    settings: Settings
    database: Database
    keys: Keyring
    tokens: RandomBytes
    now: Callable[[], datetime]
    database_time: DatabaseTime = database_time
    nudge: Callable[[Collection[Nudge]], None]
    """Tells workers after a commit what they can do at once; never waits, never fails."""
    site_settings: SettingsCache
    used_sessions: UsedSessions = field(default_factory=UsedSessions)
    write_check: WriteCheck
    """Tells monitoring whether the database takes changes."""
    icon: str
    """The address of the icon in the header and in the browser's tab."""
    dashboard_script: str
    """The address of the script that updates the moderators' list of games."""
    stepper_script: str
    """The address of the script that steps through a history with the arrow keys."""
    time_zone_script: str
    """The address of the script that fills in the browser's time zone for newcomers."""
    share_link_script: str
    """The address of the script that copies and shares links."""
    table_script: str
    """The address of the script that keeps the page of a game current."""
    passkey_script: str | None
    """The address of the script that asks the browser for passkeys; None at a bare network address, which has none."""

    def transaction(self) -> AbstractContextManager[Tx]:
        """Open a transaction in the present. Raises Unavailable."""
        return transaction(self.database, self.now(), tokens=self._token_source())

    def late_transaction(self) -> AbstractContextManager[Tx]:
        """Open a transaction that begins when something needs one, in the present. Raises Unavailable."""
        return late_transaction(self.database, self.now(), tokens=self._token_source())

    def read_only(self) -> AbstractContextManager[Tx]:
        """Read without a transaction, in the present. Raises Unavailable."""
        return read_only(self.database, self.now(), tokens=self._token_source())

    def _token_source(self) -> TokenSource:
        return TokenSource(self.keys, self.tokens)


def install_context(app: Flask, context: AppContext) -> None:
    """Make the context available to the pages of this application."""
    app.extensions[_EXTENSION_NAME] = context


def current_context() -> AppContext:
    """Return the context of the application that handles this request."""
    return cast("AppContext", current_app.extensions[_EXTENSION_NAME])
