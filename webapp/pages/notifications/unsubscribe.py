"""Ending letters without signing in: the button for people, and the one-click POST for mail programs (RFC 8058)."""

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.services.notifications.unsubscribe import (
    UnsubscribePage,
    resubscribe,
    unsubscribe,
    unsubscribe_page,
)
from webapp.services.tx import read_only, transaction
from webapp.web.context import current_context
from webapp.web.layout import Here, show

pages = Blueprint("unsubscribe", __name__)


@pages.get("/u/<token:link>")
def show_unsubscribing(link: str) -> ResponseReturnValue:
    """What would end, and a button; nothing ends by looking, for programs look too."""
    with read_only(current_context().database) as tx:
        page = unsubscribe_page(tx, link)
    return _page(page, link)


@pages.post("/u/<token:link>")
def one_click(link: str) -> ResponseReturnValue:
    """End these letters: no cookie, no sign-in, no token of a form, 200 however often it is said."""
    with transaction(current_context().database) as tx:
        page = unsubscribe(tx, link, now=current_context().now())
    return _page(page, link)


@pages.post("/u/<token:link>/back")
def begin_again(link: str) -> ResponseReturnValue:
    """Have these letters again."""
    with transaction(current_context().database) as tx:
        page = resubscribe(tx, link)
    return _page(page, link)


def _page(page: UnsubscribePage, link: str) -> Response:
    return show(
        "notifications/unsubscribe.html",
        me=None,
        here=Here(urls.unsubscribe(link)),
        page=page,
        link=link,
        pressed=request.method == "POST",
    )
