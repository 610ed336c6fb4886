"""Reports that wait for a moderator, and the form that decides on one."""

from typing import Final

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue

from webapp.accounts.person import Person
from webapp.kernel import urls
from webapp.kernel.i18n import Language
from webapp.kernel.refusals import FieldError, FieldErrors, NotFound
from webapp.kernel.tx import Tx
from webapp.moderation import report_decisions
from webapp.moderation.pages.page_rendering import render_moderation
from webapp.moderation.pages.people_forms import DecisionForm, RemovalForm
from webapp.moderation.pages.sanctions import decision_label, preview_sentence, report_kind_label
from webapp.moderation.report_decisions import DECISIONS, DISMISS
from webapp.moderation.sanctions import RIGHT_OF_SANCTION, SanctionPreview, preview
from webapp.web.context import current_context
from webapp.web.forms import FormError, form_view, new_form_id, submission
from webapp.web.identity_gate import require_proof
from webapp.web.session import locale_of, require_viewer

pages = Blueprint("reports", __name__)
_REMOVAL: Final = "removal"
"""Begins the names of the fields of one of the two forms on a page."""


@pages.get(urls.reports.rule)
def show_reports() -> ResponseReturnValue:
    """List the reports that wait, or those that are decided."""
    is_decided = request.args.get("state") == "decided"
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        find_reports = (
            report_decisions.decided_reports if is_decided else report_decisions.waiting_reports
        )
        listed = find_reports(tx, viewer)
    return render_moderation(
        "moderation/people/reports.html",
        viewer=viewer,
        path=urls.reports(),
        reports=listed.shown,
        hidden_count=listed.hidden_count,
        is_decided=is_decided,
        report_kind=lambda kind: report_kind_label(kind, locale_of(viewer).language),
        decision_label=lambda kind: decision_label(kind, locale_of(viewer).language),
    )


@pages.get(urls.report.rule)
def show_report(number: int) -> ResponseReturnValue:
    return _show(number)


@pages.post(urls.report.rule)
@form_view
def decide_report(number: int) -> ResponseReturnValue:
    """Show what the decision will do; decide if that was shown before."""
    form = DecisionForm(locale_of(None).language, request.form)
    form.decision.choices = [(decision, decision) for decision in DECISIONS]
    try:
        with submission(form) as tx:
            viewer = require_viewer(tx)
            shown_preview = _record_decision(tx, viewer, number, form)
    except FormError as error:
        form.ask_again()
        return _show(number, form, error=error)
    if shown_preview is not None:
        return _show(number, form, shown_preview=shown_preview)
    flash(locale_of(viewer).language.gettext("Decided. The reporter gets an email."), "good")
    return redirect(urls.reports(), 303)


@pages.post(urls.remove_message.rule)
@form_view
def remove_message(number: int) -> ResponseReturnValue:
    """Remove the reported message, or show the report again with the reason why not."""
    form = RemovalForm(locale_of(None).language, request.form, prefix=_REMOVAL)
    try:
        with submission(form) as tx:
            viewer = require_viewer(tx)
            report_decisions.remove_message(
                tx,
                viewer,
                number,
                reason=form.text("reason"),
                form_id=form.text("form_id"),
            )
    except FormError as error:
        return _show(number, removal_form=form, error=error)
    flash(locale_of(viewer).language.gettext("The message is removed."), "good")
    return redirect(urls.report(number), 303)


def _record_decision(
    tx: Tx, viewer: Person, number: int, form: DecisionForm
) -> SanctionPreview | None:
    """Decide, or return what would happen if the moderator has not seen that yet."""
    decision = form.decision.data or ""
    if decision not in DECISIONS:
        raise FieldErrors(FieldError("decision", "unknown"))
    ruling, report = form.ruling(decision), report_decisions.find_report(tx, viewer, number)
    sanction_request = ruling.sanction_request
    if decision == DISMISS:
        report_decisions.dismiss_report(
            tx,
            viewer,
            number,
            answer=ruling.answer,
            form_id=sanction_request.form_id,
        )
        return None
    if report.person_ref is None:
        raise NotFound
    if form.is_confirmed(sanction_request):
        report_decisions.decide_report(tx, viewer, number, ruling)
        require_proof(tx, RIGHT_OF_SANCTION[sanction_request.kind])
        return None
    shown_preview = preview(tx, viewer, report.person_ref, sanction_request)
    form.confirm(sanction_request, shown_preview)
    return shown_preview


def _show(
    number: int,
    form: DecisionForm | None = None,
    *,
    removal_form: RemovalForm | None = None,
    shown_preview: SanctionPreview | None = None,
    error: FormError | None = None,
) -> Response:
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        report = report_decisions.find_report(tx, viewer, number)
    locale = locale_of(viewer)
    form = form or _new_form(report.kind, locale.language)
    offered_kinds = [kind for kind in DECISIONS if (kind == "unban") <= (report.kind == "appeal")]
    form.decision.choices = [
        (kind, decision_label(kind, locale.language)) for kind in offered_kinds
    ]
    kind = form.decision.data or DISMISS
    return render_moderation(
        "moderation/people/report.html",
        viewer=viewer,
        path=urls.report(number),
        status=200 if error is None else error.status,
        report=report,
        form=form,
        removal_form=removal_form
        or RemovalForm(locale.language, prefix=_REMOVAL, form_id=new_form_id()),
        error=error,
        kind_label=report_kind_label(report.kind, locale.language),
        decision=report.decision and decision_label(report.decision, locale.language),
        preview=shown_preview and preview_sentence(kind, shown_preview, locale),
    )


def _new_form(report_kind: str, language: Language) -> DecisionForm:
    """Return the form with a reply that says nothing about what happens to anyone; an appeal needs a reply of its own."""
    decided_text = language.gettext("Thank you for telling us. We've looked into it.")
    answer = "" if report_kind == "appeal" else decided_text
    return DecisionForm(language, form_id=new_form_id(), answer=answer)
