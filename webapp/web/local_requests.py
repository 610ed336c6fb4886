"""By which host names the server may be called, and whether a request comes from this machine.

Not left to Flask's TRUSTED_HOSTS: Werkzeug cuts its entries at the first colon, and so knows no IPv6 address.
"""

import ipaddress
from collections.abc import Iterable
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from flask import Flask, request
from werkzeug.exceptions import SecurityError

from webapp.host_names import ascii_host, is_loopback

_PROXY_HEADERS: Final = frozenset(
    {"forwarded", "via", "true-client-ip", "cf-connecting-ip", "cf-ray", "fastly-client-ip"}
)
_PROXY_PREFIXES: Final = ("x-forward", "x-real-", "x-original-", "x-client-", "x-cluster-")


def restrict_hosts(
    app: Flask, names: Iterable[str], *, old_hosts: frozenset[str] = frozenset()
) -> None:
    """Refuse every request for another host. Names are without port, IPv6 addresses without brackets.

    ``old_hosts`` are the normalized names of hosts whose requests have been answered before, if they do not belong here.
    """
    allowed_hosts = frozenset(map(normalized, names)) | old_hosts

    def refuse_other_hosts() -> None:
        if requested_host() not in allowed_hosts:
            raise SecurityError("The request names another host.")

    app.before_request(refuse_other_hosts)


def is_local_request() -> bool:
    """Return whether the request comes from this machine, for a name that only this machine has, past no proxy.

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
    """Return a host name or address in the one form in which it is compared."""
    try:
        return ipaddress.ip_address(name).compressed
    except ValueError:
        return ascii_host(name)
