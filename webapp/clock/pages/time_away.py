"""When the viewer is away, and when they want reminders."""

from collections.abc import Callable

import msgspec
from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue

from webapp.accounts.person import Person
from webapp.clock import absences, email_times
from webapp.clock.absences import OwnAbsence
from webapp.clock.pages.forms import (
    AbsenceDatesForm,
    AbsenceEndForm,
    QuietHoursForm,
    RemindersForm,
    fields_of_period,
    fields_of_quiet_hours,
    fields_of_reminders,
)
from webapp.kernel import urls
from webapp.kernel.i18n import Language
from webapp.kernel.tx import Tx
from webapp.lobby import volunteers
from webapp.lobby.pages.forms import OpenSeatEmailsForm
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, form_view, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of, require_viewer
from webapp.web.time_zones import canonical_zone, zone_place
from webapp.wording.times import absence_period_sentence

pages = Blueprint("time_away", __name__)
_HOLIDAY_PREFIX = "now-"
"""Tells the fields of the two forms on the page apart that ask for a last day."""


class _TimeAwayForms(msgspec.Struct, kw_only=True):
    """The forms of the page; one that is not given begins with what is stored."""

    dates_form: AbsenceDatesForm | None = None
    holiday_form: AbsenceEndForm | None = None
    reminders: RemindersForm | None = None
    quiet_hours: QuietHoursForm | None = None


@pages.get(urls.time_away.rule)
def show_time_away() -> ResponseReturnValue:
    return _show(_TimeAwayForms())


@pages.post(urls.time_away.rule)
@form_view
def declare_future_absence() -> ResponseReturnValue:
    form, language = AbsenceDatesForm(_language(), request.form), _language()

    def declare_absence(tx: Tx, viewer: Person) -> None:
        absences.declare_future_absence(tx, viewer, form.period())

    try:
        return _submit_change(
            form, declare_absence, language.gettext("Saved. Enjoy your time away.")
        )
    except FormError as error:
        return _show(_TimeAwayForms(dates_form=form), error)


@pages.post(urls.start_holiday.rule)
@form_view
def start_holiday() -> ResponseReturnValue:
    language = _language()
    form = AbsenceEndForm(language, request.form, prefix=_HOLIDAY_PREFIX)

    def start(tx: Tx, viewer: Person) -> None:
        today = tx.now.astimezone(locale_of(viewer).zone).date()
        absences.start_holiday(tx, viewer, form.period_from(today))

    try:
        return _submit_change(form, start, language.gettext("You're away now. See you soon."))
    except FormError as error:
        return _show(_TimeAwayForms(holiday_form=form), error)


@pages.get(urls.absence.rule)
def show_absence(number: int) -> ResponseReturnValue:
    return _show_absence(number)


@pages.post(urls.absence.rule)
@form_view
def change_absence(number: int) -> ResponseReturnValue:
    """Change an absence. If it has begun, its form has no first day, and none is needed."""
    language = _language()
    has_first_day = "first_day" in request.form
    form = (AbsenceDatesForm if has_first_day else AbsenceEndForm)(language, request.form)

    def change(tx: Tx, viewer: Person) -> None:
        today = tx.now.astimezone(locale_of(viewer).zone).date()
        period = form.period() if isinstance(form, AbsenceDatesForm) else form.period_from(today)
        absences.change_absence(tx, viewer, number, period)

    try:
        return _submit_change(form, change, language.gettext("Saved."))
    except FormError as error:
        return _show_absence(number, form, error)


@pages.post(urls.end_absence.rule)
@form_view
def end_absence(number: int) -> ResponseReturnValue:
    language = _language()

    def end(tx: Tx, viewer: Person) -> None:
        absences.end_absence(tx, viewer, number)

    return _submit_change(
        PageForm(language, request.form), end, language.gettext("Done. You're not away.")
    )


@pages.post(urls.reminders.rule)
@form_view
def change_reminders() -> ResponseReturnValue:
    language = _language()
    form = RemindersForm(language, request.form)

    def change(tx: Tx, viewer: Person) -> None:
        email_times.change_reminders(tx, viewer, form.hours())

    try:
        return _submit_change(form, change, language.gettext("Saved."))
    except FormError as error:
        return _show(_TimeAwayForms(reminders=form), error)


@pages.post(urls.quiet_hours.rule)
@form_view
def change_quiet_hours() -> ResponseReturnValue:
    language = _language()
    form = QuietHoursForm(language, request.form)

    def change(tx: Tx, viewer: Person) -> None:
        email_times.change_quiet_hours(tx, viewer, form.quiet_hours())

    try:
        return _submit_change(form, change, language.gettext("Saved."))
    except FormError as error:
        return _show(_TimeAwayForms(quiet_hours=form), error)


@pages.post(urls.open_seat_emails.rule)
@form_view
def change_open_seat_emails() -> ResponseReturnValue:
    language = _language()
    form = OpenSeatEmailsForm(language, request.form)

    def change(tx: Tx, viewer: Person) -> None:
        wants_open_seats = bool(form.wants_open_seats.data)
        volunteers.change_volunteer(tx, viewer, wants_open_seats=wants_open_seats)

    try:
        return _submit_change(form, change, language.gettext("Saved."))
    except FormError as error:
        return _show(_TimeAwayForms(), error)


def _language() -> Language:
    return locale_of(None).language


def _submit_change(
    form: PageForm, change: Callable[[Tx, Person], None], success_message: str
) -> ResponseReturnValue:
    """Change something of the viewer's and return to the page. Raises FormError."""
    with submission(form) as tx:
        change(tx, require_viewer(tx))
    flash(success_message, "good")
    return redirect(urls.time_away(), 303)


def _show(forms: _TimeAwayForms, error: FormError | None = None) -> Response:
    """Return the page. Raises SignInRequired."""
    context = current_context()
    with context.read_only() as tx:
        viewer = require_viewer(tx)
        own_absences = absences.own_absences(tx, viewer)
        times = email_times.email_times_of(tx, viewer)
        is_volunteer = volunteers.is_volunteer(tx, viewer)
    language, now = locale_of(viewer).language, context.now()
    return render_page(
        "clock/time_away.html",
        viewer=viewer,
        nav_position=PagePosition(urls.time_away()),
        status=200 if error is None else error.status,
        error=error,
        zone_place=zone_place(canonical_zone(viewer.zone)),
        absences=own_absences,
        absence_sentences={
            absence.id: absence_period_sentence(
                absence.from_at,
                absence.until_at,
                now=now,
                zone=locale_of(viewer).zone,
                language=language,
            )
            for absence in own_absences
        },
        is_away=any(absence.has_begun for absence in own_absences),
        dates_form=forms.dates_form or AbsenceDatesForm(language),
        holiday_form=forms.holiday_form or AbsenceEndForm(language, prefix=_HOLIDAY_PREFIX),
        reminders_form=forms.reminders or RemindersForm(language, **fields_of_reminders(times)),
        quiet_hours_form=forms.quiet_hours
        or QuietHoursForm(language, **fields_of_quiet_hours(times)),
        open_seats_form=OpenSeatEmailsForm(language, wants_open_seats=is_volunteer),
    )


def _show_absence(
    number: int, form: AbsenceEndForm | None = None, error: FormError | None = None
) -> Response:
    """Return the page of one absence. Raises SignInRequired and NotFound."""
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        absence = absences.own_absence(tx, viewer, number)
    return render_page(
        "clock/absence.html",
        viewer=viewer,
        nav_position=PagePosition(urls.absence(number)),
        status=200 if error is None else error.status,
        error=error,
        absence=absence,
        form=form or _form_of(absence, viewer),
    )


def _form_of(absence: OwnAbsence, viewer: Person) -> AbsenceEndForm:
    locale = locale_of(viewer)
    form_class = AbsenceEndForm if absence.has_begun else AbsenceDatesForm
    from_at, until_at = (at.astimezone(locale.zone) for at in (absence.from_at, absence.until_at))
    return form_class(locale.language, **fields_of_period(from_at, until_at))
