"""Log lines: one JSON object per line, or text on a terminal, with secrets masked in both; warnings that repeat are left out."""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, TextIO

from webapp.logs.fields import FIELDS_ATTRIBUTE, current_request_id
from webapp.logs.masks import LogMask, Mask

OWN_LOGGERS: Final = ("webapp", "tasks", "lodepost")
"""Their lines are logged from INFO on; those of libraries from WARNING on."""
REPEATED_AFTER_SECONDS: Final = 60.0
"""The same line is logged again after so long, with the number of those that were left out."""
_COUNTING_LOGGERS: Final = ("celery", "kombu")
"""Their lines about one trouble contain the number of the attempt, so they are compared without it."""
_MAX_REMEMBERED_LINES: Final = 1000


def masking_handler(stream: TextIO, *, secrets: Iterable[str]) -> logging.Handler:
    """Return a handler that writes records to the stream with these secrets masked."""
    handler = logging.StreamHandler(stream)
    mask = LogMask(secrets)
    handler.setFormatter(_TextFormatter(mask) if stream.isatty() else _JsonFormatter(mask))
    return handler


def json_line(fields: Mapping[str, Any]) -> str:
    """Return one line of ASCII characters without a line break, whatever the fields contain."""
    return json.dumps(fields, ensure_ascii=True, default=str)


def utc_text(seconds: float) -> str:
    """Return an instant, in seconds since 1970, as lines have it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


class _TextFormatter(logging.Formatter):
    def __init__(self, mask: Mask) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._mask = mask

    def format(self, record: logging.LogRecord) -> str:
        return self._mask(super().format(record))


class _JsonFormatter(logging.Formatter):
    """Writes ``at`` (UTC), ``level``, ``logger``, ``message``, the fields of the event, ``request``, and ``error`` with an exception."""

    def __init__(self, mask: Mask) -> None:
        super().__init__()
        self._mask = mask

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "at": utc_text(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self._mask(record.getMessage()),
        }
        for name, value in getattr(record, FIELDS_ATTRIBUTE, {}).items():
            fields[name] = self._mask(value) if isinstance(value, str) else value
        if (request_id := current_request_id()) is not None:
            fields.setdefault("request", request_id)
        if record.exc_info:
            fields["error"] = self._mask(self.formatException(record.exc_info))
        return json_line(fields)


class RepeatFilter(logging.Filter):
    """Passes the first of equal warnings and errors within a minute: while Redis is away, every process repeats the same line.

    Events and lines with a traceback always pass.
    """

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
