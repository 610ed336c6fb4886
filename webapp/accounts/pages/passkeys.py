"""The passkeys of an account: add one, and remove one. Both need a fresh proof of who the viewer is."""

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue
from wtforms import HiddenField, StringField

from webapp.accounts import passkeys
from webapp.accounts.names import MAX_NAME_LENGTH
from webapp.kernel import urls
from webapp.kernel.i18n import N_
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, form_view, one_line, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.passkeys import ceremony_of_browser, options_response, passkey_refused
from webapp.web.session import locale_of, require_confirmed_viewer, take_path_after_passkey, token

pages = Blueprint("passkeys", __name__)


class PasskeyForm(PageForm):
    name = StringField(
        N_("Name of the passkey"), [one_line], render_kw={"maxlength": MAX_NAME_LENGTH}
    )
    credential = HiddenField()


@pages.get(urls.new_passkey.rule)
def show_new_passkey() -> ResponseReturnValue:
    return _show_form(PasskeyForm(locale_of(None).language))


@pages.post(urls.new_passkey_options.rule)
@form_view
def begin_adding_passkey() -> ResponseReturnValue:
    """Return what the browser needs to make a passkey."""
    with submission(PageForm(locale_of(None).language, request.form)) as tx:
        viewer = require_confirmed_viewer(tx)
        ceremony = ceremony_of_browser(token() or "")
        options = passkeys.begin_adding_passkey(tx, viewer, ceremony)
    return options_response(options)


@pages.post(urls.new_passkey.rule)
@form_view
def add_passkey() -> ResponseReturnValue:
    form = PasskeyForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            is_added = passkeys.add_passkey(
                tx,
                require_confirmed_viewer(tx),
                form.text("credential"),
                form.text("name"),
                ceremony=ceremony_of_browser(token() or ""),
            )
    except FormError as error:
        return _show_form(form, error)
    if not is_added:
        return _show_form(form, passkey_refused(form.locale_language))
    flash(form.locale_language.gettext("You can now sign in with this passkey."), "good")
    return redirect(take_path_after_passkey(urls.account_security()), 303)


@pages.get(urls.remove_passkey.rule)
def show_passkey_to_remove(ref: str) -> ResponseReturnValue:
    with current_context().read_only() as tx:
        viewer = require_confirmed_viewer(tx)
        passkey = passkeys.passkey_of(tx, viewer, ref)
    return render_page(
        "accounts/remove_passkey.html",
        viewer=viewer,
        nav_position=PagePosition(urls.account_security()),
        passkey=passkey,
    )


@pages.post(urls.remove_passkey.rule)
@form_view
def remove_passkey(ref: str) -> ResponseReturnValue:
    language = locale_of(None).language
    with submission(PageForm(language, request.form)) as tx:
        viewer = require_confirmed_viewer(tx)
        passkeys.remove_passkey(tx, viewer, ref)
    flash(language.gettext("The passkey is removed."), "good")
    return redirect(urls.account_security(), 303)


def _show_form(form: PasskeyForm, error: FormError | None = None) -> Response:
    with current_context().read_only() as tx:
        viewer = require_confirmed_viewer(tx)
    return render_page(
        "accounts/new_passkey.html",
        viewer=viewer,
        nav_position=PagePosition(urls.new_passkey()),
        status=200 if error is None else error.status,
        form=form,
        error=error,
    )
