"""Passkeys as a proof: signing in with one, and confirming with one who the viewer is."""

from flask import Blueprint, request
from flask.typing import ResponseReturnValue
from wtforms import HiddenField

from webapp.accounts import passkeys
from webapp.accounts.pages.sign_in import (
    SignUpForm,
    end_earlier_session,
    redirect_after_sign_in,
    show_sign_in_form,
)
from webapp.kernel import urls
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, form_view, submission
from webapp.web.identity_gate import (
    IdentityForm,
    continue_after_proof,
    show_refused_proof,
)
from webapp.web.passkeys import ceremony_of_browser, options_response, passkey_refused
from webapp.web.session import browser_id, locale_of, require_viewer, this_device, token

pages = Blueprint("passkey_proofs", __name__)


class CredentialForm(PageForm):
    credential = HiddenField()


@pages.post(urls.passkey_sign_in_options.rule)
@form_view
def begin_sign_in() -> ResponseReturnValue:
    """Return what the browser needs to sign in; the same for everyone, so it reveals no account."""
    tokens = current_context().tokens
    with submission(_form()) as tx:
        options = passkeys.begin_sign_in(tx, ceremony_of_browser(browser_id(tokens)))
    return options_response(options)


@pages.post(urls.passkey_sign_in.rule)
@form_view
def sign_in() -> ResponseReturnValue:
    """Sign in with a passkey, or show the form for an email with the reason."""
    form, tokens = _form(), current_context().tokens
    try:
        with submission(form) as tx:
            signed_in = passkeys.sign_in_with_passkey(
                tx,
                form.text("credential"),
                ceremony=ceremony_of_browser(browser_id(tokens)),
                device=this_device(),
            )
            end_earlier_session(tx, signed_in)
    except FormError as error:
        return show_sign_in_form(SignUpForm(form.locale_language), error)
    if signed_in is None:
        form_error = passkey_refused(form.locale_language)
        return show_sign_in_form(SignUpForm(form.locale_language), form_error)
    return redirect_after_sign_in(signed_in)


@pages.post(urls.identity_passkey_options.rule)
@form_view
def begin_confirming_identity() -> ResponseReturnValue:
    """Return what the browser needs to use one of the viewer's passkeys."""
    with submission(_form()) as tx:
        viewer = require_viewer(tx)
        options = passkeys.begin_confirming_identity(tx, viewer, ceremony_of_browser(token() or ""))
    return options_response(options)


@pages.post(urls.identity_passkey.rule)
@form_view
def confirm_identity() -> ResponseReturnValue:
    """Continue where the viewer was going, or show the page again with the reason."""
    form = _form()
    try:
        with submission(form) as tx:
            viewer = require_viewer(tx)
            is_confirmed = passkeys.confirm_by_passkey(
                tx, viewer, form.text("credential"), ceremony=ceremony_of_browser(token() or "")
            )
    except FormError as error:
        return show_refused_proof(IdentityForm(form.locale_language), error)
    if not is_confirmed:
        form_error = passkey_refused(form.locale_language)
        return show_refused_proof(IdentityForm(form.locale_language), form_error)
    return continue_after_proof()


def _form() -> CredentialForm:
    return CredentialForm(locale_of(None).language, request.form)
