"""Names that a reader could take for one another, after the skeletons of Unicode Technical Standard 39."""

import unicodedata
from functools import cache
from typing import Final

_UNSEEN: Final = "ZP"
"""Blanks and punctuation: nobody is told from another by a dot or a dash."""


def look_alike(one: str, other: str) -> bool:
    """Whether two names differ in no more than case, blanks, punctuation or letters of one look (``Bob`` and ``B0b``)."""
    return not _likenesses(one).isdisjoint(_likenesses(other))


def _likenesses(name: str) -> frozenset[str]:
    # Twice, for a capital I looks like a small l, and a small i does not.
    return frozenset({_skeleton(name.casefold()), _skeleton(_skeleton(name).casefold())})


def _skeleton(text: str) -> str:
    prototypes = _prototypes()
    letters = unicodedata.normalize("NFKD", text)
    seen = "".join(letter for letter in letters if "VARIATION SELECTOR" not in _called(letter))
    # A second time, for what one letter looks like can be two letters, with looks of their own.
    bones = unicodedata.normalize("NFKD", seen.translate(prototypes).translate(prototypes))
    return "".join(letter for letter in bones if unicodedata.category(letter)[0] not in _UNSEEN)


def _called(letter: str) -> str:
    return unicodedata.name(letter, "")


@cache
def _prototypes() -> dict[int, str]:
    """What stands for each letter that looks like another."""
    # Here, for the table is large, and only who lets people sit down needs it.
    from confusable_homoglyphs.confusables import confusables_data

    looks = {
        _bare(key): [_bare(one["c"]) for one in ones] for key, ones in confusables_data.items()
    }
    return {ord(key): _prototype(key, looks) for key in looks if len(key) == 1}


def _prototype(letter: str, looks: dict[str, list[str]]) -> str:
    """The table is made of stars: who looks like many is the middle of one; of two alone the longer is."""
    if len(looks[letter]) > 1:
        return letter
    [other] = looks[letter]
    if len(looks[other]) > 1:
        return other
    return min(letter, other, key=lambda text: (-len(text), text))


def _bare(text: str) -> str:
    """Without the marks of direction that the table puts around letters written from right to left."""
    return text.strip("\u200e")
