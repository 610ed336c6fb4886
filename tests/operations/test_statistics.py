"""Statistics of days: what is counted, that missing days are filled in, and what is shown over 30 and 365 days."""

from datetime import UTC, date, datetime, timedelta

import pytest

from tests.support.calls import sweep_with_calls_sent
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import deal_game, play_turn, sign_in_by_email, sign_in_guests
from tests.support.statements import recorded_statements
from tests.support.transactions import NOON, pick_first, read_only, transaction
from webapp.kernel.tx import Database
from webapp.operations import statistics
from webapp.operations.queries.daily_statistics import BUCKET_BOUNDS, BUCKET_COUNT
from webapp.operations.statistics import Period, PeriodStatistics

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def count_days_until_done(database: Database, now: datetime, *, at_most: int = 50) -> int:
    for number in range(1, at_most + 1):
        with transaction(database, now) as tx:
            if not statistics.count_oldest_missing_day(tx):
                return number
    return at_most


def charts(database: Database, now: datetime, days: Period = 30) -> tuple[PeriodStatistics, ...]:
    with read_only(database, now) as tx:
        return statistics.statistics_over(tx, days=days).periods


def periods_by_day(database: Database, now: datetime) -> dict[date, PeriodStatistics]:
    return {period.first_day: period for period in charts(database, now)}


def play_two_turns_and_let_one_expire(database: Database) -> datetime:
    """Play after 1 and 3 hours on one day, then let the third player's day run out; return when."""
    guests = sign_in_guests(database, ALICE, BOB, CAROL)
    slug = deal_game(database, guests)
    play_turn(database, slug, guests[0], now=NOON + HOUR)
    play_turn(database, slug, guests[1], now=NOON + 4 * HOUR)
    late_at = NOON + 4 * HOUR + DAY
    with transaction(database) as tx:
        sweep_with_calls_sent(tx, now=late_at, random_below=pick_first)
    return late_at


def test_turns_answer_times_and_active_games_are_counted_by_day(database: Database) -> None:
    now = play_two_turns_and_let_one_expire(database)
    count_days_until_done(database, now)
    first_statistics, second_statistics = (
        periods_by_day(database, now)[day] for day in (NOON.date(), now.date())
    )
    assert (first_statistics.turns, first_statistics.late_share, first_statistics.active_games) == (
        2,
        0,
        1,
    )
    assert first_statistics.median_answer_seconds == pytest.approx(HOUR.total_seconds(), rel=0.42)
    assert first_statistics.slow_answer_seconds == pytest.approx(3 * HOUR.total_seconds(), rel=0.42)
    assert (
        second_statistics.turns,
        second_statistics.late_share,
        second_statistics.median_answer_seconds,
    ) == (1, 1, None)
    assert first_statistics.new_accounts == 3


def test_today_is_shown_before_any_job_has_counted_it(database: Database) -> None:
    sign_in_guests(database, ALICE, BOB)
    with recorded_statements(database) as statements, read_only(database) as tx:
        shown_periods = statistics.statistics_over(tx, days=30)
    assert len(statements) == 1
    assert (shown_periods.today.new_accounts, shown_periods.counted_day_count) == (2, 1)
    assert shown_periods.periods[-1] == shown_periods.today


def test_emails_and_sign_ins_are_counted_by_day(database: Database) -> None:
    sign_in_by_email(database, ALICE)
    with transaction(database) as tx:
        tx.connection.exec_driver_sql(
            "UPDATE notification SET status = 'sent', settled_at = %s", (NOON,)
        )
    count_days_until_done(database, NOON)
    today = periods_by_day(database, NOON)[NOON.date()]
    assert (today.emails_sent, today.emails_dropped, today.emails_failed) == (1, 0, 0)
    assert today.sign_ins == 1


def test_counting_again_replaces_the_figures(database: Database) -> None:
    now = play_two_turns_and_let_one_expire(database)
    count_days_until_done(database, now)
    earlier_periods = periods_by_day(database, now)
    count_days_until_done(database, now + HOUR)
    assert periods_by_day(database, now) == earlier_periods


def test_missing_days_are_filled_in_after_an_outage(database: Database) -> None:
    sign_in_guests(database, ALICE)
    assert count_days_until_done(database, NOON) == 1
    # The first day was not over; then nine whole days, and the present one.
    assert count_days_until_done(database, NOON + 10 * DAY) == 11
    assert all(
        periods_by_day(database, NOON + 10 * DAY)[(NOON + number * DAY).date()].turns == 0
        for number in range(11)
    )


def test_day_is_counted_again_until_its_last_commits_are_visible(database: Database) -> None:
    sign_in_guests(database, ALICE)
    midnight = datetime(2026, 3, 3, tzinfo=UTC)
    count_days_until_done(database, midnight + timedelta(minutes=1))
    assert count_days_until_done(database, midnight + timedelta(minutes=11)) == 2
    assert count_days_until_done(database, midnight + timedelta(minutes=12)) == 1


def test_days_that_were_not_counted_are_gaps(database: Database) -> None:
    shown_periods = charts(database, NOON)
    assert len(shown_periods) == 30
    assert shown_periods[-1].first_day == NOON.date()
    assert {period.turns for period in shown_periods[:-1]} == {None}


def test_year_is_shown_in_weeks_that_end_today(database: Database) -> None:
    now = play_two_turns_and_let_one_expire(database)
    count_days_until_done(database, now)
    shown_periods = charts(database, now, 365)
    assert len(shown_periods) == 53
    assert shown_periods[-1].first_day == now.date() - 6 * DAY
    assert shown_periods[-1].turns == 3
    assert shown_periods[-1].late_share == pytest.approx(1 / 3)


@pytest.mark.parametrize("days", [30, 365])
def test_charts_are_read_in_one_statement(database: Database, days: Period) -> None:
    with recorded_statements(database) as statements:
        charts(database, NOON, days)
    assert len(statements) == 1


def test_quantile_lies_between_the_bounds_of_its_bucket() -> None:
    counts = [0] * BUCKET_COUNT
    assert statistics.quantile(counts, 0.5) is None
    counts[10] = 4
    assert statistics.quantile(counts, 0.5) == (BUCKET_BOUNDS[9] + BUCKET_BOUNDS[10]) / 2
    counts[BUCKET_COUNT - 1] = 100
    assert statistics.quantile(counts, 0.9) == BUCKET_BOUNDS[-1]
