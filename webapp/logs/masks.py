"""Mask secrets in text that is logged or printed: those in the settings, and what looks like a token or a password."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote, urlsplit

if TYPE_CHECKING:
    from webapp.kernel.config import Settings

_HIDDEN_TEXT: Final = "[hidden]"
_MIN_SECRET_LENGTH: Final = 6
"""Masking a shorter password would hide parts of ordinary words, and it is easily guessed anyway."""
_SECRET_PATTERNS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # Anyone who has such an address can act as the player to whom it was sent, or look at a game that its players share.
        r"(/(?:sign-in/link|sign-in/not-me|account/address|invitations|club-invitations|seat-offers|appeals|shared|u|m)/)[^/\s\"'?#&<>]+",
        r"((?:[?&;]|%3F|%26)(?:key|token|code|csrf_token)=)[^&;\s\"'<>]+",
        r"(\b[a-z][a-z0-9+.-]*://[^\s:/@\"']*:)[^\s/\"']+(?=@)",
        r"((?i:bearer|basic)\s+)[\w.~+/=-]{8,}",
        r"((?i:\bcookie)['\"]?\s*[:=]\s*)[^\r\n]+",
        # Postgres quotes the row that it rejects.
        r"(\b(?:DETAIL|CONTEXT): +)[^\n]+",
    )
)
_EMAIL_ADDRESS: Final = re.compile(r"(?<![\w.%+/-])[\w.%+-]+@(?:[\w-]+\.)+[^\W\d_]{2,}")
"""An email address, but not the user of a URL."""


def secrets_of(settings: "Settings") -> frozenset[str]:
    """Return every secret in the settings, passwords both percent-encoded and decoded."""
    urls = (settings.database_url, settings.redis_url, settings.smtp_url, settings.imap_url)
    passwords = {urlsplit(url).password or "" for url in urls if url}
    decoded_passwords = {unquote(password) for password in passwords}
    keys = {
        settings.secret_key,
        *settings.old_secret_keys,
        settings.metrics_token,
        settings.email_webhook_secret,
    }
    return frozenset(passwords | decoded_passwords | keys) - {""}


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


class LogMask(Mask):
    """Also replaces email addresses: logs are kept by other rules than the database, and no one can delete from old ones."""

    def __call__(self, text: str) -> str:
        return _EMAIL_ADDRESS.sub(_HIDDEN_TEXT, super().__call__(text))
