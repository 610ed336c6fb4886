"""Names and longer texts that people choose: which of them could mislead others, and which names look alike.

Names that could be mistaken for the people who run the site are for site moderators only. Names look alike by the
confusables of Unicode Technical Standard 39 and their skeletons (section 4). The standard compares exact texts, in the
order in which they are shown. Here names are also the same if they differ only in case, spaces, punctuation or
compatibility forms, and if two characters look like one in many fonts (``vv`` and ``w``).

The table of confusables is a file of the library homoglyphs-fork, made from ``confusables.txt`` of Unicode 17.0. A new version
of the library renews it; skeletons that are stored with the names of clubs stay those of the version before.
"""

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Final

from webapp.accounts.person import Person
from webapp.kernel.refusals import FieldError, FieldErrors
from webapp.kernel.tx import Tx
from webapp.moderation.queries import moderators

MAX_NAME_LENGTH: Final = 32
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
_MAX_STACKED_MARKS: Final = 2
"""Marks above or below one base character that may be piled up: enough for every language, too few to reach into the next line."""
_MAX_MARKS: Final = 6
"""Marks of all kinds on one base character: vowels and tones of the scripts of South and Southeast Asia are marks too."""
_VIRAMA_CLASS: Final = 9
"""The combining class of signs that take the vowel off a consonant, and of those that stack it."""
_JOINERS: Final = "\u200c\u200d"
_JOINING_SCRIPTS: Final = frozenset({"ARABIC", "SYRIAC", "MANDAIC", "MONGOLIAN", "NKO", "ADLAM"})
_MARKS_OF_ALL_SCRIPTS: Final = frozenset({"COMBINING", "VARIATION"})
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
_TITLES: Final = (
    "Lodepost",
    "admin",
    "administrator",
    "moderator",
    # Latvian, Estonian, Swedish, Lithuanian, Ukrainian. The Latvian words are the English plurals too.
    "administrators",
    "moderators",
    "administraator",
    "moderaator",
    "administrat\u00f6r",
    "administratorius",
    "moderatorius",
    "\u0430\u0434\u043c\u0456\u043d",
    "\u0430\u0434\u043c\u0456\u043d\u0456\u0441\u0442\u0440\u0430\u0442\u043e\u0440",
    "\u043c\u043e\u0434\u0435\u0440\u0430\u0442\u043e\u0440",
)
_MOST_LINES: Final = 40
_EMOJI: Final = "\U0001f000-\U0001faff\u2190-\u2bff"
_EMOJI_JOINER: Final = re.compile(f"(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])")
"""An invisible joiner within one emoji, such as that of a firefighter; it hides nothing."""


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


def person_name_errors(tx: Tx, person: Person, new_name: str) -> list[FieldError]:
    """Return why this person cannot take a new name, if anything: it has a title, or looks like a site moderator's.

    Moderators may take any name. A name that the person already has stays theirs.
    """
    if new_name == person.name:
        return []
    current_moderators = moderators.all_moderators(tx)
    if any(moderator.id == person.id for moderator in current_moderators):
        return []
    names = [moderator.name for moderator in current_moderators if moderator.name]
    is_protected = _is_like_one_of([new_name], names) or _is_like_one_of(
        [new_name, *new_name.split()], _TITLES
    )
    return [FieldError("name", "reserved")] if is_protected else []


def require_unprotected_name(tx: Tx, person: Person, new_name: str) -> None:
    """Raise FieldErrors for ``name`` if this person cannot take a new name."""
    errors = person_name_errors(tx, person, new_name)
    if errors:
        raise FieldErrors(*errors)


def club_name_errors(name: str) -> list[FieldError]:
    """Return why no club can have this name, if anything. A club may have a title among other words."""
    return [FieldError("name", "reserved")] if _is_like_one_of([name], _TITLES) else []


def plain_text_and_errors(
    field: str, typed_text: str, *, max_length: int
) -> tuple[str, list[FieldError]]:
    """Return a text of several lines, normalized, and why it cannot be used, if anything."""
    normalized = unicodedata.normalize("NFC", typed_text)
    lines = [" ".join(line.split()) for line in normalized.strip().splitlines()]
    return "\n".join(lines), _text_errors(field, lines, max_length)


def without_emoji_joiners(line: str) -> str:
    """Return a line without the invisible characters that make one emoji of several."""
    return _EMOJI_JOINER.sub("", line)


def has_only_visible_characters(name: str) -> bool:
    """Return whether no character is invisible, reorders the text around it or covers it.

    Joiners are allowed where they change what is seen (UAX 31, rules A1, A2 and B), and marks on characters of their script.
    """
    text = "".join(
        character for place, character in enumerate(name) if not _is_visible_joiner(name, place)
    )
    return (
        text.isprintable()
        and not any(_hides_something(character) for character in text)
        and all(map(_are_usual_marks, _marked_characters(text)))
    )


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


def _is_like_one_of(names: Iterable[str], others: Iterable[str]) -> bool:
    return not _all_skeletons(names).isdisjoint(_all_skeletons(others))


def _all_skeletons(names: Iterable[str]) -> frozenset[str]:
    return frozenset(skeleton for name in names for skeleton in skeletons(name))


def _text_errors(field: str, lines: list[str], max_length: int) -> list[FieldError]:
    if len("\n".join(lines)) > max_length:
        return [FieldError(field, "too-long", {"max": max_length})]
    if len(lines) > _MOST_LINES:
        return [FieldError(field, "too-many-lines", {"max": _MOST_LINES})]
    if not all(map(has_only_visible_characters, map(without_emoji_joiners, lines))):
        return [FieldError(field, "not-plain-text")]
    return []


def _is_visible_joiner(name: str, place: int) -> bool:
    """Return whether a joiner stands after a virama, or, if it separates, between two joining consonants."""
    if name[place] not in _JOINERS or place == 0:
        return False
    before = name[:place].rstrip(_JOINERS)
    marks_before = before[len(_without_marks_at_end(before)) :]
    if any(unicodedata.combining(mark) == _VIRAMA_CLASS for mark in marks_before):
        return before == name[:place]
    after = name[place + 1 : place + 2]
    base = _without_marks_at_end(before)[-1:]
    is_separating = name[place] == _JOINERS[0]
    return is_separating and {_script(base), _script(after)} <= _JOINING_SCRIPTS


def _without_marks_at_end(text: str) -> str:
    while text and unicodedata.category(text[-1])[0] == "M":
        text = text[:-1]
    return text


def _marked_characters(text: str) -> Iterator[str]:
    """Yield each character that has marks, with them."""
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or unicodedata.category(text[place])[0] != "M":
            if place - start > 1:
                yield text[start:place]
            start = place


def _are_usual_marks(marked_character: str) -> bool:
    """Return whether the marks of a character are of its script, few enough, and none of them twice in a row."""
    base, marks = marked_character[0], marked_character[1:]
    stacked_count = sum(unicodedata.combining(mark) > _VIRAMA_CLASS for mark in marks)
    return (
        len(marks) <= _MAX_MARKS
        and stacked_count <= _MAX_STACKED_MARKS
        and all(mark != following for mark, following in pairwise(marks))
        and {_script(mark) for mark in marks} <= _MARKS_OF_ALL_SCRIPTS | {_script(base)}
    )


@cache
def _script(character: str) -> str:
    """Return the first word of a character's name in Unicode, which is its script; empty for none."""
    return unicodedata.name(character, "").partition(" ")[0] if character else ""


def _hides_something(character: str) -> bool:
    if unicodedata.category(character) == "Me":
        return character != _KEYCAP
    return is_invisible(character) and character not in _EMOJI_SELECTORS


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
