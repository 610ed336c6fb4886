"""Detection of names that a reader could confuse, based on the skeletons of Unicode Technical Standard 39."""

import unicodedata
from functools import cache
from typing import Final

_IGNORED_CATEGORIES: Final = "ZP"
"""Spaces and punctuation: a dot or a dash does not make two names different."""


def are_confusable(one: str, other: str) -> bool:
    """Return whether two names differ only in case, spaces, punctuation or similar letters (``Bob`` and ``B0b``)."""
    return not _skeletons(one).isdisjoint(_skeletons(other))


def _skeletons(name: str) -> frozenset[str]:
    # Case is folded before and after, because a capital I looks like a small l and a small i does not.
    return frozenset({_skeleton(name.casefold()), _skeleton(_skeleton(name).casefold())})


def _skeleton(text: str) -> str:
    prototypes = _prototypes()
    letters = unicodedata.normalize("NFKD", text)
    visible = "".join(letter for letter in letters if not _is_variation_selector(letter))
    # Translated twice: the prototype of one letter can be two letters, which have prototypes of their own.
    skeleton = unicodedata.normalize("NFKD", visible.translate(prototypes).translate(prototypes))
    return "".join(
        letter for letter in skeleton if unicodedata.category(letter)[0] not in _IGNORED_CATEGORIES
    )


def _is_variation_selector(letter: str) -> bool:
    return "VARIATION SELECTOR" in unicodedata.name(letter, "")


@cache
def _prototypes() -> dict[int, str]:
    """Return the prototype of each letter that looks like another one, by code point."""
    # Imported here because the table is large and only joining a table needs it.
    from confusable_homoglyphs.confusables import confusables_data

    confusables = {
        _without_direction_marks(letter): [_without_direction_marks(one["c"]) for one in others]
        for letter, others in confusables_data.items()
    }
    return {
        ord(letter): _prototype(letter, confusables) for letter in confusables if len(letter) == 1
    }


def _prototype(letter: str, confusables: dict[str, list[str]]) -> str:
    """Return the letter that represents all letters looking like this one.

    The library lists each group around one central letter: the central letter has several confusables, the others only the
    central one. In a group of two, the longer text represents both.
    """
    if len(confusables[letter]) > 1:
        return letter
    [other] = confusables[letter]
    if len(confusables[other]) > 1:
        return other
    return min(letter, other, key=lambda text: (-len(text), text))


def _without_direction_marks(text: str) -> str:
    """Remove the left-to-right marks that the library puts around letters written from right to left."""
    return text.strip("\u200e")
