"""What every page needs and receives from ``create_app``: the settings, the database, time, chance, the nudge."""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Final, cast

from flask import Flask, current_app

from webapp.kernel.config import Settings
from webapp.kernel.keyring import Keyring, RandomBytes, TokenSource
from webapp.kernel.tx import Database, Nudge, Tx, read_only, transaction
from webapp.operations.processes import DatabaseTime, WriteCheck, database_time
from webapp.site.current_settings import SettingsCache

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
    table_script: str
    """The address of the script that keeps the page of a game current."""
    passkey_script: str | None
    """The address of the script that asks the browser for passkeys; None at a bare network address, which has none."""

    def transaction(self) -> AbstractContextManager[Tx]:
        """Open a transaction in the present. Raises Unavailable."""
        return transaction(self.database, self.now(), tokens=self._token_source())

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
