"""Names that persons give themselves: shown to everybody, trusted by nobody."""

import unicodedata
from collections.abc import Iterable
from typing import Final

from webapp.services.accounts.lookalikes import look_alike
from webapp.services.errors import FieldError, FieldErrors

LONGEST_NAME: Final = 32
_MOST_MARKS: Final = 2
"""Marks that may stand on one letter: enough for every language, too few to climb over the next line."""
_LETTERS: Final = "LN"
_BLANKS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""What Unicode calls letters, marks and signs, and every font leaves blank."""
_BRACKETS: Final = frozenset({"Ps", "Pe"})
"""What stands in brackets behind a name is said by the server: ``Agate (bot)``."""


def cleaned_name(typed: str) -> str:
    """The name in normal form, with single spaces; what is wrong with it is for ``wrong_name`` to say."""
    return " ".join(unicodedata.normalize("NFC", typed).split())


def wrong_name(name: str) -> list[FieldError]:
    """What keeps a cleaned name from being used. Dots and dashes alone are as good as no name."""
    if not any(unicodedata.category(letter)[0] in _LETTERS for letter in name):
        return [FieldError("name", "required")]
    if len(name) > LONGEST_NAME:
        return [FieldError("name", "too-long", {"max": LONGEST_NAME})]
    if not _is_plain(name):
        return [FieldError("name", "control-characters")]
    if any(unicodedata.category(letter) in _BRACKETS for letter in name):
        return [FieldError("name", "brackets")]
    return []


def name_among(others: Iterable[str], wanted: str) -> str:
    """The name under which somebody joins these others, cleaned. Raises FieldErrors when it is wrong or looks like theirs."""
    name = cleaned_name(wanted)
    errors = wrong_name(name) or [
        FieldError("name", "taken", {"name": other}) for other in others if look_alike(name, other)
    ]
    if errors:
        raise FieldErrors(errors[0])
    return name


def _is_plain(name: str) -> bool:
    """Whether it holds nothing invisible and nothing that turns or covers the text around it."""
    marks = "".join("m" if unicodedata.category(letter)[0] == "M" else "-" for letter in name)
    return name.isprintable() and _BLANKS.isdisjoint(name) and "m" * (_MOST_MARKS + 1) not in marks
