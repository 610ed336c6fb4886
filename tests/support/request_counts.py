"""Counts of requests that no limit forgets during a test: a slow machine may need more than a minute for the requests of a minute."""

from flask import Flask
from limits.storage import MemoryStorage

_SECONDS_OF_A_DAY = 24 * 60 * 60


class _LateExpirations(dict[str, float]):
    def __setitem__(self, key: str, expires_at: float) -> None:
        super().__setitem__(key, expires_at + _SECONDS_OF_A_DAY)


def keep_request_counts(app: Flask) -> None:
    """Let the counts of an application without Redis expire a day later than they would."""
    [limiter] = app.extensions["limiter"]
    assert isinstance(limiter.storage, MemoryStorage)
    limiter.storage.expirations = _LateExpirations()
