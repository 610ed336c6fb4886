"""The names of cookies, and the signature of the session cookie: HMAC with SHA-256, because Flask signs with SHA-1."""

import hashlib
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from flask.sessions import SecureCookieSessionInterface


def cookie_name(name: str, base_url: str) -> str:
    """Return the name of a cookie of the server at this address, with its port if it is not the usual one.

    Browsers send a cookie to all ports of a host (RFC 6265, 8.5): under one name a server would overwrite that of another.
    """
    port = urlsplit(base_url).port
    return name if port is None else f"{name}-{port}"


class SessionCookies(SecureCookieSessionInterface):
    """Sessions in cookies that only this installation can sign."""

    digest_method: Callable[..., Any] = staticmethod(hashlib.sha256)
