"""Sign-in and security: the address of the account, and the browsers where its owner is signed in."""

from flask import Blueprint, flash, redirect
from flask.typing import ResponseReturnValue

from webapp.accounts import address_change, passkeys, sessions
from webapp.kernel import urls
from webapp.web.context import current_context
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of, require_viewer, token

pages = Blueprint("sessions", __name__)


@pages.get(urls.account_security.rule)
def show_security() -> ResponseReturnValue:
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        cards = sessions.sessions_of(tx, viewer, token=token() or "")
        own_passkeys = passkeys.passkeys_of(tx, viewer)
        pending = address_change.pending_change(tx, viewer)
    return render_page(
        "accounts/security.html",
        viewer=viewer,
        nav_position=PagePosition(urls.account_security()),
        sessions=cards,
        unused_days=sessions.SESSION_UNUSED_LIMIT.days,
        pending=pending,
        passkeys=own_passkeys,
    )


@pages.post(urls.session.rule)
def sign_out_browser(ref: str) -> ResponseReturnValue:
    """Sign another browser out."""
    with current_context().transaction() as tx:
        viewer = require_viewer(tx)
        sessions.sign_out_browser(tx, viewer, ref)
    flash(locale_of(viewer).language.gettext("Signed out that browser."), "good")
    return redirect(urls.account_security(), 303)


@pages.post(urls.other_sessions.rule)
def sign_out_other_browsers() -> ResponseReturnValue:
    with current_context().transaction() as tx:
        viewer = require_viewer(tx)
        count = sessions.sign_out_other_browsers(tx, viewer, token=token() or "")
    text = locale_of(viewer).language.ngettext(
        "Signed out %(num)s other browser.", "Signed out %(num)s other browsers.", count
    )
    flash(text, "good")
    return redirect(urls.account_security(), 303)
