"""Headers of every answer: what a page may load and do, and who may keep it."""

import secrets
from typing import Final

from flask import Flask, Response, request

_NONCE: Final = "lodepost.nonce"
_YEAR: Final = 365 * 24 * 60 * 60
_REFUSED: Final = 400

_ALWAYS: Final = {
    "X-Content-Type-Options": "nosniff",
    # Own pages are told where the reader comes from, others nothing: addresses here hold tokens.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "X-Frame-Options": "DENY",
}


def nonce() -> str:
    """What marks this answer's own scripts; a new one for every request."""
    if _NONCE not in request.environ:
        request.environ[_NONCE] = secrets.token_urlsafe(16)
    return str(request.environ[_NONCE])


def harden(app: Flask, *, https: bool) -> None:
    """Send the strict headers with every answer of this application."""

    def add_headers(response: Response) -> Response:
        for name, value in _ALWAYS.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Content-Security-Policy", content_policy())
        if https:
            response.headers["Strict-Transport-Security"] = f"max-age={_YEAR}"
        if request.endpoint != "static" or response.status_code >= _REFUSED:
            response.headers["Cache-Control"] = "no-store"
        return response

    app.after_request(add_headers)


def content_policy() -> str:
    """What every page may do, unless it has set a policy of its own."""
    return (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        f"script-src 'nonce-{nonce()}'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
