"""Playing time, the instants that count for the clock of a game, as intervals in UTC; and deadlines counted in it.

The rules for the nights on which clocks change: a window opens at the first instant at which the clock on the wall shows its
hour, and closes at the last. An hour that the clock skips is taken to be the instant of the jump; a whole day that a zone
skipped has no playing time. A window that passes midnight belongs to the weekday on which it opens.

``deadline_for`` and ``elapsed_time`` do the arithmetic of every deadline; nothing else adds wall time to one.
``elapsed_time(start, deadline_for(start, t, calendar), calendar) == t``. A deadline lies inside playing time or at its
very end: time that is used up exactly as a window closes ends there, and not when the next one opens.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, NamedTuple, TypeGuard
from zoneinfo import ZoneInfo

import msgspec

ALL_WEEKDAYS: Final = (0, 1, 2, 3, 4, 5, 6)
"""Monday is 0."""
_DAY: Final = timedelta(days=1)
_NO_TIME: Final = timedelta(0)
_LAST_INSTANT: Final = datetime.max.replace(tzinfo=UTC)


class Interval(NamedTuple):
    """The time from ``start`` up to, but not including, ``end``, both in UTC."""

    start: datetime
    end: datetime

    @property
    def length(self) -> timedelta:
        return self.end - self.start


class PlayingTime(msgspec.Struct, frozen=True, kw_only=True):
    """When the clock of a game runs: weekdays and hours in the game's time zone."""

    zone: str = "UTC"
    weekdays: tuple[int, ...] = ALL_WEEKDAYS
    opens: time | None = None
    """When a playing day begins; None with ``closes`` means the whole day."""
    closes: time | None = None
    """When it ends; on the next day if that is not later than ``opens``."""

    @property
    def is_unlimited(self) -> bool:
        """Return whether the clock never stops."""
        return self.opens is None and (
            self.weekdays == ALL_WEEKDAYS or set(self.weekdays) == set(ALL_WEEKDAYS)
        )

    def windows(self, since: datetime) -> Iterator[Interval]:
        """Yield the playing time from an instant on, in order and without end; raises OverflowError after the year 9999."""
        if self.is_unlimited:
            yield Interval(since, _LAST_INSTANT)
            return
        at = since
        # Two days back: a window may pass midnight, and the clock may have been set back over it.
        for window in self._windows_of_days(
            since.astimezone(ZoneInfo(self.zone)).date() - 2 * _DAY
        ):
            start = max(window.start, at)
            if start < window.end:
                yield Interval(start, window.end)
                at = window.end

    def _windows_of_days(self, first_date: date) -> Iterator[Interval]:
        zone, current_date = ZoneInfo(self.zone), first_date
        opens, closes = self.opens or time(), self.closes or time()
        passes_midnight = closes <= opens
        while True:
            if current_date.weekday() in self.weekdays:
                last_date = current_date + _DAY if passes_midnight else current_date
                yield Interval(
                    _instant(datetime.combine(current_date, opens), zone, is_last=False),
                    _instant(datetime.combine(last_date, closes), zone, is_last=True),
                )
            current_date += _DAY


class Calendar(msgspec.Struct, frozen=True):
    """When the clock of one seat runs: the playing time of its game, without the times when its player is away."""

    playing: PlayingTime = PlayingTime()
    away: tuple[Interval, ...] = ()
    """The absences, in any order; they may overlap."""

    @property
    def never_stops(self) -> bool:
        return not self.away and self.playing.is_unlimited

    def intervals(self, since: datetime) -> Iterator[Interval]:
        """Yield when the clock runs from an instant on, in order and without end."""
        windows = self.playing.windows(since)
        return _windows_without(windows, sorted(self.away)) if self.away else windows


def _windows_without(windows: Iterable[Interval], away: list[Interval]) -> Iterator[Interval]:
    """Yield what the sorted intervals ``away`` leave of each window."""
    for window in windows:
        at = window.start
        for absence in away:
            if absence.start >= window.end:
                break
            if at < absence.start:
                yield Interval(at, absence.start)
            at = max(at, absence.end)
        if at < window.end:
            yield Interval(at, window.end)


def _instant(wall_time: datetime, zone: ZoneInfo, *, is_last: bool) -> datetime:
    """Return the first or last instant at which the clock shows this time, or when the clock skips it, the instant of the jump."""
    at = wall_time.replace(tzinfo=zone, fold=int(is_last)).astimezone(UTC)
    if _wall_time(at, zone) == wall_time:
        return at
    # A skipped time read with the offset before the jump lies after it, and the other way around.
    earliest_instant = wall_time.replace(tzinfo=zone, fold=1).astimezone(UTC)
    latest_instant = wall_time.replace(tzinfo=zone, fold=0).astimezone(UTC)
    seconds = bisect_left(
        range((latest_instant - earliest_instant) // timedelta(seconds=1)),
        True,  # noqa: FBT003 - the value looked for
        key=lambda second: (
            _wall_time(earliest_instant + timedelta(seconds=second), zone) >= wall_time
        ),
    )
    return earliest_instant + timedelta(seconds=seconds)


def _wall_time(at: datetime, zone: ZoneInfo) -> datetime:
    return at.astimezone(zone).replace(tzinfo=None, fold=0)


def away_until(absences: Iterable[Interval], now: datetime) -> datetime | None:
    """Return until when someone is away who has these absences; None if they are not away now."""
    away_end = None
    for absence in sorted(absences):
        if absence.start <= (away_end or now) < absence.end:
            away_end = absence.end
    return away_end


def capped_absences(
    absences: Iterable[Interval], playing: PlayingTime, start: datetime, max_away_time: timedelta
) -> tuple[Interval, ...]:
    """Return the absences from ``start`` on, cut off where they have taken ``max_away_time`` of playing time.

    What two absences have in common counts once.
    """
    capped_intervals: list[Interval] = []
    time_left, at = max_away_time, start
    for absence in sorted(absences):
        begins_at = max(absence.start, at)
        if absence.end <= begins_at or time_left <= _NO_TIME:
            continue
        interval, time_left = _cut_absence(Interval(begins_at, absence.end), playing, time_left)
        capped_intervals.append(interval)
        at = interval.end
    return tuple(capped_intervals)


def _cut_absence(
    absence: Interval, playing: PlayingTime, max_time: timedelta
) -> tuple[Interval, timedelta]:
    """Return an absence without what comes after it has taken ``max_time`` of playing time, and how much of that is left."""
    time_left = max_time
    for window in Calendar(playing).intervals(absence.start):
        if window.start >= absence.end:
            break
        used_time = min(window.end, absence.end) - window.start
        if used_time >= time_left:
            return Interval(absence.start, window.start + time_left), _NO_TIME
        time_left -= used_time
    return absence, time_left


def deadline_for(start: datetime, time: timedelta, calendar: Calendar) -> datetime:
    """Return the first instant at which the clock, started at ``start``, has run for ``time``; ``start`` itself for no time.

    Raises OverflowError if that is after the year 9999.
    """
    if time <= _NO_TIME:
        return start
    if calendar.never_stops:
        return start + time
    time_left = time
    for interval in calendar.intervals(start):
        if time_left <= interval.length:
            return interval.start + time_left
        time_left -= interval.length
    raise OverflowError(time)


def elapsed_time(start: datetime, end: datetime, calendar: Calendar) -> timedelta:
    """Return for how long the clock runs between two instants; no time if ``end`` is not after ``start``."""
    total = _NO_TIME
    if end <= start:
        return total
    if calendar.never_stops:
        return end - start
    for interval in calendar.intervals(start):
        if interval.start >= end:
            break
        total += min(interval.end, end) - interval.start
    return total


def moved_deadline(
    deadline_at: datetime, *, from_at: datetime, to_at: datetime, calendar: Calendar
) -> datetime:
    """Return the deadline that leaves at ``to_at`` as much time as this one leaves at ``from_at``."""
    return deadline_for(to_at, elapsed_time(from_at, deadline_at, calendar), calendar)


def has_passed(deadline: datetime, *, now: datetime) -> bool:
    """Return whether a deadline has passed; at its very instant it has."""
    return deadline <= now


def lies_ahead(end: datetime | None, *, now: datetime) -> TypeGuard[datetime]:
    """Return whether what lasts until then, such as a ban, is still in force; None is the end of nothing."""
    return end is not None and not has_passed(end, now=now)
