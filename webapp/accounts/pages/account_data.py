"""The data of an account: download it as a ZIP, or delete the account. Both need a fresh proof of who the viewer is."""

from collections.abc import Iterator
from typing import IO

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue
from wtforms import StringField

from webapp.kernel import urls
from webapp.kernel.i18n import N_
from webapp.privacy import data_export, deletion
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, form_view, required, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import end_session, locale_of, require_confirmed_viewer, require_viewer

pages = Blueprint("data", __name__)
_CHUNK_BYTES = 1 << 16


class DeletionForm(PageForm):
    address = StringField(N_("Your email address"), [required])


@pages.get(urls.account_data.rule)
def show_data() -> ResponseReturnValue:
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
    return render_page(
        "accounts/data.html", viewer=viewer, nav_position=PagePosition(urls.account_data())
    )


@pages.get(urls.account_export.rule)
def show_export() -> ResponseReturnValue:
    with current_context().read_only() as tx:
        viewer = require_confirmed_viewer(tx)
    return render_page(
        "accounts/export.html", viewer=viewer, nav_position=PagePosition(urls.account_export())
    )


@pages.post(urls.account_export.rule)
@form_view
def download() -> ResponseReturnValue:
    """Return the ZIP. It is complete before the first byte is sent, so that an error is never half a file."""
    with submission(PageForm(locale_of(None).language, request.form)) as tx:
        viewer = require_confirmed_viewer(tx)
        data_export.record_export(tx, viewer)
    with current_context().read_only() as tx:
        archive = data_export.zip_files(data_export.exported_files(tx, viewer))
    response = Response(_chunks(archive), mimetype="application/zip")
    response.headers["Content-Disposition"] = 'attachment; filename="lodepost.zip"'
    response.call_on_close(archive.close)
    return response


@pages.get(urls.account_deletion.rule)
def show_deletion() -> ResponseReturnValue:
    return _show_deletion(DeletionForm(locale_of(None).language))


@pages.post(urls.account_deletion.rule)
@form_view
def delete_account() -> ResponseReturnValue:
    form = DeletionForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            viewer = require_confirmed_viewer(tx)
            deletion.delete_account(tx, viewer, typed_address=form.text("address"))
    except FormError as error:
        return _show_deletion(form, error)
    end_session()
    flash(form.locale_language.gettext("Your account is deleted. Thank you for playing."), "good")
    return redirect(urls.home(), 303)


def _show_deletion(form: DeletionForm, error: FormError | None = None) -> Response:
    with current_context().read_only() as tx:
        viewer = require_confirmed_viewer(tx)
        page = deletion.deletion_page(tx, viewer)
    return render_page(
        "accounts/deletion.html",
        viewer=viewer,
        nav_position=PagePosition(urls.account_deletion()),
        status=200 if error is None else error.status,
        form=form,
        error=error,
        page=page,
    )


def _chunks(archive: IO[bytes]) -> Iterator[bytes]:
    with archive:
        while chunk := archive.read(_CHUNK_BYTES):
            yield chunk
