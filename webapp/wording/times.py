"""Instants in words. Stored instants are UTC; the zone and the language are the reader's and come in here, at the edge."""

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from math import inf
from typing import Final, Literal
from zoneinfo import ZoneInfo

from babel.dates import format_skeleton, format_timedelta
from babel.units import format_unit

from webapp.clock import has_passed
from webapp.i18n import Language

Urgency = Literal["calm", "soon", "late"]

_Unit = Literal["year", "month", "day", "hour", "minute"]

_SOON: Final = timedelta(hours=3)
_UNITS: Final = (("duration-day", 24 * 60), ("duration-hour", 60))
_MOMENT: Final = timedelta(seconds=60)
_STEPS: Final[tuple[tuple[_Unit, timedelta], ...]] = (
    ("year", timedelta(days=365)),
    ("month", timedelta(days=30)),
    ("day", timedelta(days=1)),
    ("hour", timedelta(hours=1)),
    ("minute", timedelta(minutes=1)),
)
_PAIR: Final = 2
_HARDLY: Final = 0.1


def absolute(at: datetime, *, now: datetime, zone: ZoneInfo, language: Language) -> str:
    """Day, hour and zone as they are said where the reader is; the year when it is not the present one."""
    here = at.astimezone(zone)
    skeleton = "MMMEd" if here.year == now.astimezone(zone).year else "yMMMEd"
    return language.gettext(
        "%(day)s, %(time)s (%(zone)s)",
        day=_day(skeleton, here.date(), language),
        time=f"{here:%H:%M}",
        zone=_zone_name(here),
    )


@lru_cache(maxsize=1024)
def _day(skeleton: str, day: date, language: Language) -> str:
    """A day in words. What is told of lies in few days, and to work out how a language writes one takes long."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return format_skeleton(skeleton, midnight, tzinfo=UTC, locale=language.locale)


def relative(at: datetime, *, now: datetime, language: Language) -> str:
    """How long until or since then: in whole units, at least three of them or two and hardly more, and never in weeks."""
    gap = at - now
    if abs(gap) < _MOMENT:
        return (
            language.gettext("just now") if gap <= timedelta() else language.gettext("in a moment")
        )
    length = abs(gap)
    unit, size = next((step for step in _STEPS if _fits(length, step[1])), _STEPS[-1])
    whole = _whole(length, size) * size
    return format_timedelta(
        -whole if gap < timedelta() else whole,
        granularity=unit,
        threshold=inf,
        add_direction=True,
        locale=language.locale,
    )


def _fits(length: timedelta, size: timedelta) -> bool:
    whole = _whole(length, size)
    return whole > _PAIR or (whole == _PAIR and length / size - whole < _HARDLY)


def _whole(length: timedelta, size: timedelta) -> int:
    """Rounded down, for nobody is promised time that there is not; save where hardly anything lacks."""
    return int(length / size + _HARDLY)


def deadline(at: datetime, *, now: datetime, zone: ZoneInfo, language: Language) -> str:
    """Until when there is time, absolutely and relatively; or that it is over."""
    when = absolute(at, now=now, zone=zone, language=language)
    how_long = relative(at, now=now, language=language)
    if has_passed(at, now=now):
        return language.gettext(
            "Time ran out on %(when)s, %(how_long)s.", when=when, how_long=how_long
        )
    return language.gettext("Time until %(when)s, %(how_long)s.", when=when, how_long=how_long)


@lru_cache(maxsize=1024)
def duration(length: timedelta, language: Language) -> str:
    """A length of time to the minute, in the largest unit that says it exactly: "2 days", but "36 hours"."""
    minutes = round(length / timedelta(minutes=1))
    for unit, size in _UNITS:
        if minutes % size == 0:
            return format_unit(minutes // size, unit, locale=language.locale)
    return format_unit(minutes, "duration-minute", locale=language.locale)


def urgency(at: datetime, *, now: datetime) -> Urgency:
    """Whether a deadline is past, near (three hours or less), or neither."""
    if has_passed(at, now=now):
        return "late"
    return "soon" if at - now <= _SOON else "calm"


def _zone_name(here: datetime) -> str:
    """The abbreviation in use there, such as EEST; zones without one are named by their distance from UTC."""
    name = here.tzname() or "UTC"
    return name if name.isalpha() else f"UTC{here:%z}"
