"""For those who watch the server: does it live, may it be sent readers, and how does it do."""

import hmac
from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from flask import Blueprint, Flask, Response, abort, current_app, jsonify, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.pages.operations.metrics import CONTENT_TYPE, Meter
from webapp.services.errors import Unavailable
from webapp.services.operations.health import is_behind, pulse
from webapp.services.tx import read_only
from webapp.web.context import current_context
from webapp.web.local_requests import is_local_request

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_METER: Final = "lodepost.meter"
pages = Blueprint("health", __name__)


@pages.get(urls.health())
def show_health() -> ResponseReturnValue:
    """Seconds each has waited, 0 where nothing waits; 503 while the database does not answer."""
    try:
        with read_only(current_context().database) as tx:
            now = pulse(tx, now=current_context().now())
    except Unavailable:
        return jsonify({"database": "away"}), 503
    return jsonify(
        {
            "database": "here",
            "oldest_owed_letter_seconds": _seconds(now.oldest_owed_letter),
            "most_overdue_deadline_seconds": _seconds(now.most_overdue_deadline),
            "most_overdue_bot_seconds": _seconds(now.most_overdue_bot),
        }
    )


@pages.get(urls.readiness())
def show_readiness() -> ResponseReturnValue:
    """Whether readers may be sent here: the database answers and is not older than this release. Redis may be away."""
    try:
        with read_only(current_context().database) as tx:
            behind = is_behind(tx)
    except Unavailable:
        return jsonify({"ready": False, "database": "away"}), 503
    if behind:
        return jsonify({"ready": False, "database": "older than this release"}), 503
    return jsonify({"ready": True, "database": "here"})


@pages.get(urls.metrics())
def show_metrics() -> ResponseReturnValue:
    """The figures for Prometheus: for whoever has METRICS_TOKEN, or asks from this very machine."""
    meter: Meter = current_app.extensions[_METER]
    return Response(meter.text(), content_type=CONTENT_TYPE)


def hide_metrics(app: Flask) -> None:
    """Nothing is there for who may not read them, in whatever way it is asked for."""

    def hide() -> None:
        if request.path.strip("/") == urls.metrics().strip("/") and not _may_read_metrics():
            abort(404)

    app.before_request(hide)


def measure(app: Flask, meter: Meter) -> None:
    """Take the times of this application, and show them."""
    app.extensions[_METER] = meter
    meter.watch(app)


def hear_watchers(answer: "WSGIApplication", own_name: str) -> "WSGIApplication":
    """Let watchers call the server by any name: they know it by its address, and its answers hold none.

    Metrics that are asked for without a token are given by name: see `is_local_request`.
    """

    def answer_watchers(environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        path = environ.get("PATH_INFO")
        by_token = path == urls.metrics() and "HTTP_AUTHORIZATION" in environ
        if by_token or path in {urls.health(), urls.readiness()}:
            environ["HTTP_HOST"] = own_name
        return answer(environ, start)

    return answer_watchers


def _may_read_metrics() -> bool:
    given, token = request.headers.get("Authorization"), current_context().settings.metrics_token
    if given is None:
        return is_local_request()
    # Behind a token nobody is nearby: the name was not looked at.
    expected = f"Bearer {token}".encode()
    return bool(token) and hmac.compare_digest(given.encode(errors="replace"), expected)


def _seconds(age: timedelta | None) -> int:
    return 0 if age is None else max(0, int(age.total_seconds()))
