"""Languages, without a web framework: the language is an argument, and sentences are plain text.

A message is a whole English sentence with named placeholders (``%(name)s``). Values that are written from right to
left stand between isolates (UAX 9), so that they reorder nothing around them.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from gettext import NullTranslations
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

import msgspec

from webapp.kernel.system_time import known_zones

if TYPE_CHECKING:
    import babel


ISOLATES: Final = "\N{FIRST STRONG ISOLATE}\N{POP DIRECTIONAL ISOLATE}"
"""What stands before and after such a text."""
SUPPORTED_LANGUAGES: Final = ("en", "lv", "et", "sv", "lt", "uk")
"""The codes of all languages, the default first."""

DEFAULT_LANGUAGE: Final = SUPPORTED_LANGUAGES[0]
TRANSLATED_LANGUAGES: Final = (DEFAULT_LANGUAGE,)
"""The codes of all languages that can be chosen: those with a catalogue, and English."""
_LOCALE_BY_LANGUAGE: Final = {"en": "en_GB"}
"""Languages whose dates and lists follow a region: day before month, as everywhere else among our languages."""
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})
_FIRST_OF_HEBREW: Final = "\u0590"
"""No character before it is written from right to left."""


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """One language: its sentences, and the locale that dates and numbers follow."""

    code: str
    locale: "babel.Locale"
    catalogue: NullTranslations

    @property
    def name(self) -> str:
        """The name of the language in itself."""
        return (self.locale.get_language_name() or self.code).capitalize()

    def gettext(self, message: str, /, **values: object) -> str:
        """Return the sentence in this language. A literal per cent sign is written ``%%``."""
        return self.catalogue.gettext(message) % isolated_values(values)

    def ngettext(self, one: str, many: str, count: int, /, **values: object) -> str:
        """Return the sentence for a number, which fills the placeholder ``%(num)s``."""
        return self.catalogue.ngettext(one, many, count) % {"num": count, **isolated_values(values)}


class Locale(msgspec.Struct, frozen=True):
    """The language and the time zone in which a person reads a text, and the present time."""

    language: Language
    zone: ZoneInfo
    now: datetime


def isolated_values(values: Mapping[str, object]) -> dict[str, object]:
    """Return the values of a sentence, in which texts from right to left reorder nothing around them."""
    return {
        name: isolated(value) if type(value) is str else value for name, value in values.items()
    }


def isolated(text: str) -> str:
    """Return a name between isolates, if it is written from right to left and not between them already.

    Without them "A 5, B 2" is shown as "2 B ,5 A" if the names are Hebrew or Arabic, and no one can see who has what.
    """
    if text.isascii() or max(text) < _FIRST_OF_HEBREW or text.startswith(ISOLATES[0]):
        return text
    if any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text):
        return text.join(ISOLATES)
    return text


def N_(message: str) -> str:  # noqa: N802 - the name that every gettext tool knows
    """Mark a message of a table for extraction; it is translated where it is used."""
    return message


def NN_(one: str, many: str) -> tuple[str, str]:  # noqa: N802 - as N_
    """Mark the two forms of a message with a number, for ``ngettext``."""
    return one, many


def language_for(code: str | None) -> Language:
    """Return the language of a code; English if there is none."""
    return _load_language(code if code in TRANSLATED_LANGUAGES else DEFAULT_LANGUAGE)


def zone_for(name: str | None) -> ZoneInfo:
    """Return the time zone of a name; UTC if there is none."""
    return ZoneInfo(name) if name is not None and name in known_zones() else ZoneInfo("UTC")


@cache
def _load_language(code: str) -> Language:
    # Commands that print only English do not load Babel.
    import babel

    return Language(
        code, babel.Locale.parse(_LOCALE_BY_LANGUAGE.get(code, code)), NullTranslations()
    )
