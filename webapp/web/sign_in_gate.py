"""The form that requests a sign-in email, and the page that shows it at the URL of a game or a club.

A signed-out visitor gets this page at every URL of a game or a club that is not public, whether or not there is such a
game or club.
"""

from typing import Final

from flask import Response, request
from wtforms import EmailField, HiddenField

from webapp.kernel import urls
from webapp.kernel.i18n import N_
from webapp.web.forms import PageForm
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of
from webapp.web.validators import one_line

_UNAUTHORIZED_STATUS: Final = 401
"""Not 404: signing in may help. The same for existing and missing games, so it tells nothing about either."""


class SignInForm(PageForm):
    """``return_path`` is where to go after signing in."""

    address = EmailField(N_("Your email address"), [one_line])
    return_path = HiddenField()


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
