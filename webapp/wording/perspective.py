"""The perspective from which sentences are worded: language, seat names, the viewer's own seat.

Its own module because every other module of this package, pages and tests use it.
"""

from dataclasses import dataclass

from babel.lists import format_list

from webapp.i18n import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Perspective:
    """A viewer's language, the names of all seats, and the seat that is "you" (None for an onlooker)."""

    language: Language
    names: tuple[str, ...]
    """Names by seat, not inflected and not escaped: templates escape them."""
    me: int | None = None

    def name(self, seat: int) -> str:
        return player_name(self.names[seat], self.language)

    def names_of(self, seats: tuple[int, ...]) -> str:
        """Return the names of several seats, joined as the language writes lists."""
        return list_of(tuple(map(self.name, seats)), self.language)


def player_name(name: str, language: Language) -> str:
    """Return the name of a player, or what a person is called whose account was deleted."""
    return name or language.gettext("a former player")


def list_of(words: tuple[str, ...], language: Language) -> str:
    """Return the words joined as the language writes lists: Anna, Bob and Carol."""
    return format_list(words, locale=language.locale) if words else ""
