"""The settings of the site as they are now: read from the database, and kept for a few seconds by each process."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from threading import Lock
from typing import Any, Final

import msgspec

from webapp.kernel.refusals import Unavailable
from webapp.kernel.site_settings import STORED_NAMES, SiteSettings
from webapp.kernel.tx import Database, Tx, read_only
from webapp.site.queries import settings

CACHE_LIFETIME: Final = timedelta(seconds=5)
"""How long a process may keep using settings that another one has changed."""


def read_settings(tx: Tx, defaults: SiteSettings) -> SiteSettings:
    """Return the settings in force: the stored ones, and defaults for the others."""
    return _merge_stored_values(defaults, settings.stored_values(tx))


def limit_of(tx: Tx, name: str) -> int:
    """Return one of the limits in force. The environment has no say in limits, so no defaults need to be given."""
    return int(getattr(read_settings(tx, SiteSettings()), name))


class SettingsCache:
    """The settings in force, as one process knows them; threads may share it.

    While the database does not answer, the last known settings stay in force, so that pages which need no database
    need none for their header either.
    """

    def __init__(
        self, database: Database, defaults: SiteSettings, now: Callable[[], datetime]
    ) -> None:
        self.defaults = defaults
        self._database = database
        self._now = now
        self._last_known_settings = defaults
        self._read_at: datetime | None = None
        self._lock = Lock()

    def current(self) -> SiteSettings:
        """Return the settings, read again if they are older than a few seconds."""
        if not self._is_fresh() and self._lock.acquire(blocking=self._read_at is None):
            try:
                self._refresh()
            finally:
                self._lock.release()
        return self._last_known_settings

    def invalidate(self) -> None:
        """Read the settings again at the next use: this process has changed them."""
        self._read_at = None

    def _is_fresh(self) -> bool:
        return self._read_at is not None and abs(self._now() - self._read_at) < CACHE_LIFETIME

    def _refresh(self) -> None:
        if self._is_fresh():
            return
        try:
            with read_only(self._database, self._now()) as tx:
                self._last_known_settings = read_settings(tx, self.defaults)
        except Unavailable:
            # Pages that need the database say so themselves.
            pass
        self._read_at = self._now()


def _merge_stored_values(defaults: SiteSettings, stored_values: Mapping[str, Any]) -> SiteSettings:
    """Return the defaults with the stored values; of a value from another release that is impossible now, the default."""
    merged_settings = defaults
    for name in STORED_NAMES:
        if name not in stored_values:
            continue
        try:
            fields = msgspec.structs.asdict(merged_settings) | {name: stored_values[name]}
            merged_settings = msgspec.convert(fields, SiteSettings)
        except msgspec.ValidationError:
            continue
    return merged_settings
