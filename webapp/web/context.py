"""What every page needs and receives from ``create_app``: the settings, the database, time, chance, the nudge."""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, cast

from flask import Flask, current_app

from webapp.kernel.config import Settings
from webapp.kernel.keyring import Keyring, RandomBytes, TokenSource
from webapp.kernel.nudges import Nudge
from webapp.kernel.tx import Database, Tx, late_transaction, read_only, transaction
from webapp.operations.processes import DatabaseTime, WriteCheck, database_time
from webapp.site.current_settings import SettingsCache


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
