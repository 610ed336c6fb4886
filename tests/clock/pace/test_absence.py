from datetime import UTC, datetime, time, timedelta

from webapp.clock.pace.calendar import Interval, PlayingTime, away_until, capped_absences

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
ALL_HOURS = PlayingTime()
OFFICE_HOURS = PlayingTime(weekdays=(0, 1, 2, 3, 4), opens=time(9), closes=time(17))


def absence(first_day: float, last_day: float) -> Interval:
    return Interval(MONDAY + first_day * DAY, MONDAY + last_day * DAY)


def test_person_is_away_until_the_last_of_adjoining_absences_ends() -> None:
    absences = (absence(4, 5), absence(1, 2), absence(2, 3))
    assert away_until(absences, MONDAY) is None
    assert away_until(absences, MONDAY + DAY) == MONDAY + 3 * DAY
    assert away_until(absences, MONDAY + 2.5 * DAY) == MONDAY + 3 * DAY
    assert away_until(absences, MONDAY + 3 * DAY) is None
    assert away_until((absence(1, 5), absence(2, 3)), MONDAY + 2.5 * DAY) == MONDAY + 5 * DAY
    assert away_until((), MONDAY) is None


def test_absences_are_cut_off_at_the_cap() -> None:
    absences = (absence(3, 6), absence(1, 2))
    assert capped_absences(absences, ALL_HOURS, MONDAY, 10 * DAY) == (absence(1, 2), absence(3, 6))
    assert capped_absences(absences, ALL_HOURS, MONDAY, 2 * DAY) == (absence(1, 2), absence(3, 4))
    assert capped_absences(absences, ALL_HOURS, MONDAY, DAY) == (absence(1, 2),)
    assert capped_absences(absences, ALL_HOURS, MONDAY, 0 * DAY) == ()


def test_absence_before_the_start_does_not_count_against_the_cap() -> None:
    start = MONDAY + 1.5 * DAY
    assert capped_absences((absence(0, 1), absence(1, 3)), ALL_HOURS, start, DAY) == (
        absence(1.5, 2.5),
    )


def test_overlapping_absences_count_their_common_time_once() -> None:
    absences = (absence(0, 2), absence(1, 3))
    assert capped_absences(absences, ALL_HOURS, MONDAY, 2.5 * DAY) == (
        absence(0, 2),
        absence(2, 2.5),
    )


def test_only_playing_time_counts_against_the_cap() -> None:
    absences = (absence(0, 7), absence(7, 14))
    remaining_absences = capped_absences(absences, OFFICE_HOURS, MONDAY, 44 * HOUR)
    assert remaining_absences == (
        absence(0, 7),
        Interval(MONDAY + 7 * DAY, MONDAY + 7 * DAY + 13 * HOUR),
    )
    weekend = absence(5, 7)
    assert capped_absences((weekend,), OFFICE_HOURS, MONDAY, HOUR) == (weekend,)
