"""By which host names the server may be called, and which pages exist for this machine only.

Not left to Flask's TRUSTED_HOSTS: Werkzeug cuts its entries at the first colon, and so knows no IPv6 address.
"""

import ipaddress
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from flask import Flask, abort, current_app, request
from werkzeug.exceptions import SecurityError

from webapp.kernel.networks import ascii_host, is_loopback

View = TypeVar("View", bound=Callable[..., Any])
_PROXY_HEADERS: Final = frozenset(
    {"forwarded", "via", "true-client-ip", "cf-connecting-ip", "cf-ray", "fastly-client-ip"}
)
_PROXY_PREFIXES: Final = ("x-forward", "x-real-", "x-original-", "x-client-", "x-cluster-")
_VIEWS_AT_ANY_HOST: Final[set[Callable[..., Any]]] = set()


def restrict_hosts(
    app: Flask, names: Iterable[str], *, old_hosts: frozenset[str] = frozenset()
) -> None:
    """Refuse every request for another host. Names are without port, IPv6 addresses without brackets.

    ``old_hosts`` are the normalized names of hosts whose requests have been answered before, if they do not belong here.
    """
    allowed_hosts = frozenset(map(normalized, names)) | old_hosts

    def refuse_other_hosts() -> None:
        if not is_answered_at_any_host() and requested_host() not in allowed_hosts:
            raise SecurityError("The request names another host.")

    app.before_request(refuse_other_hosts)


def at_any_host(view: View) -> View:
    """Mark a view for monitoring, which knows the server by its address; no answer of it may contain a link."""
    _VIEWS_AT_ANY_HOST.add(view)
    return view


def is_answered_at_any_host() -> bool:
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
    is_loopback_name = is_loopback(requested_host())
    return not is_proxied and is_loopback_name and is_loopback(request.remote_addr or "")


def requested_host() -> str:
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
