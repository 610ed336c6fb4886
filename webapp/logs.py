"""What the server writes down about itself: words in a terminal, one JSON object a line anywhere else, and no secret in either."""

import json
import logging
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, TextIO
from urllib.parse import quote, unquote, urlsplit

from webapp.config import Settings

_HIDDEN: Final = "[hidden]"
_SHORTEST: Final = 6
"""A shorter password would hide half of all words, and is soon guessed anyway."""
_PATTERNS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # Whoever has one of these addresses is taken for the person it was sent to.
        r"(/(?:sign-in/link|invitations|u)/)[^/\s\"'?#&<>]+",
        r"((?:[?&;]|%3F|%26)(?:key|token|code|csrf_token)=)[^&;\s\"'<>]+",
        r"(\b[a-z][a-z0-9+.-]*://[^\s:/@\"']*:)[^\s/\"']+(?=@)",
        r"((?i:bearer|basic)\s+)[\w.~+/=-]{8,}",
        r"((?i:\bcookie)['\"]?\s*[:=]\s*)[^\r\n]+",
        # Postgres quotes the row that it refuses.
        r"(\b(?:DETAIL|CONTEXT): +)[^\n]+",
    )
)


def keep_journal(level: int, *, secrets: Iterable[str]) -> None:
    """From now on write to standard error what is of at least this level; once a process."""
    logging.basicConfig(level=level, handlers=[writing_to(sys.stderr, secrets=secrets)])


def writing_to(stream: TextIO, *, secrets: Iterable[str]) -> logging.Handler:
    """What writes records there, each without these secrets."""
    target = logging.StreamHandler(stream)
    mask = Mask(secrets)
    target.setFormatter(_InWords(mask) if stream.isatty() else _AsJson(mask))
    return target


def secrets_of(settings: Settings) -> frozenset[str]:
    """Every secret of these settings, as it is written there and as it is meant."""
    urls = (settings.database_url, settings.redis_url, settings.smtp_url)
    passwords = {urlsplit(url).password or "" for url in urls if url}
    meant = {unquote(password) for password in passwords}
    return frozenset(passwords | meant | {settings.secret_key, settings.metrics_token}) - {""}


class Mask:
    """Puts a word in the place of every secret."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {form for secret in secrets for form in (secret, quote(secret, safe=""))}
        # The longest first: one may be a part of another.
        words = sorted((word for word in known if len(word) >= _SHORTEST), key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, words))) if words else None

    def __call__(self, text: str) -> str:
        if self._known is not None:
            text = self._known.sub(_HIDDEN, text)
        for pattern in _PATTERNS:
            text = pattern.sub(rf"\g<1>{_HIDDEN}", text)
        return text


class _InWords(logging.Formatter):
    def __init__(self, mask: Mask) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._mask = mask

    def format(self, record: logging.LogRecord) -> str:
        return self._mask(super().format(record))


class _AsJson(logging.Formatter):
    """The fields ``at`` (UTC), ``level``, ``logger``, ``message`` and, where there is one, ``error``."""

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
