"""Maintenance mode: everyone but site moderators gets one friendly page, with status 503.

A moderator who has not used the passkey that the site demands gets to the pages where they do that.

Monitoring, signing in and out, legal pages and static files still work, so that a moderator can sign in and end it.
"""

from typing import Final

from flask import Flask, Response, request

from webapp.kernel.i18n import Language
from webapp.web.context import current_context
from webapp.web.layout import render_page
from webapp.web.session import locale_of, token, viewer_from_session

_RETRY_AFTER_SECONDS: Final = 300
_OPEN_BLUEPRINTS: Final = frozenset(
    {"health", "sign_in", "passkey_proofs", "legal", "unsubscribe", "mailbox"}
)
_PASSKEY_BLUEPRINTS: Final = frozenset({"identity", "passkeys", "moderation", "site_settings"})
_OPEN_ENDPOINTS: Final = frozenset({"static", "about.show_about"})


def close_for_maintenance(app: Flask) -> None:
    """Answer requests with the maintenance page while there is maintenance."""
    app.before_request(_maintenance_page)


def _maintenance_page() -> Response | None:
    if request.blueprint in _OPEN_BLUEPRINTS or request.endpoint in _OPEN_ENDPOINTS:
        return None
    notice = current_context().site_settings.current().maintenance
    if not notice or _may_use_closed_site():
        return None
    language = locale_of(None).language
    page = render_page(
        "web/error.html",
        viewer=None,
        status=503,
        title=language.gettext("We're closed for maintenance"),
        text=notice,
        more=_reassurance_text(language),
        back=None,
    )
    page.headers["Retry-After"] = str(_RETRY_AFTER_SECONDS)
    return page


def _reassurance_text(language: Language) -> str:
    return language.gettext(
        "Your games are safe, and no one runs out of time: every deadline moves by as long as the site is closed. Please come back later."
    )


def _may_use_closed_site() -> bool:
    if token() is None:
        return False
    with current_context().read_only() as tx:
        viewer = viewer_from_session(tx)
    if viewer is None:
        return False
    return viewer.is_moderator or (
        viewer.lacks_passkey and request.blueprint in _PASSKEY_BLUEPRINTS
    )
