"""When a player is reminded of a deadline: at the hours that they chose, and outside of their quiet hours."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

import msgspec

from webapp.clock.pace.calendar import Interval, PlayingTime

MIN_TIME_LEFT: Final = timedelta(hours=1)
"""A reminder after quiet hours leaves at least this much time; otherwise it is sent before they begin."""
MIN_TIME_BETWEEN_REMINDERS: Final = timedelta(hours=1)
_TIME_BEFORE_QUIET_HOURS: Final = timedelta(minutes=1)
_LONGEST_QUIET_TIME: Final = timedelta(days=2)


class ReminderPreferences(msgspec.Struct, frozen=True, kw_only=True):
    """When a player wants reminders."""

    hours: tuple[int, ...] = ()
    """How many hours before the deadline; none for the usual reminder."""
    quiet: tuple[PlayingTime, ...] = ()
    """The hours without reminders."""


def first_reminder(
    usual_reminder_at: datetime,
    deadline_at: datetime,
    preferences: ReminderPreferences,
    *,
    now: datetime,
) -> datetime | None:
    """Return when the player is first reminded after ``now``; None if the email about the turn has to be enough.

    ``usual_reminder_at`` is when a player is reminded who has not chosen any hours.
    """
    if preferences.hours:
        return next_reminder(deadline_at, preferences, after=now)
    reminder_at = allowed_reminder_time(usual_reminder_at, deadline_at, preferences)
    return reminder_at if reminder_at > now or not preferences.quiet else None


def next_reminder(
    deadline_at: datetime,
    preferences: ReminderPreferences,
    *,
    after: datetime,
    reminded_at: datetime | None = None,
) -> datetime | None:
    """Return the next of the reminders at chosen hours, if there is one after an instant.

    ``reminded_at`` is when the last one was due: quiet hours may move another to soon after it, and that is not sent.
    """
    reminders = _chosen_reminders(deadline_at, preferences)
    earliest_at = after if reminded_at is None else reminded_at + MIN_TIME_BETWEEN_REMINDERS
    return min((at for at in reminders if at > after and at >= earliest_at), default=None)


def earliest_reminder(deadline_at: datetime, preferences: ReminderPreferences) -> datetime | None:
    """Return the first of the reminders at chosen hours; None for a player who has chosen none."""
    return min(_chosen_reminders(deadline_at, preferences), default=None)


def _chosen_reminders(
    deadline_at: datetime, preferences: ReminderPreferences
) -> Iterator[datetime]:
    for hours in preferences.hours:
        yield allowed_reminder_time(deadline_at - timedelta(hours=hours), deadline_at, preferences)


def allowed_reminder_time(
    at: datetime, deadline_at: datetime, preferences: ReminderPreferences
) -> datetime:
    """Return when a reminder for this instant is sent: after the quiet hours that it falls into.

    If the deadline falls into them too, or comes soon after them, it is sent in the last moment before they begin, which may
    be earlier than ``at`` was.
    """
    quiet = _quiet_interval(at, preferences)
    if quiet is None:
        return at
    if quiet.end + MIN_TIME_LEFT <= deadline_at:
        return quiet.end
    return quiet.start - _TIME_BEFORE_QUIET_HOURS


def quiet_until(at: datetime, preferences: ReminderPreferences) -> datetime | None:
    """Return when the quiet hours end that an instant falls into; None outside of them."""
    quiet = _quiet_interval(at, preferences)
    return None if quiet is None else quiet.end


def _quiet_interval(at: datetime, preferences: ReminderPreferences) -> Interval | None:
    """Return the quiet hours that an instant falls into; those that adjoin each other are one."""
    start, end = at, at
    for interval in sorted(_intervals_around(at, preferences)):
        if interval.start <= end < interval.end:
            end = interval.end
    if end == at:
        return None
    for interval in sorted(_intervals_around(at, preferences), reverse=True):
        if interval.start < start <= interval.end:
            start = interval.start
    return Interval(start, end)


def _intervals_around(at: datetime, preferences: ReminderPreferences) -> Iterator[Interval]:
    for hours in preferences.quiet:
        for interval in hours.windows(at - _LONGEST_QUIET_TIME):
            if interval.start > at + _LONGEST_QUIET_TIME:
                break
            yield interval
