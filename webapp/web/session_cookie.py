"""The signature of the session cookie: HMAC with SHA-256, because Flask signs with SHA-1."""

import hashlib
from collections.abc import Callable
from typing import Any

from flask.sessions import SecureCookieSessionInterface


class SessionCookies(SecureCookieSessionInterface):
    """Sessions in cookies that only this installation can sign."""

    digest_method: Callable[..., Any] = staticmethod(hashlib.sha256)
