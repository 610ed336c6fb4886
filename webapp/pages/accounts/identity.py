"""Confirm it's you: the page between a person and a dangerous act."""

from flask import Blueprint, Response, redirect, request, session
from flask.typing import ResponseReturnValue
from wtforms import StringField

from webapp import urls
from webapp.i18n import N_
from webapp.services.accounts import identity, passkeys
from webapp.services.keys import TokenSource
from webapp.services.tx import read_only, transaction
from webapp.web.context import current_context
from webapp.web.error_messages import identity_refused_sentence
from webapp.web.forms import FormError, PageForm, form_view, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of, require_viewer, take_return_path, token
from webapp.web.validators import required

pages = Blueprint("identity", __name__)
_CODE_SENT_KEY = "identity_code_sent"


class IdentityForm(PageForm):
    code = StringField(N_("Six-digit code"), [required])


@pages.get(urls.identity())
def show_identity() -> ResponseReturnValue:
    return show_identity_form(IdentityForm(locale_of(None).language))


@pages.post(urls.identity_code())
def request_identity_code() -> ResponseReturnValue:
    """Email a code to the viewer's own address."""
    context = current_context()
    with transaction(context.database) as tx:
        viewer = require_viewer(tx)
        source = TokenSource(context.keys, context.tokens)
        identity.request_identity_code(
            tx, viewer, token=token() or "", source=source, now=context.now()
        )
    context.nudge(tx.nudges)
    session[_CODE_SENT_KEY] = True
    return redirect(urls.identity(), 303)


@pages.post(urls.identity())
@form_view
def confirm_identity() -> ResponseReturnValue:
    """Continue where the viewer was going, or show how many tries are left."""
    form, context = IdentityForm(locale_of(None).language, request.form), current_context()
    try:
        with submission(form) as tx:
            refused = identity.confirm_by_code(
                tx,
                require_viewer(tx),
                form.text("code"),
                token=token() or "",
                keys=context.keys,
                now=context.now(),
            )
    except FormError as error:
        return show_identity_form(form, error)
    if refused is not None:
        # Not raised inside the submission, which would undo the count of wrong codes.
        sentence = identity_refused_sentence(refused, form.locale_language)
        return show_identity_form(form, FormError(409, sentence))
    session.pop(_CODE_SENT_KEY, None)
    return redirect(take_return_path(urls.account_security()), 303)


def show_identity_form(form: IdentityForm, error: FormError | None = None) -> Response:
    """Return the page that asks for a proof. Raises SignInRequired."""
    with read_only(current_context().database) as tx:
        viewer = require_viewer(tx)
        has_passkey = passkeys.has_passkey(tx, viewer.id)
    return render_page(
        "accounts/identity.html",
        viewer=viewer,
        nav_position=PagePosition(urls.identity()),
        status=200 if error is None else error.status,
        form=form,
        error=error,
        has_passkey=has_passkey,
        is_sent=bool(session.get(_CODE_SENT_KEY)),
    )
