"""Announcing something to everyone, for site moderators, with a preview; withdrawing it; and hiding it, for each person."""

from typing import Final

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict
from wtforms import HiddenField, SelectField, StringField, TextAreaField

from webapp.kernel import urls
from webapp.kernel.i18n import N_, Language
from webapp.kernel.keyring import hash_of
from webapp.kernel.refusals import MAX_REASON_LENGTH
from webapp.kernel.site_settings import Announcement
from webapp.kernel.tx import Tx
from webapp.moderation.pages.page_rendering import render_moderation
from webapp.moderation.site_announcements import (
    MAX_TEXT_LENGTH,
    OFFERED_HOURS,
    AnnouncementRequest,
    announcement_in_force_for_moderator,
    dismiss_announcement,
    preview_announcement,
    publish_announcement,
    withdraw_announcement,
)
from webapp.web.context import current_context
from webapp.web.forms import (
    FormError,
    PageForm,
    form_view,
    new_form_id,
    one_line,
    optional_number,
    submission,
)
from webapp.web.session import (
    is_own_path,
    locale_of,
    remember_dismissed_announcement,
    require_viewer,
)

pages = Blueprint("site_announcement", __name__)
pages_of_readers = Blueprint("announcement", __name__)
_HOURS_IN_A_DAY: Final = 24


class WithdrawalForm(PageForm):
    reason = StringField(N_("Reason"), [one_line], render_kw={"maxlength": MAX_REASON_LENGTH})
    announcement_id = HiddenField(validators=[optional_number])


class AnnouncementForm(PageForm):
    """It is sent twice: ``seen`` proves that the preview was of the same text."""

    announcement = TextAreaField(
        N_("What everyone should know"), render_kw={"maxlength": MAX_TEXT_LENGTH, "rows": 3}
    )
    hours = SelectField(N_("How long"), validate_choice=False, default=str(_HOURS_IN_A_DAY))
    reason = StringField(N_("Reason"), [one_line], render_kw={"maxlength": MAX_REASON_LENGTH})
    form_id = HiddenField(validators=[one_line])
    seen = HiddenField(validators=[one_line])

    def __init__(
        self, language: Language, formdata: MultiDict[str, str] | None = None, **data: object
    ) -> None:
        super().__init__(language, formdata, **data)
        self.hours.choices = [
            (str(hours), _length_text(hours, language)) for hours in OFFERED_HOURS
        ]

    def announcement_request(self) -> AnnouncementRequest:
        """Return what the moderator wants to announce."""
        hours = self.hours.data or ""
        return AnnouncementRequest(
            text=self.text("announcement"),
            hours=int(hours) if hours in {str(offered) for offered in OFFERED_HOURS} else None,
            reason=self.text("reason"),
            form_id=self.text("form_id") or new_form_id(),
        )


@pages.get(urls.site_announcement.rule)
def show_announcement_form() -> ResponseReturnValue:
    return _show()


@pages.post(urls.site_announcement.rule)
@form_view
def announce_to_site() -> ResponseReturnValue:
    """Show what everyone will see; announce it if that was shown before."""
    form = AnnouncementForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            shown_announcement = _announce_to_site(tx, form)
    except FormError as error:
        return _show(form, error=error)
    if shown_announcement is not None:
        form.seen.data = _fingerprint(form.announcement_request())
        return _show(form, preview=shown_announcement)
    current_context().site_settings.invalidate()
    flash(form.locale_language.gettext("Announced. It's on every page now."), "good")
    return redirect(urls.site_announcement(), 303)


@pages.post(urls.withdraw_announcement.rule)
@form_view
def withdraw() -> ResponseReturnValue:
    """Take the announcement off every page."""
    form = WithdrawalForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            withdraw_announcement(
                tx,
                require_viewer(tx),
                form.number("announcement_id") or 0,
                reason=form.text("reason"),
            )
    except FormError as error:
        return _show(withdrawal=form, error=error)
    current_context().site_settings.invalidate()
    flash(form.locale_language.gettext("Withdrawn. No page shows it any more."), "good")
    return redirect(urls.site_announcement(), 303)


@pages_of_readers.post(urls.dismiss_announcement.rule)
def dismiss(number: int) -> ResponseReturnValue:
    """Hide the announcement for this person, and return to the page where they read it."""
    with current_context().transaction() as tx:
        viewer = require_viewer(tx)
        is_dismissed = dismiss_announcement(tx, viewer, number)
    if is_dismissed:
        remember_dismissed_announcement(number)
    path = request.form.get("return_path", "")
    return redirect(path if is_own_path(path) else urls.home(), 303)


def _announce_to_site(tx: Tx, form: AnnouncementForm) -> Announcement | None:
    """Announce, or return the preview that the moderator has not seen yet."""
    viewer, announcement_request = require_viewer(tx), form.announcement_request()
    if form.text("seen") != _fingerprint(announcement_request):
        return preview_announcement(tx, viewer, announcement_request)
    publish_announcement(tx, viewer, announcement_request)
    return None


def _fingerprint(announcement_request: AnnouncementRequest) -> str:
    """Return what tells two announcements apart."""
    return hash_of(
        "\n".join(
            (
                str(announcement_request.hours),
                announcement_request.text,
                announcement_request.reason,
            )
        )
    ).hex()


def _show(
    form: AnnouncementForm | None = None,
    *,
    withdrawal: WithdrawalForm | None = None,
    preview: Announcement | None = None,
    error: FormError | None = None,
) -> Response:
    """Return the page. Raises SignInRequired, and NotFound for all but site moderators."""
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        shown_announcement = announcement_in_force_for_moderator(tx, viewer)
    language = locale_of(viewer).language
    return render_moderation(
        "moderation/site_announcement.html",
        viewer=viewer,
        path=urls.site_announcement(),
        status=200 if error is None else error.status,
        form=form or AnnouncementForm(language, form_id=new_form_id()),
        withdrawal=withdrawal or WithdrawalForm(language),
        shown=shown_announcement,
        preview=preview,
        error=error,
    )


def _length_text(hours: int, language: Language) -> str:
    if hours < _HOURS_IN_A_DAY:
        return language.ngettext("%(num)s hour", "%(num)s hours", hours)
    return language.ngettext("%(num)s day", "%(num)s days", hours // _HOURS_IN_A_DAY)
