"""Sentences about a player's own absences. Days that are away from midnight to midnight have no times."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from webapp.i18n import Language
from webapp.wording.times import absolute_time, day_with_weekday

_ONE_DAY = timedelta(days=1)


def absence_sentence(
    from_at: datetime, until_at: datetime, *, now: datetime, zone: ZoneInfo, language: Language
) -> str:
    """Return from when until when the viewer is away; of an absence that has begun only its end."""
    end = _end_text(until_at, now=now, zone=zone, language=language)
    if from_at <= now:
        return language.gettext("Away until %(end)s", end=end)
    start = (
        day_with_weekday(from_at, now=now, zone=zone, language=language)
        if _is_midnight(from_at, zone)
        else absolute_time(from_at, now=now, zone=zone, language=language)
    )
    return language.gettext("Away from %(start)s until %(end)s", start=start, end=end)


def _end_text(until_at: datetime, *, now: datetime, zone: ZoneInfo, language: Language) -> str:
    if not _is_midnight(until_at, zone):
        return absolute_time(until_at, now=now, zone=zone, language=language)
    last_day = day_with_weekday(until_at - _ONE_DAY / 2, now=now, zone=zone, language=language)
    return language.gettext("the end of %(day)s", day=last_day)


def _is_midnight(at: datetime, zone: ZoneInfo) -> bool:
    return at.astimezone(zone).time() == time()
