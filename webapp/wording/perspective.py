"""The perspective from which sentences are worded: language, seat names, the viewer's own seat."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from babel.lists import format_list

from webapp.i18n import Language
from webapp.text_direction import isolated
from webapp.wording.bots import bot_facts, bot_label
from webapp.wording.initials import player_initials
from webapp.wording.times import away_until_day


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
    """Until when people are away by seat, empty for those who are there; none where that does not matter."""

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

    def label(self, seat: int) -> str:
        """Return the name as it stands by itself, in lists and headings: that of a bot with its level."""
        name = self.name(seat)
        return (
            name if not self.is_bot(seat) else bot_label(name, self.bot_levels[seat], self.language)
        )

    def bot_facts(self, seat: int) -> list[str]:
        """Return the word "bot" and the level; nothing for a person."""
        return bot_facts(self.bot_levels[seat], self.language) if self.is_bot(seat) else []

    def labels(self) -> tuple[str, ...]:
        """Return the labels of all seats."""
        return tuple(map(self.label, range(len(self.names))))

    def names_of(self, seats: tuple[int, ...]) -> str:
        """Return the names of several seats, joined as the language writes lists."""
        return joined_words(tuple(map(self.name, seats)), self.language)


class NamedSeat(Protocol):
    """A seat as services return it."""

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
