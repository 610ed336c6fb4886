"""The times at which a person wants reminders: hours before the deadline, and quiet hours without any."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Final

import msgspec

from webapp.accounts.person import Person
from webapp.accounts.queries.accounts import lock_account
from webapp.clock.queries import email_times
from webapp.clock.queries.email_times import QuietHoursRow
from webapp.kernel.refusals import FieldError, FieldErrors, out_of_range
from webapp.kernel.tx import Tx

MAX_REMINDERS: Final = 3
MAX_REMINDER_HOURS: Final = 14 * 24
MAX_QUIET_HOURS: Final = 2
"""How many different quiet hours a week can have, as for workdays and for weekends."""
LONGEST_QUIET_TIME: Final = timedelta(hours=16)
_ONE_DAY: Final = timedelta(days=1)
_ANY_DAY: Final = date(2000, 1, 1)


class TypedQuietHours(msgspec.Struct, frozen=True, kw_only=True):
    """Quiet hours under the number that their fields have on the page; None is an empty field."""

    number: int
    weekdays: tuple[int, ...]
    from_time: time | None
    until_time: time | None

    @property
    def is_empty(self) -> bool:
        return not self.weekdays and self.from_time is None and self.until_time is None


class EmailTimes(msgspec.Struct, frozen=True, kw_only=True):
    """When a person is reminded; without ``reminder_hours`` at the usual time."""

    reminder_hours: tuple[int, ...]
    quiet_hours: tuple[QuietHoursRow, ...]


def email_times_of(tx: Tx, person: Person) -> EmailTimes:
    """Return when the person wants reminders."""
    return EmailTimes(
        reminder_hours=email_times.reminder_hours(tx, person.id),
        quiet_hours=email_times.quiet_hours(tx, person.id),
    )


def change_reminders(tx: Tx, person: Person, hours: Sequence[int | None]) -> None:
    """Store how many hours before a deadline the person is reminded; None is an empty field. Raises FieldErrors."""
    errors = [
        out_of_range(f"hours_{number}", 1, MAX_REMINDER_HOURS)
        for number, count in enumerate(hours, 1)
        if count is not None and not 1 <= count <= MAX_REMINDER_HOURS
    ]
    if errors:
        raise FieldErrors(*errors)
    lock_account(tx, person.id)
    chosen_hours = sorted({count for count in hours if count is not None}, reverse=True)
    email_times.change_reminder_hours(tx, person.id, chosen_hours[:MAX_REMINDERS])


def change_quiet_hours(tx: Tx, person: Person, typed_hours: Sequence[TypedQuietHours]) -> None:
    """Store quiet hours in place of the earlier ones; empty ones are left out. Raises FieldErrors."""
    filled_hours = [
        typed_quiet_hours for typed_quiet_hours in typed_hours if not typed_quiet_hours.is_empty
    ]
    errors = [
        error
        for typed_quiet_hours in filled_hours
        if (error := _quiet_hours_error(typed_quiet_hours))
    ]
    if errors:
        raise FieldErrors(*errors)
    lock_account(tx, person.id)
    email_times.replace_quiet_hours(
        tx,
        person.id,
        [_checked_row(typed_quiet_hours) for typed_quiet_hours in filled_hours],
    )


def _quiet_hours_error(typed_quiet_hours: TypedQuietHours) -> FieldError | None:
    """Return what is missing or wrong; the code names the part, because three fields belong together."""
    number = typed_quiet_hours.number
    if typed_quiet_hours.from_time is None:
        return FieldError(f"from_{number}", "required")
    if typed_quiet_hours.until_time is None:
        return FieldError(f"until_{number}", "required")
    if not typed_quiet_hours.weekdays:
        return FieldError(f"weekdays_{number}", "no-weekday")
    if (
        _duration_between(typed_quiet_hours.from_time, typed_quiet_hours.until_time)
        > LONGEST_QUIET_TIME
    ):
        longest_hours = LONGEST_QUIET_TIME // timedelta(hours=1)
        return FieldError(f"until_{number}", "too-quiet", {"max": longest_hours})
    return None


def _duration_between(from_time: time, until_time: time) -> timedelta:
    """Return how long it is until a time comes next; the same time comes a day later."""
    begins_at = datetime.combine(_ANY_DAY, from_time)
    ends_at = datetime.combine(_ANY_DAY, until_time)
    return ends_at - begins_at if ends_at > begins_at else ends_at - begins_at + _ONE_DAY


def _checked_row(typed_quiet_hours: TypedQuietHours) -> QuietHoursRow:
    assert typed_quiet_hours.from_time is not None
    assert typed_quiet_hours.until_time is not None
    return QuietHoursRow(
        weekdays=tuple(sorted(set(typed_quiet_hours.weekdays))),
        from_time=typed_quiet_hours.from_time,
        until_time=typed_quiet_hours.until_time,
    )
