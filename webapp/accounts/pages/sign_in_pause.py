"""The page behind "This wasn't me" in a sign-in email. Only a POST stops anything, because mail programs open links too."""

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from webapp.accounts.sign_in import is_pause_possible, pause_sign_in_emails
from webapp.kernel import urls
from webapp.kernel.refusals import NotFound
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, form_view, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of

pages = Blueprint("sign_in_pause", __name__)


@pages.get(urls.sign_in_pause.rule)
def show_pause(link: str) -> ResponseReturnValue:
    """Show a button that stops sign-in emails for a day."""
    with current_context().read_only() as tx:
        if not is_pause_possible(tx, link):
            raise NotFound
    return _show_page(link)


@pages.post(urls.sign_in_pause.rule)
@form_view
def pause(link: str) -> ResponseReturnValue:
    """Stop sign-in emails for a day. Needs no cookie of a signed-in browser, and may be repeated."""
    try:
        with submission(PageForm(locale_of(None).language, request.form)) as tx:
            pause_sign_in_emails(tx, link)
    except FormError as error:
        return _show_page(link, error=error)
    return _show_page(link, is_paused=True)


def _show_page(link: str, *, is_paused: bool = False, error: FormError | None = None) -> Response:
    return render_page(
        "accounts/sign_in/pause.html",
        viewer=None,
        nav_position=PagePosition(urls.sign_in_pause(link)),
        status=200 if error is None else error.status,
        link=link,
        is_paused=is_paused,
        error=error,
    )
