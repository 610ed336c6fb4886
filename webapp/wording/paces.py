"""Sentences about paces: what one means, what time a turn has, and how long a round takes."""

from datetime import time, timedelta
from typing import Final

from babel.dates import get_day_names
from babel.lists import format_list
from babel.units import format_unit

from webapp.clock.pace.calendar import ALL_WEEKDAYS
from webapp.clock.pace.pace import LateRules, Pace, PaceName
from webapp.kernel.i18n import N_, Language
from webapp.wording.times import duration

_PACE_NAMES: Final[dict[PaceName, str]] = {
    "brisk": N_("Brisk"),
    "daily": N_("Daily"),
    "relaxed": N_("Relaxed"),
    "weekly": N_("Weekly"),
    "custom": N_("Your own pace"),
}
_MOST_LISTED_DAYS: Final = 2
_FORTNIGHT: Final = timedelta(days=14)
_TWO_DAYS: Final = timedelta(days=2)


def pace_name(name: PaceName, language: Language) -> str:
    return language.gettext(_PACE_NAMES[name])


def pace_sentence(pace: Pace, language: Language) -> str:
    """Return what a pace means in one sentence, without a full stop."""
    parts = [_time_and_bank_text(pace, language), *_stops(pace, language)]
    sentence = "; ".join(parts)
    if pace.name == "custom":
        return sentence
    return language.gettext(
        "%(name)s: %(sentence)s", name=pace_name(pace.name, language), sentence=sentence
    )


def pace_essence(pace: Pace, round_length: timedelta, language: Language) -> str:
    """Return the time per turn and how long a round takes, in a few words."""
    return language.gettext(
        "%(time)s a turn, %(length)s a round",
        time=duration(pace.time_per_turn, language),
        length=_approximate_length(round_length, language),
    )


def absence_rule_sentence(rules: LateRules, language: Language) -> str:
    """Return what an absence of a player does to their clock."""
    if rules.absence == "bot":
        return language.gettext("A bot plays for players who are away.")
    if rules.absence != "stop" or not rules.absence_cap:
        return language.gettext(
            "The clock runs on while a player is away. Turns they miss then don't count against them."
        )
    return language.gettext(
        "The clock stops while a player is away, for at most %(time)s each.",
        time=duration(rules.absence_cap, language),
    )


def turn_time_sentence(
    pace: Pace, bank: timedelta, language: Language, *, name: str | None = None
) -> str:
    """Return an explanation of a turn's time; nothing if the pace is only a time per turn.

    None as ``name`` speaks to the player on turn.
    """
    if not pace.bank and pace.playing.is_unlimited:
        return ""
    values = {"time": duration(pace.time_per_turn, language), "bank": duration(bank, language)}
    if name is None:
        sentence = (
            language.gettext(
                "You have %(time)s for this turn plus %(bank)s from your time bank", **values
            )
            if bank
            else language.gettext("You have %(time)s for this turn", **values)
        )
    else:
        sentence = (
            language.gettext(
                "%(name)s has %(time)s for this turn plus %(bank)s from their time bank",
                name=name,
                **values,
            )
            if bank
            else language.gettext("%(name)s has %(time)s for this turn", name=name, **values)
        )
    return "; ".join([sentence, *_stops(pace, language)]) + "."


def playing_hours(pace: Pace, language: Language) -> str:
    """Return on which days and at what hours the clock runs; empty if it always does."""
    playing = pace.playing
    if playing.is_unlimited:
        return ""
    days = _playing_days(pace, language)
    if pace.opens is None:
        return language.gettext(
            "%(days)s (%(zone)s time)", days=days, zone=pace.zone.replace("_", " ")
        )
    return language.gettext(
        "%(days)s %(opens)s–%(closes)s (%(zone)s time)",  # noqa: RUF001 - an en dash between hours
        days=days,
        opens=_time_of_day(pace.opens),
        closes=_time_of_day(pace.closes),
        zone=pace.zone.replace("_", " "),
    )


def round_forecast(length: timedelta, seats: int, language: Language) -> str:
    """Return how long a round takes at a table of this size."""
    return language.ngettext(
        "A round takes about %(time)s with %(num)s player.",
        "A round takes about %(time)s with %(num)s players.",
        seats,
        time=_approximate_length(length, language),
    )


def _time_and_bank_text(pace: Pace, language: Language) -> str:
    values = {
        "time": duration(pace.time_per_turn, language),
        "bank": duration(pace.bank, language),
        "refill": duration(pace.refill, language),
    }
    if not pace.bank:
        return language.gettext("%(time)s per turn", **values)
    if not pace.refill:
        return language.gettext(
            "%(time)s per turn, and a time bank of %(bank)s for the whole game", **values
        )
    return language.gettext(
        "%(time)s per turn, and a time bank of %(bank)s that gets %(refill)s back with every turn",
        **values,
    )


def _stops(pace: Pace, language: Language) -> list[str]:
    """Return when the clock stops, if it ever does."""
    if pace.playing.is_unlimited:
        return []
    values = {
        "days": _rest_days(pace, language),
        "opens": _time_of_day(pace.opens),
        "closes": _time_of_day(pace.closes),
        "zone": pace.zone.replace("_", " "),
    }
    if pace.opens is None:
        return [language.gettext("the clock stops on %(days)s (%(zone)s time)", **values)]
    if set(pace.weekdays) == set(ALL_WEEKDAYS):
        return [
            language.gettext(
                "the clock stops outside %(opens)s–%(closes)s (%(zone)s time)",  # noqa: RUF001 - an en dash between hours
                **values,
            )
        ]
    return [
        language.gettext(
            "the clock stops on %(days)s, and on other days outside %(opens)s–%(closes)s (%(zone)s time)",  # noqa: RUF001 - as above
            **values,
        )
    ]


def _playing_days(pace: Pace, language: Language) -> str:
    """Return the days on which the clock runs: a range if they follow each other, otherwise a list."""
    names, days = get_day_names("wide", locale=language.locale), sorted(set(pace.weekdays))
    if days == list(ALL_WEEKDAYS):
        return language.gettext("every day")
    if len(days) > _MOST_LISTED_DAYS and days == list(range(days[0], days[-1] + 1)):
        return language.gettext("%(first)s to %(last)s", first=names[days[0]], last=names[days[-1]])
    return format_list([names[day] for day in days], locale=language.locale)


def _rest_days(pace: Pace, language: Language) -> str:
    names = get_day_names("wide", locale=language.locale)
    return format_list(
        [names[day] for day in ALL_WEEKDAYS if day not in pace.weekdays], locale=language.locale
    )


def _time_of_day(wall_time: time | None) -> str:
    return "" if wall_time is None else f"{wall_time:%H:%M}"


def _approximate_length(length: timedelta, language: Language) -> str:
    if length >= _FORTNIGHT:
        return format_unit(
            round(length / timedelta(weeks=1)), "duration-week", locale=language.locale
        )
    if length >= _TWO_DAYS:
        return format_unit(length.days, "duration-day", locale=language.locale)
    return format_unit(
        max(round(length / timedelta(hours=1)), 1), "duration-hour", locale=language.locale
    )
