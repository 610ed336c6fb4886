"""Texts that are written from right to left reorder nothing around them: they stand between isolates (UAX 9)."""

import unicodedata
from typing import Final

ISOLATES: Final = "\N{FIRST STRONG ISOLATE}\N{POP DIRECTIONAL ISOLATE}"
"""What stands before and after such a text."""
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})


def isolated(text: str) -> str:
    """Return a name between isolates, if it is written from right to left and not between them already.

    Without them "A 5, B 2" is shown as "2 B ,5 A" if the names are Hebrew or Arabic, and no one can see who has what.
    """
    if text.isascii() or text.startswith(ISOLATES[0]):
        return text
    if any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text):
        return text.join(ISOLATES)
    return text
