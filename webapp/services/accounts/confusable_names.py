"""Detection of names that a reader could confuse, by the skeletons of Unicode Technical Standard 39, section 4.

The standard compares exact texts, in the order in which they are shown. Here names are also the same if they differ only in case, spaces, punctuation or compatibility
forms, and if two characters look like one in many fonts (``vv`` and ``w``).
"""

import unicodedata
from typing import Final

from webapp.services.accounts.confusable_characters import is_invisible, prototypes

_IGNORED_CATEGORIES: Final = "ZP"
"""Spaces and punctuation: a dot or a dash does not make two names different."""
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL"})
_LEFT_TO_RIGHT: Final = frozenset({"L", "EN", "AN"})
"""Bidirectional classes of Unicode: text and numbers that are shown from left to right."""
_LOOKALIKE_PAIRS: Final = (("vv", "w"), ("cl", "d"))
"""Pairs that look like one character. The standard has ``rn`` and ``m``, and leaves these to those who use it."""


def are_confusable(one: str, other: str) -> bool:
    """Return whether two names look alike: ``Bob`` and ``B0b``, ``Walter`` and ``VValter``."""
    return not skeletons(one).isdisjoint(skeletons(other))


def skeletons(name: str) -> frozenset[str]:
    """Return the skeletons of a name. Names with a skeleton in common are confusable.

    There are several, because a capital I looks like a small l and a small i does not, and because a compatibility form may look like
    another character than the one it stands for: a long s like an f.
    """
    forms = {name, unicodedata.normalize("NFKC", name)}
    texts = {
        _with_pairs_folded(_skeleton(text)) for form in forms for text in (form, form.casefold())
    }
    if _is_shown_in_another_order(name):
        # Coarser than the standard, which computes the order in which each name is shown.
        texts |= {"".join(sorted(text)) for text in texts}
    return frozenset(texts)


def _is_shown_in_another_order(name: str) -> bool:
    """Return whether a name has both text from right to left and other text or numbers, which can change places."""
    directions = {unicodedata.bidirectional(character) for character in name}
    return not directions.isdisjoint(_RIGHT_TO_LEFT) and not directions.isdisjoint(_LEFT_TO_RIGHT)


def _skeleton(text: str) -> str:
    """Return the skeleton that the standard defines: from NFD, without ignorable characters, by prototypes, in NFD."""
    visible_text = "".join(
        character for character in unicodedata.normalize("NFD", text) if not is_invisible(character)
    )
    # Translated twice: what represents a group of two in `prototypes` can contain a character with another prototype.
    prototype_text = visible_text.translate(prototypes()).translate(prototypes())
    return unicodedata.normalize("NFD", prototype_text)


def _with_pairs_folded(skeleton: str) -> str:
    compared = "".join(
        character
        for character in skeleton.casefold()
        if unicodedata.category(character)[0] not in _IGNORED_CATEGORIES
    )
    for pair, single in _LOOKALIKE_PAIRS:
        compared = compared.replace(pair, single)
    return compared
