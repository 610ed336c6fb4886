from datetime import time

import pytest

from tests.support.cast import ALICE
from tests.support.factories import sign_in_guest
from tests.support.transactions import transaction
from webapp.clock.email_times import (
    TypedQuietHours,
    change_quiet_hours,
    change_reminders,
    email_times_of,
)
from webapp.kernel.refusals import FieldErrors
from webapp.kernel.tx import Database


def quiet_hours_of(
    *weekdays: int, begins: int | None = 22, ends: int | None = 7, number: int = 1
) -> TypedQuietHours:
    return TypedQuietHours(
        number=number,
        weekdays=weekdays,
        from_time=None if begins is None else time(begins),
        until_time=None if ends is None else time(ends),
    )


def test_reminders_are_stored_in_order_and_once_each(database: Database) -> None:
    alice = sign_in_guest(database, ALICE).person
    with transaction(database) as tx:
        assert email_times_of(tx, alice).reminder_hours == ()
        change_reminders(tx, alice, [2, 24, 2])
        assert email_times_of(tx, alice).reminder_hours == (24, 2)
        change_reminders(tx, alice, [None, None, None])
        assert email_times_of(tx, alice).reminder_hours == ()


@pytest.mark.parametrize("hours", [0, 337, 999999999])
def test_absurd_reminders_are_refused(database: Database, hours: int) -> None:
    alice = sign_in_guest(database, ALICE).person
    with transaction(database) as tx:
        change_reminders(tx, alice, [8, None, None])
    with transaction(database) as tx, pytest.raises(FieldErrors) as error_info:
        change_reminders(tx, alice, [8, hours, None])
    assert [error.field for error in error_info.value.errors] == ["hours_2"]
    with transaction(database) as tx:
        assert email_times_of(tx, alice).reminder_hours == (8,)


def test_quiet_hours_are_replaced_and_empty_ones_left_out(database: Database) -> None:
    alice = sign_in_guest(database, ALICE).person
    empty_quiet_hours, night_hours = (
        quiet_hours_of(begins=None, ends=None),
        quiet_hours_of(4, 0, begins=23, number=2),
    )
    with transaction(database) as tx:
        change_quiet_hours(tx, alice, [quiet_hours_of(5, 6), night_hours])
        assert len(email_times_of(tx, alice).quiet_hours) == 2
        change_quiet_hours(tx, alice, [empty_quiet_hours, night_hours])
        [stored_quiet_hours] = email_times_of(tx, alice).quiet_hours
    assert (
        stored_quiet_hours.weekdays,
        stored_quiet_hours.from_time,
        stored_quiet_hours.until_time,
    ) == ((0, 4), time(23), time(7))


@pytest.mark.parametrize(
    "hours, field",
    [
        (quiet_hours_of(1, begins=None), "from_1"),
        (quiet_hours_of(1, ends=None), "until_1"),
        (quiet_hours_of(), "weekdays_1"),
        (quiet_hours_of(1, begins=7, ends=7), "until_1"),
        (quiet_hours_of(1, begins=22, ends=15), "until_1"),
        (quiet_hours_of(1, begins=1, ends=18, number=2), "until_2"),
    ],
)
def test_incomplete_or_endless_quiet_hours_are_refused(
    database: Database, hours: TypedQuietHours, field: str
) -> None:
    alice = sign_in_guest(database, ALICE).person
    with transaction(database) as tx, pytest.raises(FieldErrors) as error_info:
        change_quiet_hours(tx, alice, [hours])
    assert [error.field for error in error_info.value.errors] == [field]
    with transaction(database) as tx:
        assert email_times_of(tx, alice).quiet_hours == ()
