"""The names by which this server is called. Whoever calls it by another gets told the right one.

Not left to TRUSTED_HOSTS: Werkzeug cuts what stands there at the first colon, and so knows no IPv6 address.
"""

import ipaddress
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import urlsplit

from flask import Flask, request
from werkzeug.exceptions import SecurityError

from webapp.config import ascii_host


def restrict_hosts(app: Flask, names: Iterable[str]) -> None:
    """Refuse every request for another host. Names are without port, addresses of IPv6 without brackets."""
    heard = frozenset(map(_plain, names))

    def refuse_others() -> None:
        if called_host() not in heard:
            raise SecurityError("This server goes by another name.")

    app.before_request(refuse_others)


def called_host() -> str:
    """The name in this request, without port and brackets; empty where it holds none that can be read."""
    # Werkzeug has looked at it: it is a name or an address with perhaps a port, or nothing.
    return _plain(urlsplit(f"//{request.host}").hostname or "")


# Bounded, for anybody may call a server anything.
@lru_cache(maxsize=64)
def _plain(name: str) -> str:
    try:
        return ipaddress.ip_address(name).compressed
    except ValueError:
        return ascii_host(name)
