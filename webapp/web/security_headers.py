"""Headers of every response: what a page may load and do, and who may cache it."""

import secrets
from typing import Final

from flask import Flask, Response, request

_NONCE_KEY: Final = "lodepost.nonce"
_YEAR_SECONDS: Final = 365 * 24 * 60 * 60
_FIRST_ERROR_STATUS: Final = 400
_KEPT_SECONDS_KEY: Final = "lodepost.kept-seconds"
_SIGNED_OUT_KEY: Final = "lodepost.signed-out"
_CLEARED_DATA: Final = '"storage"'
"""What a browser deletes when its session has ended: what scripts stored.

Not the cache, which takes a browser seconds if it is full: no page is in it, because all are sent with ``no-store``. Not cookies: that would delete the cookies of all hosts of the same domain, other services of the operator among them. Nor does
the cookie of this site go: it says in which language to answer, and which addresses have signed in here before.
"""

_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    # Pages of other sites get no referrer, because addresses here hold tokens.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "X-Frame-Options": "DENY",
}


def nonce() -> str:
    """Return the nonce that allows this response's own scripts; every request has a new one."""
    if _NONCE_KEY not in request.environ:
        request.environ[_NONCE_KEY] = secrets.token_urlsafe(16)
    return str(request.environ[_NONCE_KEY])


def let_caches_keep(seconds: int) -> None:
    """Let caches keep this response for some seconds, unless it is an error: it must be the same for everyone."""
    request.environ[_KEPT_SECONDS_KEY] = seconds


def clear_site_data() -> None:
    """Let this response make the browser forget what it stored in a session that has ended."""
    request.environ[_SIGNED_OUT_KEY] = True


def set_security_headers(app: Flask, *, https: bool, hsts_subdomains: bool = True) -> None:
    """Send the strict headers with every response of this application."""
    transport_security = f"max-age={_YEAR_SECONDS}" + "; includeSubDomains" * hsts_subdomains

    def add_headers(response: Response) -> Response:
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Content-Security-Policy", content_security_policy())
        if https:
            response.headers["Strict-Transport-Security"] = transport_security
        if _SIGNED_OUT_KEY in request.environ:
            response.headers["Clear-Site-Data"] = _CLEARED_DATA
        if response.status_code < _FIRST_ERROR_STATUS and _KEPT_SECONDS_KEY in request.environ:
            seconds = request.environ[_KEPT_SECONDS_KEY]
            response.headers["Cache-Control"] = f"public, max-age={seconds}"
        elif request.endpoint != "static" or response.status_code >= _FIRST_ERROR_STATUS:
            response.headers["Cache-Control"] = "no-store"
        return response

    app.after_request(add_headers)


def content_security_policy() -> str:
    """Return the policy of every page that does not set its own."""
    return (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        f"script-src 'nonce-{nonce()}'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
