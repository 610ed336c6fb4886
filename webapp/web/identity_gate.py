"""Pages between a person and what they asked for: one to request a sign-in email, and one to confirm that it's them.

A signed-out visitor gets the page to sign in at every URL of a game or a club that is not public, whether or not there
is such a game or club.

A form that needs a proof is carried through the page to confirm in hidden fields, and sent again afterwards as it was
typed. So nothing is kept on the server, nothing is lost, and no script is needed.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from flask import Response, redirect, request, session
from flask.typing import ResponseReturnValue
from wtforms import EmailField, HiddenField, StringField

from webapp.accounts import passkeys
from webapp.accounts.identity import IdentityUnconfirmed, is_confirmed
from webapp.kernel import urls
from webapp.kernel.i18n import N_
from webapp.kernel.rights import DANGEROUS_RIGHTS, ClubRight, GameRight, SiteRight
from webapp.kernel.tx import Tx
from webapp.web.context import current_context
from webapp.web.forms import FORGED_FORM_STATUS, FormError, PageForm, one_line, required
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import (
    is_own_path,
    locale_of,
    remember_return_path,
    require_viewer,
    take_return_path,
    token,
)

_UNAUTHORIZED_STATUS: Final = 401
"""Not 404: signing in may help. The same for existing and missing games, so it tells nothing about either."""
_FORBIDDEN_STATUS: Final = 403
_CODE_SENT_KEY: Final = "identity_code_sent"
_PATH_FIELD: Final = "held_path"
_FIELDS_OF_GATE: Final = frozenset({_PATH_FIELD, "csrf_token", "code", "credential"})


class SignInForm(PageForm):
    """``return_path`` is where to go after signing in."""

    address = EmailField(N_("Your email address"), [one_line])
    return_path = HiddenField()


class ProofRequired(IdentityUnconfirmed):
    """The form of this request needs a fresh proof first. Answered by the page that asks for it and keeps the form."""


class IdentityForm(PageForm):
    code = StringField(N_("Six-digit code"), [required])


class HeldForm(NamedTuple):
    """A form that waits for the proof: where it is sent, and what was typed."""

    path: str
    fields: tuple[tuple[str, str], ...]

    def inputs(self) -> tuple[tuple[str, str], ...]:
        """Return the hidden inputs that carry it."""
        return ((_PATH_FIELD, self.path), *self.fields)


def require_proof(tx: Tx, right: GameRight | ClubRight | SiteRight) -> None:
    """Raise ProofRequired if this right is dangerous and its holder has not just proved who they are.

    To be called after the act in the same transaction, which this undoes: so only those who may do it are asked, and
    only for what is possible.
    """
    if right in DANGEROUS_RIGHTS and not is_confirmed(tx, token()):
        raise ProofRequired


def ask_for_proof(unconfirmed: IdentityUnconfirmed) -> ResponseReturnValue:
    """Return the page that asks for a proof, with the form of this request or with the way back to its page."""
    if isinstance(unconfirmed, ProofRequired):
        held = HeldForm(request.path, tuple(_typed_fields()))
        return show_identity_form(IdentityForm(locale_of(None).language), held=held)
    # Every other page with a dangerous act has the same path as its form, but for what scripts ask for.
    is_script_request = request.path == urls.new_passkey_options()
    remember_return_path(urls.new_passkey() if is_script_request else request.path)
    return redirect(urls.identity(), 303)


def note_code_sent() -> ResponseReturnValue:
    """Show the page again, now with the field for the code that was sent."""
    session[_CODE_SENT_KEY] = True
    held = _held_form()
    if held is None:
        return redirect(urls.identity(), 303)
    return show_identity_form(IdentityForm(locale_of(None).language), held=held)


def continue_after_proof() -> ResponseReturnValue:
    """Send the form that has waited, or continue where the viewer was going."""
    session.pop(_CODE_SENT_KEY, None)
    held = _held_form()
    if held is None:
        return redirect(take_return_path(urls.account_security()), 303)
    # This status makes the browser send the same form to the new address; what the gate added to it is ignored there.
    return redirect(held.path, 307)


def _held_form() -> HeldForm | None:
    """Return the form that this request to the page carries."""
    path = request.form.get(_PATH_FIELD, "")
    return HeldForm(path, tuple(_typed_fields())) if path and is_own_path(path) else None


def show_refused_proof(form: IdentityForm, error: FormError) -> Response:
    """Return the page again, with the form that waits.

    That form is dropped if this request came from no page of this session: another site or another account may have filled
    it in, and the proof would send it.
    """
    held = _held_form() if error.status != FORGED_FORM_STATUS else None
    return show_identity_form(form, error, held=held)


def show_identity_form(
    form: IdentityForm, error: FormError | None = None, *, held: HeldForm | None = None
) -> Response:
    """Return the page that asks for a proof. Raises SignInRequired."""
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        has_passkey = passkeys.has_passkey(tx, viewer.id)
    status = 200 if held is None else _FORBIDDEN_STATUS
    return render_page(
        "accounts/identity.html",
        viewer=viewer,
        nav_position=PagePosition(urls.identity()),
        status=status if error is None else error.status,
        form=form,
        error=error,
        held_inputs=() if held is None else held.inputs(),
        has_passkey=has_passkey,
        is_sent=bool(session.get(_CODE_SENT_KEY)),
    )


def _typed_fields() -> Iterator[tuple[str, str]]:
    """Yield the fields of this request that are not the gate's own."""
    for name, value in request.form.items(multi=True):
        if name not in _FIELDS_OF_GATE:
            yield name, value


def is_gated_url() -> bool:
    """Return whether this request is for a game or a club, or for a path where games and clubs are."""
    return request.path.startswith((f"{urls.tables()}/", f"{urls.clubs()}/"))


def show_sign_in_gate() -> Response:
    """Return "Sign in to see this page", with a form that leads back to the requested URL."""
    language = locale_of(None).language
    page = render_page(
        "accounts/sign_in/gate.html",
        viewer=None,
        nav_position=PagePosition(urls.sign_in()),
        status=_UNAUTHORIZED_STATUS,
        form=SignInForm(language, return_path=request.full_path.rstrip("?")),
    )
    # RFC 9110 requires a challenge with 401; browsers show no password dialog for a scheme that they do not know.
    page.headers["WWW-Authenticate"] = 'Email realm="Lodepost"'
    return page
