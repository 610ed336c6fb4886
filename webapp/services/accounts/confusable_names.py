"""Detection of names that a reader could confuse, based on the skeletons of Unicode Technical Standard 39."""

import unicodedata
from functools import cache
from typing import Final

_IGNORED_CATEGORIES: Final = "ZP"
"""Spaces and punctuation: a dot or a dash does not make two names different."""


def are_confusable(one: str, other: str) -> bool:
    """Return whether two names differ only in case, spaces, punctuation or similar characters (``Bob`` and ``B0b``)."""
    return not _skeletons(one).isdisjoint(_skeletons(other))


def _skeletons(name: str) -> frozenset[str]:
    # Case is folded before and after, because a capital I looks like a small l and a small i does not.
    return frozenset({_skeleton(name.casefold()), _skeleton(_skeleton(name).casefold())})


def _skeleton(text: str) -> str:
    prototypes = _prototypes()
    characters = unicodedata.normalize("NFKD", text)
    visible_characters = "".join(
        character for character in characters if not _is_variation_selector(character)
    )
    # Translated twice: the prototype of one character can be two characters, which have prototypes of their own.
    skeleton = unicodedata.normalize(
        "NFKD", visible_characters.translate(prototypes).translate(prototypes)
    )
    return "".join(
        character
        for character in skeleton
        if unicodedata.category(character)[0] not in _IGNORED_CATEGORIES
    )


def _is_variation_selector(character: str) -> bool:
    return "VARIATION SELECTOR" in unicodedata.name(character, "")


@cache
def _prototypes() -> dict[int, str]:
    """Return the prototype of each character that looks like another one, by code point."""
    # Imported here because the table is large and only joining a table needs it.
    from confusable_homoglyphs.confusables import confusables_data

    confusables = {
        _without_direction_marks(character): [
            _without_direction_marks(confusable["c"]) for confusable in similar_characters
        ]
        for character, similar_characters in confusables_data.items()
    }
    return {
        ord(character): _prototype(character, confusables)
        for character in confusables
        if len(character) == 1
    }


def _prototype(character: str, confusables: dict[str, list[str]]) -> str:
    """Return the character that represents all characters looking like this one.

    The library lists each group around one central character: the central character has several confusables, the others only the
    central one. In a group of two, the longer text represents both.
    """
    if len(confusables[character]) > 1:
        return character
    [other] = confusables[character]
    if len(confusables[other]) > 1:
        return other
    return min(character, other, key=lambda text: (-len(text), text))


def _without_direction_marks(text: str) -> str:
    """Remove the left-to-right marks that the library puts around characters written from right to left."""
    return text.strip("\u200e")
