"""Logging to standard error: text on a terminal, one JSON object per line elsewhere, with secrets masked in both."""

import json
import logging
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, TextIO
from urllib.parse import quote, unquote, urlsplit

from webapp.config import Settings

_HIDDEN_TEXT: Final = "[hidden]"
_MIN_SECRET_LENGTH: Final = 6
"""Masking a shorter password would hide parts of ordinary words, and it is easily guessed anyway."""
_SECRET_PATTERNS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # Anyone who has such an address can act as the player to whom it was sent.
        r"(/(?:sign-in/link|sign-in/not-me|invitations|club-invitations|seat-offers|appeals|u)/)[^/\s\"'?#&<>]+",
        r"((?:[?&;]|%3F|%26)(?:key|token|code|csrf_token)=)[^&;\s\"'<>]+",
        r"(\b[a-z][a-z0-9+.-]*://[^\s:/@\"']*:)[^\s/\"']+(?=@)",
        r"((?i:bearer|basic)\s+)[\w.~+/=-]{8,}",
        r"((?i:\bcookie)['\"]?\s*[:=]\s*)[^\r\n]+",
        # Postgres quotes the row that it rejects.
        r"(\b(?:DETAIL|CONTEXT): +)[^\n]+",
    )
)


def configure_logging(level: int, *, secrets: Iterable[str]) -> None:
    """Log records of at least this level to standard error; call it once per process."""
    logging.basicConfig(level=level, handlers=[masking_handler(sys.stderr, secrets=secrets)])
    # The security log is complete at every level.
    logging.getLogger("lodepost.security").setLevel(logging.INFO)


def masking_handler(stream: TextIO, *, secrets: Iterable[str]) -> logging.Handler:
    """Return a handler that writes records to the stream with these secrets masked."""
    handler = logging.StreamHandler(stream)
    mask = Mask(secrets)
    handler.setFormatter(_TextFormatter(mask) if stream.isatty() else _JsonFormatter(mask))
    return handler


def secrets_of(settings: Settings) -> frozenset[str]:
    """Return every secret in the settings, passwords both percent-encoded and decoded."""
    urls = (settings.database_url, settings.redis_url, settings.smtp_url)
    passwords = {urlsplit(url).password or "" for url in urls if url}
    decoded_passwords = {unquote(password) for password in passwords}
    return frozenset(
        passwords | decoded_passwords | {settings.secret_key, settings.metrics_token}
    ) - {""}


class Mask:
    """Replaces every secret in a text by a placeholder."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known_forms = {form for secret in secrets for form in (secret, quote(secret, safe=""))}
        # The longest first, because one secret may be part of another.
        secret_forms = sorted(
            (form for form in known_forms if len(form) >= _MIN_SECRET_LENGTH), key=len, reverse=True
        )
        self._known_pattern = (
            re.compile("|".join(map(re.escape, secret_forms))) if secret_forms else None
        )

    def __call__(self, text: str) -> str:
        if self._known_pattern is not None:
            text = self._known_pattern.sub(_HIDDEN_TEXT, text)
        for pattern in _SECRET_PATTERNS:
            text = pattern.sub(rf"\g<1>{_HIDDEN_TEXT}", text)
        return text


class _TextFormatter(logging.Formatter):
    def __init__(self, mask: Mask) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._mask = mask

    def format(self, record: logging.LogRecord) -> str:
        return self._mask(super().format(record))


class _JsonFormatter(logging.Formatter):
    """Writes the fields ``at`` (UTC), ``level``, ``logger``, ``message`` and, with an exception, ``error``."""

    def __init__(self, mask: Mask) -> None:
        super().__init__()
        self._mask = mask

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self._mask(record.getMessage()),
        }
        if record.exc_info:
            fields["error"] = self._mask(self.formatException(record.exc_info))
        return json.dumps(fields, ensure_ascii=False)
