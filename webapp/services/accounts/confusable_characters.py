"""What single characters look like: the confusables of Unicode Technical Standard 39, and characters that show nothing.

The table of confusables is a file of the library homoglyphs-fork, made from ``confusables.txt`` of Unicode 17.0. A new version
of the library renews it; skeletons that are stored with the names of clubs stay those of the version before.
"""

import json
import unicodedata
from collections import defaultdict
from functools import cache
from importlib.resources import files
from typing import Final

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


def is_invisible(character: str) -> bool:
    """Return whether a character shows nothing by itself: a variation selector, a filler, a joiner or a direction mark."""
    code = ord(character)
    return character in _BLANK_CHARACTERS or any(
        first <= code <= last for first, last in _DEFAULT_IGNORABLE_RANGES
    )


def typed_text(text: str) -> str:
    """Return what someone meant who typed or pasted a code or an address: usual forms of characters (NFKC), nothing invisible, no blanks around."""
    usual_forms = unicodedata.normalize("NFKC", text)
    return "".join(character for character in usual_forms if not is_invisible(character)).strip()


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
