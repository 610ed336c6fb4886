"""Requests that name a host which the site had before: links in old emails lead to the same page at the new address.

Mail programs do not follow redirects with the request that stops emails (RFC 8058), so that one is answered directly. Other
forms are not: their cookies belong to the old host, and a page of the new one must be what is filled in.
"""

from typing import Final
from urllib.parse import quote

from flask import Flask, Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.kernel.config import Settings
from webapp.web.layout import render_page
from webapp.web.local_requests import (
    is_answered_at_any_host,
    normalized,
    requested_host,
    restrict_hosts,
)
from webapp.web.session import locale_of

_SAFE_IN_PATH: Final = "/:@!$&'()*+,;=~"
_SAFE_IN_QUERY: Final = _SAFE_IN_PATH + "?%"
_READING_METHODS: Final = frozenset({"GET", "HEAD"})
_GONE: Final = 410
_LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "::1")


def answer_by_host(app: Flask, settings: Settings) -> None:
    """Answer at the host of BASE_URL, lead from old hosts to it, and refuse all others."""
    old_hosts = frozenset(map(normalized, settings.old_hosts))
    _redirect_old_hosts(app, old_hosts, base_url=settings.base_url)
    # A page of another site cannot make a browser send these names: its own name and "localhost" are safe.
    restrict_hosts(app, [settings.host, *_LOOPBACK_NAMES], old_hosts=old_hosts)


def _redirect_old_hosts(app: Flask, hosts: frozenset[str], *, base_url: str) -> None:
    def answer_at_old_host() -> AnyResponse | None:
        if requested_host() not in hosts or _is_answered_at_old_hosts():
            return None
        if request.method in _READING_METHODS:
            moved = redirect(base_url + _path_and_query(), 301)
            # Or the way back to the old host would be a loop in browsers that remember it.
            moved.headers["Cache-Control"] = "no-store"
            return moved
        return _moved_page(base_url)

    if hosts:
        app.before_request(answer_at_old_host)


def _is_answered_at_old_hosts() -> bool:
    """Return whether this request works at old hosts too: one-click unsubscribing, the files of the page that explains, monitoring."""
    is_one_click = request.endpoint == "unsubscribe.unsubscribe" and request.method == "POST"
    return is_one_click or request.endpoint == "static" or is_answered_at_any_host()


def _path_and_query() -> str:
    query = request.query_string.decode("ascii", "replace")
    path = quote(request.path, safe=_SAFE_IN_PATH)
    return f"{path}?{quote(query, safe=_SAFE_IN_QUERY)}" if query else path


def _moved_page(base_url: str) -> Response:
    language = locale_of(None).language
    return render_page(
        "web/error.html",
        viewer=None,
        status=_GONE,
        title=language.gettext("This site has a new address"),
        text=language.gettext(
            "Nothing was changed. Please try again at its new address, %(address)s.",
            address=base_url,
        ),
        more=None,
        back=f"{base_url}/",
    )
