from dataclasses import dataclass

from babel.lists import format_list

from webapp.i18n import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Perspective:
    """Who is told: in which language, by which names the seats go, and which seat is "you" (None: nobody's)."""

    language: Language
    names: tuple[str, ...]
    """Names by seat; uninflected, and escaped by the template that shows the sentence."""
    me: int | None = None

    def name(self, seat: int) -> str:
        return self.names[seat]

    def names_of(self, seats: tuple[int, ...]) -> str:
        """The names of several seats as a list, as the language writes lists."""
        return list_of(tuple(map(self.name, seats)), self.language)


def list_of(words: tuple[str, ...], language: Language) -> str:
    """Several words as the language writes lists: Anna, Bob and Carol."""
    return format_list(words, locale=language.locale) if words else ""
