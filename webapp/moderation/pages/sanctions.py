"""Acts on people: a form, a preview of what will happen, and then the act."""

from typing import Final, NamedTuple

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue

from webapp.accounts.person import Person
from webapp.accounts.relations import require_site_right
from webapp.kernel import urls
from webapp.kernel.i18n import N_, Language, Locale
from webapp.kernel.refusals import NotFound
from webapp.kernel.rights import SiteRight
from webapp.moderation.pages.page_rendering import render_moderation
from webapp.moderation.pages.people_forms import SanctionForm
from webapp.moderation.sanctions import (
    RIGHT_OF_SANCTION,
    SANCTION_KINDS,
    SanctionKind,
    SanctionPreview,
    person_to_sanction,
    preview,
    sanction_person,
)
from webapp.web.context import current_context
from webapp.web.forms import FormError, form_view, new_form_id, submission
from webapp.web.identity_gate import require_proof
from webapp.web.session import locale_of, require_viewer
from webapp.wording import times

_DECISION_LABELS: Final = {
    "dismiss": N_("Dismiss"),
    "warn": N_("Warn"),
    "rename": N_("Change the name"),
    "ban": N_("Ban"),
    "unban": N_("Lift the ban"),
}
_REPORT_KIND_LABELS: Final = {
    "name": N_("A name"),
    "stalling": N_("Stalling the game"),
    "unfair": N_("Unfair play"),
    "other": N_("Something else"),
    "message": N_("A message"),
    "appeal": N_("Appeal"),
}
_EFFECT_TEXTS: Final = {
    "dismiss": N_("Nothing happens to %(name)s."),
    "warn": N_(
        "%(name)s gets an email with this reason, and sees it on their home page until they confirm it."
    ),
    "rename": N_(
        "%(name)s becomes %(new_name)s. They keep the names at tables that they've joined already, and get an email with this reason."
    ),
    "ban": N_(
        "%(name)s can't sign in or play until %(until)s, and gets an email with this reason and a way to appeal."
    ),
    "unban": N_("%(name)s can sign in and play again at once."),
}


pages = Blueprint("sanctions", __name__)


@pages.get(urls.sanction.rule)
def show_sanction(ref: str, kind: str) -> ResponseReturnValue:
    """Show the form of an act on a person."""
    with current_context().transaction() as tx:
        viewer = require_viewer(tx)
        person = person_to_sanction(tx, viewer, ref, _require_kind(kind))
    form = SanctionForm(locale_of(viewer).language, form_id=new_form_id())
    return _show(viewer, ref, kind, form, _Outcome(person.name))


@pages.post(urls.sanction.rule)
@form_view
def apply_sanction(ref: str, kind: str) -> ResponseReturnValue:
    """Show what the act will do; do it if that was shown before."""
    form = SanctionForm(locale_of(None).language, request.form)
    sanction_kind, context = _require_kind(kind), current_context()
    try:
        with submission(form) as tx:
            viewer = require_viewer(tx)
            sanction_request = form.sanction_request(sanction_kind)
            shown_preview = None
            if not form.is_confirmed(sanction_request):
                shown_preview = preview(tx, viewer, ref, sanction_request)
            else:
                sanction_person(tx, viewer, ref, sanction_request)
                require_proof(tx, RIGHT_OF_SANCTION[sanction_kind])
    except FormError as error:
        form.ask_again()
        with context.read_only() as tx:
            viewer = require_site_right(require_viewer(tx), SiteRight.VIEW_PERSON)
        return _show(viewer, ref, kind, form, _Outcome(error=error))
    if shown_preview is not None:
        form.confirm(sanction_request, shown_preview)
        return _show(viewer, ref, kind, form, _Outcome(shown_preview.name, shown_preview))
    flash(locale_of(viewer).language.gettext("Done. They'll get an email."), "good")
    return redirect(urls.moderated_person(ref), 303)


def _require_kind(kind: str) -> SanctionKind:
    """Return the kind that the address names. Raises NotFound."""
    known_kind = next(
        (sanction_kind for sanction_kind in SANCTION_KINDS if sanction_kind == kind), None
    )
    if known_kind is None:
        raise NotFound
    return known_kind


class _Outcome(NamedTuple):
    """What became of the form: the person's name if it is known, what would happen, or why it was refused."""

    name: str = ""
    preview: SanctionPreview | None = None
    error: FormError | None = None


def _show(viewer: Person, ref: str, kind: str, form: SanctionForm, outcome: _Outcome) -> Response:
    locale, error, shown_preview = locale_of(viewer), outcome.error, outcome.preview
    return render_moderation(
        "moderation/people/sanction.html",
        viewer=viewer,
        path=urls.sanction(ref, kind),
        status=200 if error is None else error.status,
        ref=ref,
        kind=kind,
        name=outcome.name,
        form=form,
        error=error,
        act=decision_label(kind, locale.language),
        preview=shown_preview and preview_sentence(kind, shown_preview, locale),
    )


def decision_label(decision: str, language: Language) -> str:
    return language.gettext(_DECISION_LABELS[decision])


def report_kind_label(kind: str, language: Language) -> str:
    return language.gettext(_REPORT_KIND_LABELS[kind])


def preview_sentence(kind: str, preview: SanctionPreview, locale: Locale) -> str:
    """Return what an act will do."""
    language, until = locale.language, preview.until
    until_text = (
        times.absolute_time(until, now=locale.now, zone=locale.zone, language=language)
        if until
        else ""
    )
    return language.gettext(
        _EFFECT_TEXTS[kind], name=preview.name, new_name=preview.new_name, until=until_text
    )
