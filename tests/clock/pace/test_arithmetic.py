"""Deadlines and elapsed time are inverse, and agree with a count minute by minute."""

from datetime import datetime, time, timedelta
from itertools import islice, pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.clock.pace.calendars import calendars, start_times
from tests.clock.pace.minute_by_minute_model import MINUTE, at_utc, minutes_of_running_clock
from webapp.clock.pace.calendar import (
    Calendar,
    Interval,
    PlayingTime,
    deadline_for,
    elapsed_time,
    moved_deadline,
)

HOUR = timedelta(hours=1)
durations = st.timedeltas(timedelta(0), timedelta(days=12))
RIGA_DAYS = Calendar(PlayingTime(zone="Europe/Riga", opens=time(8), closes=time(22)))


@given(st.data(), start_times(), durations)
def test_playing_time_until_a_deadline_equals_the_time_given(
    data: st.DataObject, start: datetime, length: timedelta
) -> None:
    calendar = data.draw(calendars(start))

    assert elapsed_time(start, deadline_for(start, length, calendar), calendar) == length


@given(st.data(), start_times(), durations, durations)
def test_more_time_or_a_later_start_never_gives_an_earlier_deadline(
    data: st.DataObject, start: datetime, length: timedelta, extra_time: timedelta
) -> None:
    calendar = data.draw(calendars(start))
    deadline_at = deadline_for(start, length, calendar)

    assert deadline_for(start, length + extra_time, calendar) >= deadline_at + extra_time
    if length:
        assert deadline_for(start + extra_time, length, calendar) >= deadline_at
    assert deadline_at >= start + length


@given(st.data(), start_times(), st.timedeltas(timedelta(microseconds=1), timedelta(days=12)))
def test_the_clock_runs_up_to_the_very_instant_of_a_deadline(
    data: st.DataObject, start: datetime, length: timedelta
) -> None:
    calendar = data.draw(calendars(start))
    deadline_at = deadline_for(start, length, calendar)

    instant_before = deadline_at - timedelta(microseconds=1)
    assert elapsed_time(instant_before, deadline_at, calendar) == timedelta(microseconds=1)


@given(st.data(), start_times(), durations, durations)
def test_deadline_computed_in_two_steps_is_the_same(
    data: st.DataObject, start: datetime, first: timedelta, second: timedelta
) -> None:
    calendar = data.draw(calendars(start))
    deadline_of_first_part = deadline_for(start, first, calendar)

    assert (
        elapsed_time(
            deadline_of_first_part, deadline_for(deadline_of_first_part, second, calendar), calendar
        )
        == second
    )
    if second:
        assert deadline_for(deadline_of_first_part, second, calendar) == deadline_for(
            start, first + second, calendar
        )


@given(st.data(), start_times())
def test_playing_time_agrees_with_a_count_of_minutes(data: st.DataObject, start: datetime) -> None:
    calendar, days = data.draw(calendars(start)), 9
    minutes = minutes_of_running_clock(calendar, start, days)

    assert elapsed_time(start, start + timedelta(days=days), calendar) == len(minutes) * MINUTE
    if minutes:
        number = data.draw(st.integers(1, len(minutes)))
        assert deadline_for(start, number * MINUTE, calendar) == minutes[number - 1] + MINUTE


@given(st.data(), start_times())
def test_playing_windows_are_in_order_and_never_overlap(
    data: st.DataObject, start: datetime
) -> None:
    windows = list(islice(data.draw(calendars(start)).intervals(start), 30))

    assert all(window.start < window.end for window in windows)
    assert all(first.end <= second.start for first, second in pairwise(windows))
    assert start <= windows[0].start


def test_deadline_without_playing_hours_and_absences_is_a_plain_sum() -> None:
    start = at_utc("2026-03-28 21:17")

    assert deadline_for(start, 30 * HOUR, Calendar()) == start + 30 * HOUR
    assert elapsed_time(start, start + 30 * HOUR, Calendar()) == 30 * HOUR
    assert elapsed_time(start, start - HOUR, Calendar()) == timedelta(0)
    assert deadline_for(start, timedelta(0), RIGA_DAYS) == start


def test_deadline_at_the_end_of_a_window_does_not_move_to_the_next_window() -> None:
    start = at_utc("2026-06-01 17:00")  # 20:00 in Riga.

    assert deadline_for(start, 2 * HOUR, RIGA_DAYS) == at_utc("2026-06-01 19:00")
    assert deadline_for(start, 2 * HOUR + MINUTE, RIGA_DAYS) == at_utc("2026-06-02 05:01")


def test_a_window_over_midnight_belongs_to_the_day_on_which_it_opens() -> None:
    fridays = Calendar(
        PlayingTime(zone="Europe/Riga", weekdays=(4,), opens=time(20), closes=time(2))
    )
    saturday_night = at_utc("2026-06-05 22:00")  # 01:00 on Saturday in Riga.

    assert elapsed_time(saturday_night, saturday_night + 48 * HOUR, fridays) == HOUR
    assert deadline_for(saturday_night, 2 * HOUR, fridays) == at_utc("2026-06-12 18:00")


def test_a_skipped_hour_counts_as_the_instant_at_which_the_clock_jumps() -> None:
    # In Riga 03:00 becomes 04:00 on 29 March 2026, which is 01:00 UTC.
    calendar_opening_in_changed_hour = Calendar(
        PlayingTime(zone="Europe/Riga", opens=time(3, 30), closes=time(6))
    )
    calendar_closing_in_changed_hour = Calendar(
        PlayingTime(zone="Europe/Riga", opens=time(1), closes=time(3, 30))
    )
    midnight = at_utc("2026-03-28 22:00")

    assert (
        elapsed_time(midnight, midnight + 12 * HOUR, calendar_opening_in_changed_hour) == 2 * HOUR
    )
    assert deadline_for(midnight, HOUR, calendar_opening_in_changed_hour) == at_utc(
        "2026-03-29 02:00"
    )
    assert (
        elapsed_time(midnight, midnight + 12 * HOUR, calendar_closing_in_changed_hour) == 2 * HOUR
    )


def test_window_opens_in_the_first_and_closes_in_the_second_of_repeated_hours() -> None:
    # In Riga 04:00 becomes 03:00 on 25 October 2026, which is 01:00 UTC.
    calendar_opening_in_changed_hour = Calendar(
        PlayingTime(zone="Europe/Riga", opens=time(3, 30), closes=time(6))
    )
    calendar_closing_in_changed_hour = Calendar(
        PlayingTime(zone="Europe/Riga", opens=time(1), closes=time(3, 30))
    )
    midnight = at_utc("2026-10-24 21:00")

    assert elapsed_time(
        midnight, midnight + 12 * HOUR, calendar_opening_in_changed_hour
    ) == timedelta(hours=3, minutes=30)
    assert elapsed_time(
        midnight, midnight + 12 * HOUR, calendar_closing_in_changed_hour
    ) == timedelta(hours=3, minutes=30)


def test_a_date_that_a_zone_skipped_has_no_playing_time() -> None:
    fridays = Calendar(PlayingTime(zone="Pacific/Apia", weekdays=(4,)))

    # 30 December 2011, a Friday, did not exist in Apia.
    assert deadline_for(at_utc("2011-12-29 00:00"), HOUR, fridays) == at_utc("2012-01-05 11:00")


def test_absences_stop_the_clock_in_any_order() -> None:
    start = at_utc("2026-06-01 10:00")
    absences = (
        Interval(start + 5 * HOUR, start + 9 * HOUR),
        Interval(start + HOUR, start + 3 * HOUR),
        Interval(start + 2 * HOUR, start + 6 * HOUR),
    )

    assert deadline_for(start, 2 * HOUR, Calendar(PlayingTime(), absences)) == start + 10 * HOUR
    assert elapsed_time(start, start + 8 * HOUR, Calendar(PlayingTime(), absences)) == HOUR


def test_a_moved_deadline_leaves_as_much_time_as_before() -> None:
    paused_at, resumed_at = at_utc("2026-06-01 18:00"), at_utc("2026-06-06 01:00")

    moved_deadline_at = moved_deadline(
        at_utc("2026-06-02 06:00"), from_at=paused_at, to_at=resumed_at, calendar=RIGA_DAYS
    )

    assert moved_deadline_at == at_utc("2026-06-06 07:00")


def test_thirty_days_of_playing_time_at_one_hour_a_week_take_years() -> None:
    sundays = Calendar(
        PlayingTime(zone="Europe/Riga", weekdays=(6,), opens=time(23), closes=time(0))
    )
    start = at_utc("2026-06-01 10:00")

    deadline_at = deadline_for(start, timedelta(days=30), sundays)

    assert elapsed_time(start, deadline_at, sundays) == timedelta(days=30)
    assert (deadline_at - start) // timedelta(weeks=1) == 30 * 24 - 1
