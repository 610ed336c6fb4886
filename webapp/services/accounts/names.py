"""Names that players choose: shown to everyone, so checked for anything that could mislead."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from webapp.services.accounts.confusable_characters import is_invisible, prototypes
from webapp.services.accounts.confusable_names import are_confusable
from webapp.services.errors import FieldError, FieldErrors

MAX_NAME_LENGTH: Final = 32
_MAX_COMBINING_MARKS: Final = 2
"""Combining marks allowed on one base character: enough for every language, too few to reach into the next line."""
_ALPHANUMERIC_CATEGORIES: Final = "LN"
_EMOJI_SELECTORS: Final = frozenset("\ufe0e\ufe0f")
"""Choose between the text and the colour form of an emoji; no other invisible character is part of a name."""
_KEYCAP: Final = "\u20e3"
"""The only enclosing mark in names: it makes an emoji of a digit. Others draw over the text around them."""
_SIGN_CATEGORIES: Final = "PS"
_BRACKET_CATEGORIES: Final = frozenset({"Ps", "Pe"})
"""Text in brackets after a name is written by the server only: ``Agate (bot)``."""

_LINK_PATTERN: Final = re.compile(r"[/@\\]|www\.|[^\s.]\.[^\W\d_]{2}|(\d+\.){3}\d")
"""A slash, an at sign, a word with a dot and another word right behind it, such as ``word.tld``, or an IP address."""
_IDEOGRAPHIC_FULL_STOP: Final = "\u3002"
"""Separates the labels of a domain like a dot (RFC 3490, section 3.1); so do its half-width and the full-width form."""


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
    compatible_name = unicodedata.normalize("NFKD", name).replace(_IDEOGRAPHIC_FULL_STOP, ".")
    # Without combining marks, because a dot may follow one, and a top-level domain may contain some.
    plain_name = "".join(
        _plain_punctuation(character)
        for character in compatible_name.lower()
        if unicodedata.category(character)[0] != "M"
    )
    return bool(_LINK_PATTERN.search(plain_name))


def _plain_punctuation(character: str) -> str:
    """Return the one sign that a sign looks like: a slash for a division slash. Other characters stay."""
    prototype = prototypes().get(ord(character), character)
    is_sign = unicodedata.category(character)[0] in _SIGN_CATEGORIES
    return prototype if is_sign and len(prototype) == 1 else character


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
        and not any(_hides_something(character) for character in name)
        and "m" * (_MAX_COMBINING_MARKS + 1) not in mark_pattern
    )


def _hides_something(character: str) -> bool:
    if unicodedata.category(character) == "Me":
        return character != _KEYCAP
    return is_invisible(character) and character not in _EMOJI_SELECTORS
