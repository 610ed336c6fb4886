"""Instants, lengths of time and deadlines as text."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.perspectives import ENGLISH
from webapp.kernel.i18n import zone_for
from webapp.wording import times

NOW = datetime(2026, 3, 27, 16, 0, tzinfo=UTC)
RIGA = zone_for("Europe/Riga")


def deadline_in(time_left: timedelta, *, is_own: bool = True) -> str:
    return times.deadline(NOW + time_left, now=NOW, zone=RIGA, language=ENGLISH, is_own=is_own)


def test_instants_follow_the_zone_of_the_reader_through_daylight_saving() -> None:
    last_winter_day, first_summer_day = (
        datetime(2026, 3, 28, 17, tzinfo=UTC),
        datetime(2026, 3, 29, 17, tzinfo=UTC),
    )
    texts = [
        times.absolute_time(at, now=NOW, zone=RIGA, language=ENGLISH)
        for at in (last_winter_day, first_summer_day)
    ]
    assert texts == ["Sat 28 Mar, 19:00 EET", "Sun 29 Mar, 20:00 EEST"]


def test_instants_of_another_year_name_the_year() -> None:
    next_year = datetime(2027, 1, 2, 8, tzinfo=UTC)
    assert times.absolute_time(next_year, now=NOW, zone=RIGA, language=ENGLISH) == (
        "Sat, 2 Jan 2027, 10:00 EET"
    )


def test_zone_without_an_abbreviation_is_named_by_its_offset() -> None:
    text = times.absolute_time(NOW, now=NOW, zone=zone_for("Asia/Dubai"), language=ENGLISH)
    assert text.endswith("UTC+0400")


@pytest.mark.parametrize(
    "time_left, text",
    [
        (timedelta(hours=3), "in 3 hours"),
        (timedelta(hours=30), "in 30 hours"),
        (timedelta(hours=36), "in 36 hours"),
        (timedelta(days=2), "in 2 days"),
        (timedelta(days=2) - timedelta(seconds=5), "in 2 days"),
        (timedelta(hours=60), "in 60 hours"),
        (timedelta(days=3.8), "in 3 days"),
        (timedelta(days=10.5), "in 10 days"),
        (timedelta(days=24.4), "in 24 days"),
        (timedelta(minutes=90), "in 90 minutes"),
        (timedelta(minutes=59.9), "in 60 minutes"),
        (-timedelta(days=400), "13 months ago"),
        (-timedelta(minutes=20), "20 minutes ago"),
        (-timedelta(seconds=68), "1 minute ago"),
        (timedelta(seconds=20), "in a moment"),
        (-timedelta(seconds=20), "just now"),
        (timedelta(), "just now"),
    ],
)
def test_relative_times_use_the_unit_that_fits(time_left: timedelta, text: str) -> None:
    assert times.relative_time(NOW + time_left, now=NOW, language=ENGLISH) == text


def test_deadline_is_worded_for_the_player_it_binds_and_for_others() -> None:
    assert deadline_in(timedelta(hours=5)) == "Play by Fri 27 Mar, 23:00 EET (5 hours left)"
    assert deadline_in(timedelta(days=2)) == "Play by Sun 29 Mar, 19:00 EEST (2 days left)"
    assert deadline_in(timedelta(hours=5), is_own=False) == (
        "Deadline: Fri 27 Mar, 23:00 EET (5 hours left)"
    )


def test_deadline_within_a_minute_is_shown_as_less_than_a_minute() -> None:
    assert deadline_in(timedelta(seconds=59)).endswith("(less than a minute left)")


def test_past_deadline_says_how_long_ago_it_was() -> None:
    assert deadline_in(-timedelta(hours=5)) == "Time ran out 5 hours ago (Fri 27 Mar, 13:00 EET)"


def test_deadline_is_late_soon_or_calm() -> None:
    times_left = (timedelta(), timedelta(hours=3), timedelta(hours=4))
    assert [times.urgency(NOW + time_left, now=NOW) for time_left in times_left] == [
        "late",
        "soon",
        "calm",
    ]


@pytest.mark.parametrize(
    "length, text",
    [
        (timedelta(days=2), "2 days"),
        (timedelta(days=1), "1 day"),
        (timedelta(hours=36), "36 hours"),
        (timedelta(minutes=90), "90 minutes"),
    ],
)
def test_durations_use_the_largest_exact_unit(length: timedelta, text: str) -> None:
    assert times.duration(length, ENGLISH) == text


@pytest.mark.parametrize(
    "time_left, text",
    [
        # NOW is Friday, 18:00 in Riga.
        (timedelta(hours=3), "3 hours left · 21:00"),
        (timedelta(days=1, hours=2), "26 hours left · Sat 20:00"),
        (timedelta(days=9), "9 days left · 5 Apr 19:00"),
        (-timedelta(minutes=5), "Time ran out · 17:55"),
    ],
)
def test_short_deadline_names_the_day_only_as_far_as_needed(
    time_left: timedelta, text: str
) -> None:
    at = NOW + time_left
    assert times.short_deadline(at, now=NOW, zone=RIGA, language=ENGLISH) == text
