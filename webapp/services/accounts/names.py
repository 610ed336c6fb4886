"""Names that players choose: shown to everyone, so checked for anything that could mislead."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from webapp.services.accounts.confusable_names import are_confusable
from webapp.services.errors import FieldError, FieldErrors

MAX_NAME_LENGTH: Final = 32
_MAX_COMBINING_MARKS: Final = 2
"""Combining marks allowed on one base character: enough for every language, too few to reach into the next line."""
_ALPHANUMERIC_CATEGORIES: Final = "LN"
_BLANK_CHARACTERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that Unicode classifies as visible and every font leaves blank."""
_BRACKET_CATEGORIES: Final = frozenset({"Ps", "Pe"})
"""Text in brackets after a name is written by the server only: ``Agate (bot)``."""

_LINK_PATTERN: Final = re.compile(r"[/@\\]|www\.|[^\W_]\.[^\W\d_]{2,}")
"""A slash, an at sign, or a word with a dot and another word right behind it, such as ``word.tld``."""


def normalize_name(typed_name: str) -> str:
    """Return the typed name in Unicode normal form C with single spaces; ``name_errors`` checks the result."""
    return " ".join(unicodedata.normalize("NFC", typed_name).split())


def name_errors(name: str, *, max_length: int = MAX_NAME_LENGTH) -> list[FieldError]:
    """Return why a normalized name cannot be used, if anything. A name needs more than punctuation."""
    if not any(
        unicodedata.category(character)[0] in _ALPHANUMERIC_CATEGORIES for character in name
    ):
        return [FieldError("name", "required")]
    if len(name) > max_length:
        return [FieldError("name", "too-long", {"max": max_length})]
    if not has_only_visible_characters(name):
        return [FieldError("name", "control-characters")]
    if any(unicodedata.category(character) in _BRACKET_CATEGORIES for character in name):
        return [FieldError("name", "brackets")]
    if _looks_like_address(name):
        return [FieldError("name", "link")]
    return []


def _looks_like_address(name: str) -> bool:
    """Return whether mail programs could show a part of the name as a link: it is in the subjects of invitations."""
    plain_name = unicodedata.normalize("NFKC", name).replace("\u3002", ".").lower()
    return bool(_LINK_PATTERN.search(plain_name))


def checked_name(typed_name: str, others: Iterable[str]) -> str:
    """Return the typed name, normalized. Raises FieldErrors if it is not allowed or confusable with another name."""
    name = normalize_name(typed_name)
    errors = name_errors(name) or [
        FieldError("name", "taken", {"name": other})
        for other in others
        if are_confusable(name, other)
    ]
    if errors:
        raise FieldErrors(errors[0])
    return name


def has_only_visible_characters(name: str) -> bool:
    """Return whether no character is invisible, reorders the text around it or covers it."""
    mark_pattern = "".join(
        "m" if unicodedata.category(character)[0] == "M" else "-" for character in name
    )
    return (
        name.isprintable()
        and _BLANK_CHARACTERS.isdisjoint(name)
        and "m" * (_MAX_COMBINING_MARKS + 1) not in mark_pattern
    )
