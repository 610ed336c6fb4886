from datetime import UTC, date, datetime, time, timedelta

import msgspec
import pytest

from tests.support.cast import ALICE, BOB
from tests.support.factories import Guest, sign_in_guests
from tests.support.transactions import NOON, transaction
from webapp.accounts.person import Person
from webapp.clock.absences import (
    MAX_ABSENCES_A_DAY,
    OwnAbsence,
    change_absence,
    declare_future_absence,
    end_absence,
    own_absence,
    own_absences,
    start_holiday,
)
from webapp.clock.local_periods import LocalPeriod
from webapp.kernel.refusals import FieldErrors, NotFound
from webapp.kernel.tx import Database

TODAY = NOON.date()
DAY = timedelta(days=1)


@pytest.fixture
def people(database: Database) -> list[Guest]:
    return sign_in_guests(database, ALICE, BOB)


@pytest.fixture
def alice(people: list[Guest]) -> Person:
    return msgspec.structs.replace(people[0].person, zone="Europe/Riga")


def days(first_offset: int, last_offset: int) -> LocalPeriod:
    """Return the period from so many days after today until so many."""
    return LocalPeriod(first_day=TODAY + first_offset * DAY, last_day=TODAY + last_offset * DAY)


def declare_absence(
    database: Database, person: Person, period: LocalPeriod, now: datetime = NOON
) -> tuple[OwnAbsence, ...]:
    with transaction(database, now) as tx:
        declare_future_absence(tx, person, period)
        return own_absences(tx, person)


def refused_codes(
    database: Database, person: Person, period: LocalPeriod, now: datetime = NOON
) -> list[tuple[str, str]]:
    with pytest.raises(FieldErrors) as error_info:
        declare_absence(database, person, period, now)
    return [(error.field, error.code) for error in error_info.value.errors]


def test_absence_lasts_from_midnight_to_midnight_in_the_zone_of_the_account(
    database: Database, alice: Person
) -> None:
    midnight = datetime.combine(TODAY, time(), UTC) - timedelta(hours=2)
    [absence] = declare_absence(database, alice, days(2, 3))
    assert (absence.from_at, absence.until_at) == (midnight + 2 * DAY, midnight + 4 * DAY)
    assert (absence.kind, absence.has_begun) == ("dates", False)


def test_absence_lasts_between_times_of_its_days(database: Database, alice: Person) -> None:
    period = msgspec.structs.replace(days(2, 3), first_time=time(18), last_time=time(7, 30))
    [absence] = declare_absence(database, alice, period)
    assert (absence.from_at.hour, absence.until_at.hour) == (16, 5)
    assert absence.until_at - absence.from_at == timedelta(hours=13, minutes=30)


def test_day_of_a_clock_change_has_its_own_length(database: Database, alice: Person) -> None:
    for day, length in ((date(2027, 3, 28), 23), (date(2027, 10, 31), 25)):
        period = LocalPeriod(first_day=day, last_day=day)
        *_, absence = declare_absence(database, alice, period, now=datetime(2027, 3, 1, tzinfo=UTC))
        assert absence.until_at - absence.from_at == timedelta(hours=length)


def test_absence_that_begins_today_begins_now(database: Database, alice: Person) -> None:
    [absence] = declare_absence(database, alice, days(0, 1))
    assert (absence.from_at, absence.has_begun) == (NOON, True)


def test_declaring_the_same_absence_twice_stores_it_once(database: Database, alice: Person) -> None:
    for period in (days(0, 1), days(3, 4)):
        declare_absence(database, alice, period)
        later_absences = declare_absence(database, alice, period, NOON + timedelta(seconds=5))
    assert len(later_absences) == 2


@pytest.mark.parametrize(
    "period, expected_error",
    [
        (days(-2, -1), ("last_day", "over-already")),
        (days(-1, 1), ("first_day", "over-already")),
        (days(3, 2), ("last_day", "before-start")),
        (days(2, 62), ("last_day", "too-long-away")),
        (days(366, 367), ("first_day", "too-far")),
        (LocalPeriod(first_day=date.max, last_day=date.max), ("first_day", "too-far")),
        (LocalPeriod(first_day=TODAY, last_day=date.max), ("last_day", "too-long-away")),
        (LocalPeriod(first_day=date.min, last_day=date.min), ("last_day", "over-already")),
        (
            LocalPeriod(first_day=TODAY, last_day=TODAY, last_time=time(1)),
            ("last_time", "over-already"),
        ),
        (
            LocalPeriod(
                first_day=TODAY + DAY,
                first_time=time(9),
                last_day=TODAY + DAY,
                last_time=time(9),
            ),
            ("last_time", "before-start"),
        ),
    ],
)
def test_impossible_absence_is_refused(
    database: Database, alice: Person, period: LocalPeriod, expected_error: tuple[str, str]
) -> None:
    assert refused_codes(database, alice, period) == [expected_error]
    with transaction(database) as tx:
        assert own_absences(tx, alice) == ()


def test_sixty_days_are_possible(database: Database, alice: Person) -> None:
    assert len(declare_absence(database, alice, days(1, 60))) == 1


def test_skipped_time_is_refused(database: Database, alice: Person) -> None:
    clock_change_period = LocalPeriod(
        first_day=date(2027, 3, 28), first_time=time(3, 30), last_day=date(2027, 3, 29)
    )
    now = datetime(2027, 3, 1, tzinfo=UTC)
    assert refused_codes(database, alice, clock_change_period, now) == [("first_time", "skipped")]
    person_in_tokyo = msgspec.structs.replace(alice, zone="Asia/Tokyo")
    assert declare_absence(database, person_in_tokyo, clock_change_period, now)


@pytest.mark.parametrize("period", [days(2, 4), days(4, 9), days(1, 9), days(3, 3)])
def test_overlapping_absence_is_refused(
    database: Database, alice: Person, period: LocalPeriod
) -> None:
    declare_absence(database, alice, days(2, 5))
    assert refused_codes(database, alice, period) == [("last_day", "overlaps")]


def test_adjacent_absences_are_possible_and_three_are_the_limit(
    database: Database, alice: Person
) -> None:
    for first_day in (2, 3, 4):
        declare_absence(database, alice, days(first_day, first_day))
    assert refused_codes(database, alice, days(9, 9)) == [("first_day", "too-many-absences")]
    with transaction(database) as tx:
        start_holiday(tx, alice, days(0, 1))
        assert [absence.kind for absence in own_absences(tx, alice)] == [
            "holiday",
            "dates",
            "dates",
            "dates",
        ]


def test_absences_are_limited_by_day(database: Database, alice: Person) -> None:
    now = NOON
    for _ in range(MAX_ABSENCES_A_DAY):
        [absence] = declare_absence(database, alice, days(0, 1), now)
        now += timedelta(minutes=1)
        with transaction(database, now) as tx:
            end_absence(tx, alice, absence.id)
    assert refused_codes(database, alice, days(0, 1), now) == [("last_day", "too-often-today")]


def test_changed_absence_keeps_its_beginning_once_it_has_begun(
    database: Database, alice: Person
) -> None:
    [absence] = declare_absence(database, alice, days(1, 3))
    with transaction(database) as tx:
        change_absence(tx, alice, absence.id, days(2, 4))
        changed_absence = own_absence(tx, alice, absence.id)
    assert changed_absence.from_at == absence.from_at + DAY
    now = changed_absence.from_at + DAY
    with transaction(database, now) as tx:
        change_absence(tx, alice, absence.id, days(3, 9))
        [absence_after_second_change] = own_absences(tx, alice)
    assert (absence_after_second_change.from_at, absence_after_second_change.until_at) == (
        changed_absence.from_at,
        changed_absence.until_at + 5 * DAY,
    )
    with transaction(database, now) as tx, pytest.raises(FieldErrors):
        change_absence(tx, alice, absence.id, days(3, 62))


def test_ended_absence_counts_no_more_and_withdrawn_one_is_deleted(
    database: Database, alice: Person
) -> None:
    declare_absence(database, alice, days(0, 1))
    begun_absence, planned_absence = declare_absence(database, alice, days(4, 5))
    with transaction(database) as tx:
        for absence in (begun_absence, planned_absence, planned_absence):
            end_absence(tx.at(NOON + timedelta(hours=1)), alice, absence.id)
        assert own_absences(tx.at(NOON + timedelta(hours=1)), alice) == ()
        with pytest.raises(NotFound):
            own_absence(tx.at(NOON), alice, begun_absence.id)
    assert declare_absence(database, alice, days(0, 1), NOON + timedelta(hours=2))


def test_absences_of_others_cannot_be_seen_or_changed(
    database: Database, people: list[Guest], alice: Person
) -> None:
    [absence] = declare_absence(database, alice, days(1, 2))
    bob = people[1].person
    with transaction(database) as tx:
        assert own_absences(tx, bob) == ()
        end_absence(tx, bob, absence.id)
        with pytest.raises(NotFound):
            change_absence(tx, bob, absence.id, days(1, 5))
        assert own_absences(tx, alice) == (absence,)
