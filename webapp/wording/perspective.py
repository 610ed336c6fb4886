"""The perspective from which sentences are worded: language, seat names, the viewer's own seat.

It says how players are named: by their initials beside the colour of their seat. Bots have a mark where seats are shown, and
no more than their name in sentences; where the level matters, it stands after the name.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import count
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from babel.lists import format_list

from webapp.kernel.i18n import N_, Language, isolated
from webapp.wording.times import away_until_day

_LEVEL_NAMES: Final[dict[str, str]] = {
    "easy": N_("easy"),
    "steady": N_("steady"),
    "keen": N_("keen"),
}
_LEVEL_CHOICES: Final[dict[str, str]] = {
    "easy": N_("Easy: plays what comes to hand"),
    "steady": N_("Steady: plays sensibly"),
    "keen": N_("Keen: thinks ahead"),
}
_LOOKALIKES: Final = str.maketrans(
    "авекмнорстухіїјѕєαβεζηικμνορτυχ", "abekmhopctyxiijseabezhikmnoptyx"
)
"""Cyrillic and Greek characters whose small or capital form looks like a Latin one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Perspective:
    """A viewer's language, the names of all seats, and the seat that is "you" (None for an onlooker)."""

    language: Language
    names: tuple[str, ...]
    """Names by seat, not inflected and not escaped: templates escape them."""
    me: int | None = None
    bot_levels: tuple[str | None, ...] = ()
    """The levels of bots by seat, None for people; empty where all are people."""
    away_texts: tuple[str, ...] = ()
    """The end of each absence as text, by seat: empty for people who are there; none where that does not matter."""

    def name(self, seat: int) -> str:
        return player_name(self.names[seat], self.language)

    def initials(self, seat: int) -> str:
        """Return the initials on the marks of the player in a seat, which no one else in the game has."""
        return player_initials(self.names)[seat]

    def away_text(self, seat: int) -> str:
        """Return until when the player in a seat is away; empty if they are there."""
        return self.away_texts[seat] if self.away_texts else ""

    def is_bot(self, seat: int) -> bool:
        return bool(self.bot_levels) and self.bot_levels[seat] is not None

    def names_of(self, seats: tuple[int, ...]) -> str:
        """Return the names of several seats, joined as the language writes lists."""
        return joined_words(tuple(map(self.name, seats)), self.language)


class NamedSeat(Protocol):
    """A seat as use cases return it."""

    @property
    def number(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def bot_level(self) -> str | None: ...
    @property
    def is_me(self) -> bool: ...


class SeatOfPerson(Protocol):
    """A seat with until when the person in it is away."""

    @property
    def away_until(self) -> datetime | None: ...


def perspective_at(seats: Sequence[NamedSeat], language: Language) -> Perspective:
    """Return the perspective of the viewer, who is "you" if they have one of the seats."""
    return Perspective(
        language=language,
        names=tuple(seat.name for seat in seats),
        me=next((seat.number for seat in seats if seat.is_me), None),
        bot_levels=tuple(seat.bot_level for seat in seats),
    )


def with_absences(
    perspective: Perspective, seats: Sequence[SeatOfPerson], *, now: datetime, zone: ZoneInfo
) -> Perspective:
    """Return the perspective of a viewer in this time zone who is shown who is away."""
    language = perspective.language
    return replace(
        perspective,
        away_texts=tuple(
            away_until_day(seat.away_until, now=now, zone=zone, language=language)
            if seat.away_until
            else ""
            for seat in seats
        ),
    )


def with_former_players(
    perspective: Perspective, former_names: Iterable[tuple[int, str]]
) -> Perspective:
    """Return the perspective on a turn in which these seats had other players: the viewer is not "you" for what another did."""
    names = dict(former_names)
    if not names:
        return perspective
    return replace(
        perspective,
        names=tuple(names.get(seat, name) for seat, name in enumerate(perspective.names)),
        me=None if perspective.me in names else perspective.me,
    )


def name_with_absence(seat: int, perspective: Perspective) -> str:
    """Return the name of the player in a seat, and until when they are away if they are."""
    name, away_text = perspective.name(seat), perspective.away_text(seat)
    if not away_text:
        return name
    return perspective.language.gettext("%(name)s (%(facts)s)", name=name, facts=away_text)


def player_name(name: str, language: Language) -> str:
    """Return the name of a player as it is put into sentences, or what a person is called whose account was deleted."""
    return isolated(name) or language.gettext("a former player")


def joined_words(words: tuple[str, ...], language: Language) -> str:
    """Return the words joined as the language writes lists: Anna, Bob and Carol."""
    return format_list(words, locale=language.locale) if words else ""


def bot_facts(level: str | None, language: Language) -> list[str]:
    """Return what a list of players adds to the name of a bot: that it is one, and its level if this release knows it."""
    level_names = [language.gettext(_LEVEL_NAMES[level])] if level in _LEVEL_NAMES else []
    return [language.gettext("bot"), *level_names]


def bot_label(name: str, level: str | None, language: Language) -> str:
    """Return the name of a bot where its level matters: "Agate (bot, steady)"."""
    facts = ", ".join(bot_facts(level, language))
    return language.gettext("%(name)s (%(facts)s)", name=name, facts=facts)


def level_choice(level: str, language: Language) -> str:
    """Return a level as a form offers it."""
    return language.gettext(_LEVEL_CHOICES[level])


@lru_cache(maxsize=256)
def player_initials(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the initials of players by seat: at most two characters, different ones within a game.

    One character if no one else has it, or else two: ``An`` and ``Al`` for Anna and Alice. Without a name it is the number of the seat.
    """
    characters_by_seat = [_characters_of(name) for name in names]
    first_counts = Counter(_looks(characters[0]) for characters in characters_by_seat if characters)
    looks_taken: set[str] = set()
    initials: list[str] = []
    for seat, characters in enumerate(characters_by_seat):
        is_unique = bool(characters) and first_counts[_looks(characters[0])] == 1
        candidates = _candidates(characters, seat, is_unique=is_unique)
        chosen = next(text for text in candidates if _looks(text) not in looks_taken)
        looks_taken.add(_looks(chosen))
        initials.append(chosen)
    return tuple(initials)


def _candidates(characters: Sequence[str], seat: int, *, is_unique: bool) -> Iterator[str]:
    """Yield what can stand for a player, the best first."""
    if characters:
        capital = _capital(characters[0])
        if is_unique:
            yield capital
        yield from (capital + character.lower() for character in characters[1:])
        yield f"{capital}{(seat + 1) % 10}"
    yield from map(str, count(seat + 1))


def _characters_of(name: str) -> list[str]:
    """Return the alphanumeric characters of a name, each with the marks that belong to it."""
    characters: list[str] = []
    for character in unicodedata.normalize("NFC", name):
        if character.isalnum():
            characters.append(character)
        elif characters and unicodedata.category(character).startswith("M"):
            characters[-1] += character
    return characters


def _capital(character: str) -> str:
    capital = character.upper()
    return capital if len(capital) == len(character) else character


def _looks(text: str) -> str:
    """Return the same text for initials that look the same."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_LOOKALIKES)
