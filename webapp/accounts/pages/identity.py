"""Confirm it's you: the page between a person and a dangerous act."""

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from webapp.accounts import identity
from webapp.accounts.emailed_codes import CodeRefused
from webapp.kernel import urls
from webapp.kernel.tx import Tx
from webapp.web.code_messages import identity_refused_sentence
from webapp.web.context import current_context
from webapp.web.forms import FormError, form_view, submission
from webapp.web.identity_gate import (
    IdentityForm,
    continue_after_proof,
    note_code_sent,
    show_identity_form,
    show_refused_proof,
)
from webapp.web.session import locale_of, require_viewer, token

pages = Blueprint("identity", __name__)


@pages.get(urls.identity.rule)
def show_identity() -> ResponseReturnValue:
    return show_identity_form(IdentityForm(locale_of(None).language))


@pages.post(urls.identity_code.rule)
def request_identity_code() -> ResponseReturnValue:
    """Email a code to the viewer's own address."""
    context = current_context()
    with context.transaction() as tx:
        viewer = require_viewer(tx)
        identity.request_identity_code(tx, viewer, token=token() or "")
    context.nudge(tx.nudges)
    return note_code_sent()


@pages.post(urls.identity.rule)
@form_view
def confirm_identity() -> ResponseReturnValue:
    """Continue where the viewer was going, or show how many tries are left."""
    form = IdentityForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            code_refused = _confirm_identity(tx, form.text("code"))
    except FormError as error:
        return show_refused_proof(form, error)
    if code_refused is not None:
        # Not raised inside the submission, which would undo the count of wrong codes.
        sentence = identity_refused_sentence(code_refused, form.locale_language)
        return show_refused_proof(form, FormError(409, sentence))
    return continue_after_proof()


def _confirm_identity(tx: Tx, code: str) -> CodeRefused | None:
    """Return why the code is refused; None also if the same form was sent twice, and the first has confirmed it."""
    viewer = require_viewer(tx)
    session_token = token() or ""
    code_refused = identity.confirm_by_code(tx, viewer, code, token=session_token)
    is_repeated = code_refused is not None and code_refused.reason == "used"
    return None if is_repeated and identity.is_confirmed(tx, session_token) else code_refused
