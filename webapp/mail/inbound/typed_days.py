"""Days as people type them: `24 Dec`, `24.12.`, `Dec 24 2026`, `2026-12-24`, `Sunday` or `tomorrow`, each with a time behind it or not."""

import calendar
import re
from datetime import date, time, timedelta
from typing import Final

from webapp.clock.local_periods import LocalPeriod

_TIME: Final = re.compile(r"\s+(?:at\s+)?(\d{1,2})(?::(\d{2}))?\s*(am|pm)?$")
_ISO: Final = re.compile(r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})")
_NUMERIC: Final = re.compile(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})?")
_DAY_FIRST: Final = re.compile(
    r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\s+(?P<name>[a-z]{3,9})\.?,?(?:\s+(?P<year>\d{4}))?"
)
_MONTH_FIRST: Final = re.compile(
    r"(?P<name>[a-z]{3,9})\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?(?:\s+(?P<year>\d{4}))?"
)
_WEEKDAYS: Final = tuple(name.lower() for name in calendar.day_name)
_MONTHS: Final = tuple(name.lower() for name in calendar.month_name)
_SHORTEST_NAME: Final = 3
_NOON: Final = 12


def period_until(text: str, today: date) -> LocalPeriod | None:
    """Return the time from today until the end of a day, or until a time of it; None if this is no day.

    A day without a year is the next one, and a weekday is the next one after today.
    """
    words = " ".join(text.casefold().split()).strip("!,;")
    day = _day(words, today)
    if day is not None:
        return LocalPeriod(first_day=today, last_day=day)
    found = _TIME.search(words)
    day = None if found is None else _day(words[: found.start()], today)
    last_time = None if found is None else _time(found)
    if day is None or last_time is None:
        return None
    return LocalPeriod(first_day=today, last_day=day, last_time=last_time)


def _day(words: str, today: date) -> date | None:
    if words in {"today", "tomorrow"}:
        return today + timedelta(days=words == "tomorrow")
    weekday = _place(words.rstrip("."), _WEEKDAYS)
    if weekday is not None:
        return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    for pattern in (_ISO, _NUMERIC, _DAY_FIRST, _MONTH_FIRST):
        if found := pattern.fullmatch(words):
            return _date(found.groupdict(), today)
    return None


def _date(parts: dict[str, str | None], today: date) -> date | None:
    name, year = parts.get("name"), parts["year"]
    month = int(parts.get("month") or 0) if name is None else _place(name, _MONTHS)
    years = [int(year)] if year else range(today.year, today.year + 5)
    days = (_existing_date(each, month or 0, int(parts["day"] or 0)) for each in years)
    return next((day for day in days if day is not None and (year or day >= today)), None)


def _existing_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _time(found: re.Match[str]) -> time | None:
    hour, minute, half = int(found[1]), int(found[2] or 0), found[3]
    if half is None and found[2] is None:
        return None
    if half is not None:
        if not 1 <= hour <= _NOON:
            return None
        hour = hour % _NOON + (_NOON if half == "pm" else 0)
    try:
        return time(hour, minute)
    except ValueError:
        return None


def _place(word: str, names: tuple[str, ...]) -> int | None:
    """Return which of the names a word is, or the beginning of."""
    if len(word) < _SHORTEST_NAME:
        return None
    return next((place for place, name in enumerate(names) if name.startswith(word)), None)
