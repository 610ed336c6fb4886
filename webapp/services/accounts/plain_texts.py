"""Longer texts that others read: descriptions, announcements and messages, checked like names for anything that could mislead."""

import re
import unicodedata
from typing import Final

from webapp.services.accounts.names import has_only_visible_characters
from webapp.services.errors import FieldError

_MOST_LINES: Final = 40
_EMOJI: Final = "\U0001f000-\U0001faff\u2190-\u2bff"
_EMOJI_JOINER: Final = re.compile(f"(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])")
"""Invisible, but within one emoji, such as that of a firefighter, it hides nothing."""


def plain_text_and_errors(
    field: str, typed_text: str, *, max_length: int
) -> tuple[str, list[FieldError]]:
    """Return a text of several lines, normalized, and why it cannot be used, if anything."""
    normalized = unicodedata.normalize("NFC", typed_text)
    lines = [" ".join(line.split()) for line in normalized.strip().splitlines()]
    return "\n".join(lines), _text_errors(field, lines, max_length)


def without_emoji_joiners(line: str) -> str:
    """Return a line without the invisible characters that make one emoji of several."""
    return _EMOJI_JOINER.sub("", line)


def _text_errors(field: str, lines: list[str], max_length: int) -> list[FieldError]:
    if len("\n".join(lines)) > max_length:
        return [FieldError(field, "too-long", {"max": max_length})]
    if len(lines) > _MOST_LINES:
        return [FieldError(field, "too-many-lines", {"max": _MOST_LINES})]
    if not all(map(has_only_visible_characters, map(without_emoji_joiners, lines))):
        return [FieldError(field, "not-plain-text")]
    return []
