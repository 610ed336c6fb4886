"""Leave out warnings that repeat: while Redis is away, every process would log the same line each second."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from webapp.logs.events import FIELDS_ATTRIBUTE

REPEATED_AFTER_SECONDS: Final = 60.0
"""The same line is logged again after so long, with the number of those that were left out."""
_COUNTING_LOGGERS: Final = ("celery", "kombu")
"""Their lines about one trouble contain the number of the attempt, so they are compared without it."""
_MAX_REMEMBERED_LINES: Final = 1000


class RepeatFilter(logging.Filter):
    """Passes the first of equal warnings and errors within a minute. Events and lines with a traceback always pass."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._seconds = seconds
        self._lock = threading.Lock()
        self._logged_at: dict[str, float] = {}
        self._left_out: dict[str, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        is_event = hasattr(record, FIELDS_ATTRIBUTE) or bool(record.exc_info)
        if is_event or record.levelno < logging.WARNING:
            return True
        line, now = _compared_text(record), self._seconds()
        with self._lock:
            logged_at = self._logged_at.get(line)
            if logged_at is not None and now - logged_at < REPEATED_AFTER_SECONDS:
                self._left_out[line] = self._left_out.get(line, 0) + 1
                return False
            if len(self._logged_at) >= _MAX_REMEMBERED_LINES:
                self._logged_at.clear()
                self._left_out.clear()
            self._logged_at[line] = now
            left_out = self._left_out.pop(line, 0)
        if left_out:
            setattr(record, FIELDS_ATTRIBUTE, {"left_out": left_out})
        return True


def _compared_text(record: logging.LogRecord) -> str:
    is_counting = record.name.partition(".")[0] in _COUNTING_LOGGERS
    text = str(record.msg) if is_counting else record.getMessage()
    return f"{record.name} {record.levelno} {text}"
