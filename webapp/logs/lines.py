"""Log lines: one JSON object per line, or text on a terminal, with secrets masked in both."""

import json
import logging
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, TextIO

from webapp.logs.events import FIELDS_ATTRIBUTE
from webapp.logs.masks import LogMask, Mask
from webapp.logs.request_id import current_request_id

OWN_LOGGERS: Final = ("webapp", "tasks", "lodepost")
"""Their lines are logged from INFO on; those of libraries from WARNING on."""


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
