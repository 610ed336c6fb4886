"""What characters and names look like, by the confusables of Unicode Technical Standard 39 and their skeletons (section 4).

The standard compares exact texts, in the order in which they are shown. Here names are also the same if they differ only in case,
spaces, punctuation or compatibility forms, and if two characters look like one in many fonts (``vv`` and ``w``).

The table of confusables is a file of the library homoglyphs-fork, made from ``confusables.txt`` of Unicode 17.0. A new version
of the library renews it; skeletons that are stored with the names of clubs stay those of the version before.
"""

import json
import unicodedata
from collections import defaultdict
from functools import cache
from importlib.resources import files
from typing import Final

_IGNORED_CATEGORIES: Final = "ZP"
"""Spaces and punctuation: a dot or a dash does not make two names different."""
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL"})
_LEFT_TO_RIGHT: Final = frozenset({"L", "EN", "AN"})
"""Bidirectional classes of Unicode: text and numbers that are shown from left to right."""
_LOOKALIKE_PAIRS: Final = (("vv", "w"), ("cl", "d"))
"""Pairs that look like one character. The standard has ``rn`` and ``m``, and leaves these to those who use it."""
_LIBRARY: Final = "homoglyphs_fork"
_LEFT_TO_RIGHT_MARK: Final = "\u200e"
"""The library has it before characters that are written from right to left."""
_DEFAULT_IGNORABLE_RANGES: Final = (
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x61C, 0x61C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""``Default_Ignorable_Code_Point`` in ``DerivedCoreProperties.txt`` of Unicode 17.0; Python's ``unicodedata`` lacks it."""
_BLANK_CHARACTERS: Final = frozenset("\u2800")
"""Characters that are not default-ignorable, and that every font leaves blank."""


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


def typed_text(text: str) -> str:
    """Return what someone meant who typed or pasted a code or an address: usual forms of characters (NFKC), nothing invisible, no blanks around."""
    usual_forms = unicodedata.normalize("NFKC", text)
    return "".join(character for character in usual_forms if not is_invisible(character)).strip()


def is_invisible(character: str) -> bool:
    """Return whether a character shows nothing by itself: a variation selector, a filler, a joiner or a direction mark."""
    code = ord(character)
    return character in _BLANK_CHARACTERS or any(
        first <= code <= last for first, last in _DEFAULT_IGNORABLE_RANGES
    )


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


@cache
def prototypes() -> dict[int, str]:
    """Return the prototype of each character that looks like another one, by code point."""
    confusables = _confusables()
    return {
        ord(character): _prototype(character, confusables)
        for character in confusables
        if len(character) == 1
    }


def _confusables() -> dict[str, set[str]]:
    confusables: dict[str, set[str]] = defaultdict(set)
    stored = json.loads(files(_LIBRARY).joinpath("confusables.json").read_text(encoding="utf-8"))
    for character, similar_texts in stored.items():
        confusables[_plain(character)].update(_plain(text) for text in similar_texts)
    return confusables


def _prototype(character: str, confusables: dict[str, set[str]]) -> str:
    """Return the text that represents everything looking like this character.

    The library lists each group around its prototype: the prototype has several confusables, the others only the prototype. In
    a group of two, the longer text represents both, because only a prototype can have several characters.
    """
    if len(confusables[character]) > 1:
        return character
    [other] = confusables[character]
    if len(confusables[other]) > 1:
        return other
    return min(character, other, key=lambda text: (-len(text), text))


def _plain(text: str) -> str:
    return text.replace(_LEFT_TO_RIGHT_MARK, "")
