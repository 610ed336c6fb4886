"""Statistics of days: counted by a job, shown over 30 or 365 days.

**Answer time**: the time from the game's previous turn to this one, for turns that people play themselves; a choice within
a turn counts by itself, from the part of the turn before it. Pauses are included. **Late turn**: one that the server
played because time had run out. Both come from columns that everyone at the table can see.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import accumulate
from typing import Final, Literal

import msgspec

from webapp.kernel.tx import Tx
from webapp.operations.queries import daily_statistics
from webapp.operations.queries.daily_statistics import (
    BUCKET_BOUNDS,
    BUCKET_COUNT,
    COMMIT_MARGIN,
    CountedDay,
)

Period = Literal[30, 365]
"""How many days a page of charts covers."""
MAX_DAYS_PER_RUN: Final = 100
"""Missing days that one run of the job counts; the next run continues."""
LONGEST_PERIOD: Final = timedelta(days=365)
_DAYS_PER_POINT: Final[dict[Period, int]] = {30: 1, 365: 7}
_MEDIAN_SHARE: Final = 0.5
_SLOW_ANSWER_SHARE: Final = 0.9


class PeriodStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a day or a week; None where nothing was counted or nothing happened."""

    first_day: date
    turns: int | None
    late_share: float | None
    """Late turns as a part of all turns of people."""
    median_answer_seconds: float | None
    """Seconds in which half of the turns were played."""
    slow_answer_seconds: float | None
    """Seconds in which nine of ten turns were played."""
    active_games: float | None
    """Games with a turn of a person, on an average day."""
    emails_sent: int | None
    emails_dropped: int | None
    emails_failed: int | None
    sign_ins: int | None
    new_accounts: int | None


class SiteStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """``periods`` are days or weeks, oldest first; ``counted_day_count`` is how many days they are made of."""

    periods: tuple[PeriodStatistics, ...]
    today: PeriodStatistics
    counted_day_count: int


def statistics_over(tx: Tx, *, days: Period) -> SiteStatistics:
    """Return the statistics of the last days, or for a year of its weeks, and those of today. One statement."""
    today = tx.now.astimezone(UTC).date()
    days_per_point = _DAYS_PER_POINT[days]
    point_count = -(-days // days_per_point)
    first_day = today - timedelta(days=point_count * days_per_point - 1)
    counted_days = daily_statistics.read(tx, since=first_day)
    counts_by_day = {row.day: row for row in counted_days}
    starts = [first_day + timedelta(days=number * days_per_point) for number in range(point_count)]
    periods = tuple(
        _period_statistics(
            start,
            [
                counts_by_day.get(start + timedelta(days=day_number))
                for day_number in range(days_per_point)
            ],
        )
        for start in starts
    )
    return SiteStatistics(
        periods=periods,
        today=_period_statistics(today, [counts_by_day[today]]),
        counted_day_count=len(counts_by_day),
    )


def count_oldest_missing_day(tx: Tx) -> bool:
    """Count the oldest day that is missing or was not over when it was counted, at last today; return whether more remain.

    Counting a day again replaces its figures, so several workers may do it.
    """
    today = tx.now.astimezone(UTC).date()
    first_day_of_site = daily_statistics.first_day(tx)
    since = max(first_day_of_site or today, (tx.now - LONGEST_PERIOD).date())
    counted_at_by_day = daily_statistics.counted_at_by_day(tx, since=since)
    day = next(
        (day for day in _days(since, today) if not _is_complete(day, counted_at_by_day)), today
    )
    daily_statistics.count(tx, day)
    return day < today


def _days(first_day: date, last_day: date) -> Iterable[date]:
    return (first_day + timedelta(days=number) for number in range((last_day - first_day).days + 1))


def _is_complete(day: date, counted_at_by_day: dict[date, datetime]) -> bool:
    end = datetime.combine(day, time(), UTC) + timedelta(days=1)
    return day in counted_at_by_day and counted_at_by_day[day] >= end + COMMIT_MARGIN


def _period_statistics(first_day: date, days: Sequence[CountedDay | None]) -> PeriodStatistics:
    known_days = [day for day in days if day is not None]
    turns, late_turns = _sum(known_days, "turns"), _sum(known_days, "late_turns")
    answer_counts = [
        sum(bucket_counts)
        for bucket_counts in zip(*(day.answer_times for day in known_days), strict=True)
    ]
    return PeriodStatistics(
        first_day=first_day,
        turns=turns,
        late_share=late_turns / turns if turns and late_turns is not None else None,
        median_answer_seconds=quantile(answer_counts, _MEDIAN_SHARE),
        slow_answer_seconds=quantile(answer_counts, _SLOW_ANSWER_SHARE),
        active_games=sum(day.active_games for day in known_days) / len(known_days)
        if known_days
        else None,
        emails_sent=_sum(known_days, "emails_sent"),
        emails_dropped=_sum(known_days, "emails_dropped"),
        emails_failed=_sum(known_days, "emails_failed"),
        sign_ins=_sum(known_days, "sign_ins"),
        new_accounts=_sum(known_days, "new_accounts"),
    )


def _sum(days: Sequence[CountedDay], name: str) -> int | None:
    return sum(getattr(day, name) for day in days) if days else None


def quantile(counts: Sequence[int], share: float) -> float | None:
    """Return about how many seconds a share of the turns took at most; None without turns."""
    total = sum(counts)
    if not total:
        return None
    bucket_limits = (0, *BUCKET_BOUNDS, BUCKET_BOUNDS[-1])
    target_count = share * total
    for bucket, cumulative_count in zip(range(BUCKET_COUNT), accumulate(counts), strict=True):
        if counts[bucket] and cumulative_count >= target_count:
            bucket_share = 1 - (cumulative_count - target_count) / counts[bucket]
            return (
                bucket_limits[bucket]
                + (bucket_limits[bucket + 1] - bucket_limits[bucket]) * bucket_share
            )
    return float(BUCKET_BOUNDS[-1])
