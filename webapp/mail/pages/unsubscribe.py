"""Unsubscribing without signing in: the button for people, and the one-click POST for mail programs (RFC 8058)."""

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from webapp.kernel import urls
from webapp.mail.outbox import unsubscribe as use_cases
from webapp.mail.outbox.unsubscribe import UnsubscribePage
from webapp.web.context import current_context
from webapp.web.layout import PagePosition, render_page

pages = Blueprint("unsubscribe", __name__)


@pages.get(urls.unsubscribe.rule)
def show_unsubscribe(link: str) -> ResponseReturnValue:
    """Show which emails would stop, and a button; a GET stops nothing, because mail programs follow links too."""
    with current_context().read_only() as tx:
        page = use_cases.unsubscribe_page(tx, link)
    return _show_page(page, link)


@pages.post(urls.unsubscribe.rule)
def unsubscribe(link: str) -> ResponseReturnValue:
    """Stop these emails. RFC 8058: no cookie, no sign-in, no CSRF token, and 200 however often it is sent."""
    with current_context().transaction() as tx:
        page = use_cases.unsubscribe(tx, link)
    return _show_page(page, link)


@pages.post(urls.resubscribe.rule)
def resubscribe(link: str) -> ResponseReturnValue:
    """Send these emails again."""
    with current_context().transaction() as tx:
        page = use_cases.resubscribe(tx, link)
    return _show_page(page, link)


def _show_page(page: UnsubscribePage, link: str) -> Response:
    return render_page(
        "mail/unsubscribe.html",
        viewer=None,
        nav_position=PagePosition(urls.unsubscribe(link)),
        page=page,
        link=link,
        has_changed=request.method == "POST",
    )
