"""What players send to moderators: reports from a table, appeals, and that they have read a warning."""

from datetime import datetime

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue

from webapp.accounts.person import Person
from webapp.kernel import urls
from webapp.kernel.i18n import zone_for
from webapp.kernel.tx import Tx
from webapp.moderation import new_reports, sanctions
from webapp.moderation.new_reports import REPORT_KINDS, Complaint
from webapp.moderation.pages.people_forms import AppealForm, ReportForm
from webapp.moderation.pages.sanctions import report_kind_label
from webapp.play.reported_table import ReportedTable, people_to_report, reported_table
from webapp.web.context import current_context
from webapp.web.forms import FormError, form_view, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import SignInRequired, checked_viewer, locale_of, require_viewer, token
from webapp.wording.times import absolute_time

pages = Blueprint("complaints", __name__)


@pages.get(urls.new_report.rule)
def show_report_form(slug: str) -> ResponseReturnValue:
    """Show the form of a report about a table that the viewer may see, or sat at, or about a message there that they read."""
    seat = request.args.get("seat", "")
    form = ReportForm(
        locale_of(None).language,
        seat=seat if seat.isdigit() else "",
        message=request.args.get("message", ""),
    )
    return _show_report_form(slug, form)


@pages.post(urls.new_report.rule)
@form_view
def send_report(slug: str) -> ResponseReturnValue:
    form = ReportForm(locale_of(None).language, request.form)
    form.offer((), ())
    try:
        with submission(form) as tx:
            viewer, table = reported_table(tx, slug, token(), form.message_number())
            if viewer is None:
                raise SignInRequired
            _store_report(tx, viewer, table, form)
    except FormError as error:
        return _show_report_form(slug, form, error)
    text = locale_of(viewer).language.gettext(
        "Thank you. A moderator will look at it, and we'll email you."
    )
    flash(text, "good")
    return redirect(urls.game(slug) if table.may_view else urls.home(), 303)


def _store_report(tx: Tx, reporter: Person, table: ReportedTable, form: ReportForm) -> None:
    text = form.text("complaint")
    if table.message is not None:
        new_reports.report_message(tx, reporter, table.game_id, table.message, text)
        return
    complaint = Complaint(form.kind.data or "", form.seat_number(), text)
    new_reports.send_report(tx, reporter, table, complaint)


@pages.get(urls.appeal.rule)
def show_appeal(token: str) -> ResponseReturnValue:
    return _show_appeal(token, AppealForm(locale_of(None).language))


@pages.post(urls.appeal.rule)
@form_view
def send_appeal(token: str) -> ResponseReturnValue:
    """Store an appeal; the token in the link is enough."""
    form = AppealForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            sanctions.send_appeal(tx, token, text=form.text("complaint"))
    except FormError as error:
        return _show_appeal(token, form, error)
    return redirect(urls.appeal(token), 303)


@pages.post(urls.acknowledge_warning.rule)
def acknowledge_warning() -> ResponseReturnValue:
    """Stop showing a warning on the home page of the person who has read it."""
    with current_context().transaction() as tx:
        sanctions.acknowledge_warning(tx, require_viewer(tx))
    return redirect(urls.home(), 303)


def _show_report_form(slug: str, form: ReportForm, error: FormError | None = None) -> Response:
    with current_context().read_only() as tx:
        table = people_to_report(tx, slug, token(), form.message_number())
    if table.viewer is None:
        raise SignInRequired
    viewer = checked_viewer(table.viewer)
    language = locale_of(viewer).language
    form.offer(
        [(str(seat.number), seat.name or "") for seat in table.others],
        [(kind, report_kind_label(kind, language)) for kind in REPORT_KINDS],
    )
    return render_page(
        "moderation/people/new_report.html",
        viewer=viewer,
        nav_position=PagePosition(
            urls.new_report(slug, message=form.message.data or None),
            slug if table.may_view else None,
        ),
        status=200 if error is None else error.status,
        slug=slug,
        may_view=table.may_view,
        host=table.host_name,
        table_name=table.table_name,
        message=table.message,
        form=form,
        error=error,
    )


def _show_appeal(appeal: str, form: AppealForm, error: FormError | None = None) -> Response:
    with current_context().read_only() as tx:
        page = sanctions.appeal_page(tx, appeal)
    return render_page(
        "moderation/people/appeal.html",
        viewer=None,
        nav_position=PagePosition(),
        status=200 if error is None else error.status,
        page=page,
        form=form,
        error=error,
        # Not the zone of this browser: the email named the end of the ban in the person's own.
        until=page.until and _instant_text(page.until, page.zone),
        sent_at=page.sent and _instant_text(page.sent.at, page.zone),
        action=urls.appeal(appeal),
    )


def _instant_text(at: datetime, zone: str) -> str:
    """Return an instant with its zone, for a person who need not be signed in."""
    language, now = locale_of(None).language, current_context().now()
    return absolute_time(at, now=now, zone=zone_for(zone), language=language)
