"""The hosts at which the site answers, its own and those it had before; and the pages that exist for this machine only.

Links in old emails lead to the same page at the new address. Mail programs do not follow redirects with the request that
stops emails (RFC 8058), so that one is answered directly. Other forms are not: their cookies belong to the old host, and a
page of the new one must be what is filled in.

Not left to Flask's TRUSTED_HOSTS: Werkzeug cuts its entries at the first colon, and so knows no IPv6 address.
"""

import ipaddress
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlsplit

from flask import Flask, Response, abort, current_app, redirect, request
from werkzeug.exceptions import SecurityError
from werkzeug.wrappers import Response as AnyResponse

from webapp.kernel.config import Settings
from webapp.kernel.networks import ascii_host, is_loopback
from webapp.web.layout import render_page
from webapp.web.session import locale_of

View = TypeVar("View", bound=Callable[..., Any])
_PROXY_HEADERS: Final = frozenset(
    {"forwarded", "via", "true-client-ip", "cf-connecting-ip", "cf-ray", "fastly-client-ip"}
)
_PROXY_PREFIXES: Final = ("x-forward", "x-real-", "x-original-", "x-client-", "x-cluster-")
_VIEWS_AT_ANY_HOST: Final[set[Callable[..., Any]]] = set()


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
        if _requested_host() not in hosts or _is_answered_at_old_hosts():
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
    return is_one_click or request.endpoint == "static" or _is_answered_at_any_host()


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


def restrict_hosts(
    app: Flask, names: Iterable[str], *, old_hosts: frozenset[str] = frozenset()
) -> None:
    """Refuse every request for another host. Names are without port, IPv6 addresses without brackets.

    ``old_hosts`` are the normalized names of hosts whose requests have been answered before, if they do not belong here.
    """
    allowed_hosts = frozenset(map(normalized, names)) | old_hosts

    def refuse_other_hosts() -> None:
        if not _is_answered_at_any_host() and _requested_host() not in allowed_hosts:
            raise SecurityError("The request names another host.")

    app.before_request(refuse_other_hosts)


def at_any_host(view: View) -> View:
    """Mark a view for monitoring, which knows the server by its address; no answer of it may contain a link."""
    _VIEWS_AT_ANY_HOST.add(view)
    return view


def _is_answered_at_any_host() -> bool:
    """Return whether the view of this request answers whatever host it names."""
    endpoint = request.endpoint
    return endpoint is not None and current_app.view_functions[endpoint] in _VIEWS_AT_ANY_HOST


def hide_pages(app: Flask, checks: Mapping[str, Callable[[], bool]]) -> None:
    """Answer 404 to requests for these pages and those below them, unless the check of the page passes.

    A hook, because it denies by default: whatever the method is, and however many slashes a path has. Register it before
    other checks of the request.
    """

    def hide_page() -> None:
        # Werkzeug merges several slashes into one and redirects to the result.
        check = checks.get(f"/{request.path.lstrip('/').partition('/')[0]}")
        if check is not None and not check():
            abort(404)

    app.before_request(hide_page)


def is_local_request() -> bool:
    """Return whether the request comes from this machine, names a host that only this machine has, and passed no proxy.

    A page of another site cannot make a browser send such a request; a proxy that adds no header can.
    """
    names = [name.lower() for name, _ in request.headers]
    is_proxied = any(name in _PROXY_HEADERS or name.startswith(_PROXY_PREFIXES) for name in names)
    is_loopback_name = is_loopback(_requested_host())
    return not is_proxied and is_loopback_name and is_loopback(request.remote_addr or "")


def _requested_host() -> str:
    """Return the host name of this request, without port and brackets; empty if it is malformed."""
    # Werkzeug has checked it: it is a name or an address with perhaps a port, or nothing.
    return normalized(urlsplit(f"//{request.host}").hostname or "")


# Bounded, because a client can send any name.
@lru_cache(maxsize=64)
def normalized(name: str) -> str:
    """Return a host name or address in the form in which it is compared."""
    try:
        return ipaddress.ip_address(name).compressed
    except ValueError:
        return ascii_host(name)
