"""Instants and lengths of time as text. Stored instants are UTC; the viewer's zone and language are arguments."""

from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from math import inf
from typing import Final, Literal
from zoneinfo import ZoneInfo

from babel.dates import format_skeleton, format_timedelta, get_day_names
from babel.units import format_unit

from webapp.clock.pace.calendar import has_passed
from webapp.kernel.i18n import Language

Urgency = Literal["calm", "soon", "late"]

_Unit = Literal["year", "month", "day", "hour", "minute"]

_SOON_BEFORE_DEADLINE: Final = timedelta(hours=3)
_DURATION_UNITS: Final = (("duration-day", 24 * 60), ("duration-hour", 60))
_ONE_DAY = timedelta(days=1)

_ONE_MINUTE: Final = timedelta(minutes=1)
_UNIT_LENGTHS: Final[tuple[tuple[_Unit, timedelta], ...]] = (
    ("year", timedelta(days=365)),
    ("month", timedelta(days=30)),
    ("day", timedelta(days=1)),
    ("hour", timedelta(hours=1)),
    ("minute", timedelta(minutes=1)),
)
_TWO_UNITS: Final = 2
_DAYS_OF_WEEK: Final = 7
_ROUNDING_TOLERANCE: Final = 0.1
"""The part of a unit that rounding ignores."""


def absolute_time(at: datetime, *, now: datetime, zone: ZoneInfo, language: Language) -> str:
    """Return day, time and zone as the viewer writes them; the year only when it is not the current one."""
    local_time = at.astimezone(zone)
    return language.gettext(
        "%(day)s, %(time)s %(zone)s",
        day=_day_with_weekday(at, now=now, zone=zone, language=language),
        time=f"{local_time:%H:%M}",
        zone=_zone_name(local_time),
    )


def _day_with_weekday(at: datetime, *, now: datetime, zone: ZoneInfo, language: Language) -> str:
    """Return the day of an instant with its weekday; the year only when it is not the current one."""
    local_time = at.astimezone(zone)
    skeleton = "MMMEd" if local_time.year == now.astimezone(zone).year else "yMMMEd"
    return _day_text(skeleton, local_time.date(), language)


@lru_cache(maxsize=1024)
def _day_text(skeleton: str, day: date, language: Language) -> str:
    """Return a day as text. Cached: pages show few different days, and formatting one is slow."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return format_skeleton(skeleton, midnight, tzinfo=UTC, locale=language.locale)


def day_of_year(day: date, language: Language) -> str:
    """Return a day with its year as the viewer writes it."""
    return _day_text("yMMMd", day, language)


def day_of_month(day: date, language: Language) -> str:
    """Return a day without its year, where that is clear."""
    return _day_text("MMMd", day, language)


def away_until_day(until: datetime, *, now: datetime, zone: ZoneInfo, language: Language) -> str:
    """Return that someone is away until the last day of an absence: a weekday if that is near, otherwise a date."""
    last_day = (until - _ONE_MINUTE).astimezone(zone).date()
    today = now.astimezone(zone).date()
    if last_day == today:
        return language.gettext("away until tonight")
    if (last_day - today).days < _DAYS_OF_WEEK:
        day = get_day_names("wide", "format", language.locale)[last_day.weekday()]
    else:
        day = _day_text("MMMd" if last_day.year == today.year else "yMMMd", last_day, language)
    return language.gettext("away until %(day)s", day=day)


def absence_period_sentence(
    from_at: datetime, until_at: datetime, *, now: datetime, zone: ZoneInfo, language: Language
) -> str:
    """Return from when until when the viewer is away; of an absence that has begun only its end.

    Days that are away from midnight to midnight have no times.
    """
    end = _absence_end_text(until_at, now=now, zone=zone, language=language)
    if from_at <= now:
        return language.gettext("Away until %(end)s", end=end)
    start = (
        _day_with_weekday(from_at, now=now, zone=zone, language=language)
        if _is_midnight(from_at, zone)
        else absolute_time(from_at, now=now, zone=zone, language=language)
    )
    return language.gettext("Away from %(start)s until %(end)s", start=start, end=end)


def _absence_end_text(
    until_at: datetime, *, now: datetime, zone: ZoneInfo, language: Language
) -> str:
    if not _is_midnight(until_at, zone):
        return absolute_time(until_at, now=now, zone=zone, language=language)
    last_day = _day_with_weekday(until_at - _ONE_DAY / 2, now=now, zone=zone, language=language)
    return language.gettext("the end of %(day)s", day=last_day)


def _is_midnight(at: datetime, zone: ZoneInfo) -> bool:
    return at.astimezone(zone).time() == time()


def weekday_names(language: Language) -> tuple[str, ...]:
    """Return the days of the week, from Monday on, in short."""
    names = get_day_names("abbreviated", "stand-alone", language.locale)
    return tuple(names[weekday] for weekday in range(_DAYS_OF_WEEK))


def relative_time(at: datetime, *, now: datetime, language: Language) -> str:
    """Return how long it is until or since an instant: "in 2 days", "3 hours ago"."""
    gap = at - now
    if abs(gap) < _ONE_MINUTE:
        return (
            language.gettext("just now") if gap <= timedelta() else language.gettext("in a moment")
        )
    return _rounded_length(gap, language, add_direction=True)


def time_left(gap: timedelta, language: Language) -> str:
    """Return how much time is left: "12 hours left"."""
    if gap < _ONE_MINUTE:
        return language.gettext("less than a minute left")
    return language.gettext(
        "%(time)s left", time=_rounded_length(gap, language, add_direction=False)
    )


def _rounded_length(gap: timedelta, language: Language, *, add_direction: bool) -> str:
    """Return a length in whole units: at least three of a unit, or two with hardly a remainder, and never weeks."""
    unit, size = next(
        (step for step in _UNIT_LENGTHS if _is_at_least_two(abs(gap), step[1])), _UNIT_LENGTHS[-1]
    )
    whole_length = _whole_units(abs(gap), size) * size
    if gap < timedelta():
        whole_length = -whole_length
    return _length_text(whole_length, unit, language, add_direction=add_direction)


@lru_cache(maxsize=1024)
def _length_text(length: timedelta, unit: _Unit, language: Language, *, add_direction: bool) -> str:
    """Return a length in a unit of which it is a multiple. Cached, because most pages show one of few."""
    return format_timedelta(
        length,
        granularity=unit,
        threshold=inf,
        add_direction=add_direction,
        locale=language.locale,
    )


def _is_at_least_two(length: timedelta, size: timedelta) -> bool:
    whole_length = _whole_units(length, size)
    return whole_length > _TWO_UNITS or (
        whole_length == _TWO_UNITS and length / size - whole_length < _ROUNDING_TOLERANCE
    )


def _whole_units(length: timedelta, size: timedelta) -> int:
    """Round down, so that no one is promised more time than there is, unless hardly anything is missing."""
    return int(length / size + _ROUNDING_TOLERANCE)


def deadline(
    at: datetime, *, now: datetime, zone: ZoneInfo, language: Language, is_own: bool = True
) -> str:
    """Return a deadline with the time left, worded for the player it binds or for the others; or that it has passed."""
    deadline_text = absolute_time(at, now=now, zone=zone, language=language)
    if has_passed(at, now=now):
        elapsed_text = relative_time(at, now=now, language=language)
        return language.gettext(
            "Time ran out %(ago)s (%(when)s)", ago=elapsed_text, when=deadline_text
        )
    left_text = time_left(at - now, language)
    if is_own:
        return language.gettext("Play by %(when)s (%(left)s)", when=deadline_text, left=left_text)
    return language.gettext("Deadline: %(when)s (%(left)s)", when=deadline_text, left=left_text)


def short_deadline(at: datetime, *, now: datetime, zone: ZoneInfo, language: Language) -> str:
    """Return a deadline as short as it can be: "2 days left · Tue 10:07"; or that it has passed."""
    left_text = (
        language.gettext("Time ran out")
        if has_passed(at, now=now)
        else time_left(at - now, language)
    )
    when = _short_time(at, now=now, zone=zone, language=language)
    return language.gettext("%(left)s · %(when)s", left=left_text, when=when)


def _short_time(at: datetime, *, now: datetime, zone: ZoneInfo, language: Language) -> str:
    """Return the time of day of an instant, with its weekday unless that is today; with the date if it is not this week."""
    local_time = at.astimezone(zone)
    if local_time.date() == now.astimezone(zone).date():
        return f"{local_time:%H:%M}"
    return short_day_and_time(at, now=now, zone=zone, language=language)


def short_day_and_time(at: datetime, *, now: datetime, zone: ZoneInfo, language: Language) -> str:
    """Return the weekday of an instant, or the date if it is not within a week, with the time of day; also for today."""
    local_time = at.astimezone(zone)
    distance = abs((local_time.date() - now.astimezone(zone).date()).days)
    if distance < _DAYS_OF_WEEK:
        day = get_day_names("abbreviated", "format", language.locale)[local_time.weekday()]
    else:
        day = _day_text("MMMd", local_time.date(), language)
    return language.gettext("%(day)s %(time)s", day=day, time=f"{local_time:%H:%M}")


@lru_cache(maxsize=1024)
def duration(length: timedelta, language: Language) -> str:
    """Return a length of time in the largest unit that is exact to the minute: "2 days", but "36 hours"."""
    minutes = round(length / timedelta(minutes=1))
    for unit, size in _DURATION_UNITS:
        if minutes % size == 0:
            return format_unit(minutes // size, unit, locale=language.locale)
    return format_unit(minutes, "duration-minute", locale=language.locale)


def days_and_hours(length: timedelta, language: Language) -> str:
    """Return a length of time in its two largest units, rounded down: "1 day 4 hours", "3 hours 5 minutes"."""
    minutes = max(int(length / _ONE_MINUTE), 0)
    days, remaining_minutes = divmod(minutes, 24 * 60)
    hours, minutes = divmod(remaining_minutes, 60)
    parts = [(days, "duration-day"), (hours, "duration-hour"), (minutes, "duration-minute")]
    largest_part_index = next(
        (part_index for part_index, part in enumerate(parts) if part[0]), _TWO_UNITS
    )
    shown_parts = [
        part for part in parts[largest_part_index : largest_part_index + _TWO_UNITS] if part[0]
    ] or parts[-1:]
    return " ".join(format_unit(count, unit, locale=language.locale) for count, unit in shown_parts)


def urgency(at: datetime, *, now: datetime) -> Urgency:
    """Return whether a deadline is past, near (three hours or less) or neither."""
    if has_passed(at, now=now):
        return "late"
    return "soon" if at - now <= _SOON_BEFORE_DEADLINE else "calm"


def _zone_name(local_time: datetime) -> str:
    """Return the zone's abbreviation, such as EEST, or its offset from UTC where it has none."""
    name = local_time.tzname() or "UTC"
    return name if name.isalpha() else f"UTC{local_time:%z}"
