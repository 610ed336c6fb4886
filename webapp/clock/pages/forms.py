"""The forms of absences, reminders and quiet hours."""

from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import Any, Final, TypeVar

from werkzeug.datastructures import MultiDict
from wtforms import SelectMultipleField, StringField
from wtforms.widgets import CheckboxInput

from webapp.clock.email_times import (
    MAX_QUIET_HOURS,
    MAX_REMINDERS,
    EmailTimes,
    TypedQuietHours,
)
from webapp.clock.local_periods import LocalPeriod
from webapp.kernel.i18n import N_, Language
from webapp.kernel.refusals import FieldError, FieldErrors
from webapp.web.forms import PageForm, one_line, optional_number, required
from webapp.wording.times import weekday_names

Parsed = TypeVar("Parsed", date, time)
_WEEKDAYS: Final = tuple(str(weekday) for weekday in range(7))


class AbsenceEndForm(PageForm):
    """The end of the absence of someone who is away already."""

    last_day = StringField(N_("Last day away"), [required])
    last_time = StringField(N_("Back at (optional)"), [one_line])

    def period_from(self, first_day: date) -> LocalPeriod:
        """Return the period from a day on. Raises FieldErrors."""
        return LocalPeriod(
            first_day=first_day,
            last_day=_parsed_field(self, "last_day", date.fromisoformat, "not-a-date"),
            last_time=_optional_time(self, "last_time"),
        )


class AbsenceDatesForm(AbsenceEndForm):
    """An absence ahead."""

    first_day = StringField(N_("First day away"), [required])
    first_time = StringField(N_("Leaving at (optional)"), [one_line])

    def period(self) -> LocalPeriod:
        """Return the period from the first to the last day. Raises FieldErrors."""
        first_day = _parsed_field(self, "first_day", date.fromisoformat, "not-a-date")
        period_from_first_day = self.period_from(first_day)
        return LocalPeriod(
            first_day=first_day,
            first_time=_optional_time(self, "first_time"),
            last_day=period_from_first_day.last_day,
            last_time=period_from_first_day.last_time,
        )


class RemindersForm(PageForm):
    """Hours before the deadline; an empty form asks for the usual reminder."""

    hours_1 = StringField(N_("First reminder, hours before the deadline"), [optional_number])
    hours_2 = StringField(N_("Second reminder, hours before the deadline"), [optional_number])
    hours_3 = StringField(N_("Third reminder, hours before the deadline"), [optional_number])

    def hours(self) -> list[int | None]:
        """Return the hours from a form that was checked."""
        return [self.number(f"hours_{number}") for number in range(1, MAX_REMINDERS + 1)]


def _weekdays_field() -> SelectMultipleField:
    return SelectMultipleField(
        N_("On the nights that begin on"), option_widget=CheckboxInput(), validate_choice=False
    )


class QuietHoursForm(PageForm):
    """Two sets of quiet hours, as for workdays and for weekends; each may stay empty."""

    from_1 = StringField(N_("Quiet from"), [one_line])
    until_1 = StringField(N_("Quiet until"), [one_line])
    weekdays_1 = _weekdays_field()
    from_2 = StringField(N_("Also quiet from"), [one_line])
    until_2 = StringField(N_("Also quiet until"), [one_line])
    weekdays_2 = _weekdays_field()

    def __init__(
        self,
        language: Language,
        formdata: MultiDict[str, str] | None = None,
        **data: Any,  # noqa: ANN401 - the defaults of any field
    ) -> None:
        super().__init__(language, formdata, **data)
        choices = list(zip(_WEEKDAYS, weekday_names(language), strict=True))
        self.weekdays_1.choices = self.weekdays_2.choices = choices

    def quiet_hours(self) -> list[TypedQuietHours]:
        """Return what was typed. Raises FieldErrors."""
        return [self._numbered_hours(number) for number in range(1, MAX_QUIET_HOURS + 1)]

    def _numbered_hours(self, number: int) -> TypedQuietHours:
        return TypedQuietHours(
            number=number,
            weekdays=tuple(
                int(weekday)
                for weekday in self[f"weekdays_{number}"].data or ()
                if weekday in _WEEKDAYS
            ),
            from_time=_optional_time(self, f"from_{number}"),
            until_time=_optional_time(self, f"until_{number}"),
        )


def fields_of_reminders(times: EmailTimes) -> dict[str, Any]:
    """Return the first values of the form of reminders."""
    return {f"hours_{number}": str(count) for number, count in enumerate(times.reminder_hours, 1)}


def fields_of_quiet_hours(times: EmailTimes) -> dict[str, Any]:
    """Return the first values of the form of quiet hours."""
    fields: dict[str, Any] = {}
    for number, hours in enumerate(times.quiet_hours, 1):
        fields[f"from_{number}"] = f"{hours.from_time:%H:%M}"
        fields[f"until_{number}"] = f"{hours.until_time:%H:%M}"
        fields[f"weekdays_{number}"] = [str(weekday) for weekday in hours.weekdays]
    return fields


def fields_of_period(from_at: datetime, until_at: datetime) -> dict[str, Any]:
    """Return the first values of the form of an absence; both instants are in the viewer's time zone."""
    ends_with_day = until_at.time() == time()
    last_day = (until_at - timedelta(days=1) if ends_with_day else until_at).date()
    return {
        "first_day": from_at.date().isoformat(),
        "first_time": "" if from_at.time() == time() else f"{from_at:%H:%M}",
        "last_day": last_day.isoformat(),
        "last_time": "" if ends_with_day else f"{until_at:%H:%M}",
    }


def _optional_time(form: PageForm, field: str) -> time | None:
    return (
        _parsed_field(form, field, time.fromisoformat, "not-a-time") if form.text(field) else None
    )


def _parsed_field(form: PageForm, field: str, parse: Callable[[str], Parsed], code: str) -> Parsed:
    """Return the date or the time in a field; a time only if it has no zone. Raises FieldErrors."""
    with suppress(ValueError):
        parsed_value = parse(form.text(field))
        if not isinstance(parsed_value, time):
            return parsed_value
        if parsed_value.tzinfo is None:
            return parsed_value.replace(second=0, microsecond=0)
    raise FieldErrors(FieldError(field, code))
