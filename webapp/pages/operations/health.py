"""Monitoring: /healthz, /readyz and /metrics."""

import hmac
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from flask import Blueprint, Flask, Response, abort, current_app, jsonify, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.pages.operations.metrics import CONTENT_TYPE, Meter
from webapp.services.errors import Unavailable
from webapp.services.operations.health import backlog, is_email_held, is_schema_behind
from webapp.services.operations.key_check import is_expected_key
from webapp.services.operations.processes import (
    clock_difference,
    is_clock_difference_too_large,
    process_status,
)
from webapp.services.tx import Tx
from webapp.web.context import current_context
from webapp.web.local_requests import is_local_request

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_METER_KEY: Final = "lodepost.meter"
pages = Blueprint("health", __name__)


@pages.get(urls.health.rule)
def show_health() -> ResponseReturnValue:
    """Return the seconds that the oldest items have been waiting, 0 if none waits; 503 unless the database takes changes.

    Workers count as running if they were seen lately; the seconds since one was seen are null if none ever was. In a restored
    copy ``email_held`` is true until it is released.
    """
    now = current_context().now()
    state = current_context().write_check.state()
    if state != "up":
        return jsonify({"database": state}), 503
    try:
        with current_context().read_only() as tx:
            current_backlog = backlog(tx)
            seen = process_status(tx)
            is_held = is_email_held(tx)
            has_expected_key = _has_expected_key(tx)
    except Unavailable:
        return jsonify({"database": "down"}), 503
    return jsonify(
        {
            "database": "up",
            "oldest_unsent_email_seconds": _seconds(current_backlog.oldest_unsent_email),
            "most_overdue_deadline_seconds": _seconds(current_backlog.most_overdue_deadline),
            "most_overdue_bot_seconds": _seconds(current_backlog.most_overdue_bot),
            "workers_running": len(seen.running_workers),
            "worker_last_seen_seconds": _seconds_since(seen.worker_seen_at, now),
            "bots_last_seen_seconds": _seconds_since(seen.bots_seen_at, now),
            "schedule_last_seen_seconds": _seconds_since(seen.swept_at, now),
            "workers_with_wrong_clock": len(seen.wrong_clocks),
            "beats_running": len(seen.running_beats),
            "email_held": is_held,
            "secret_key": "expected" if has_expected_key else "wrong",
        }
    )


@pages.get(urls.readiness_probe.rule)
def show_readiness() -> ResponseReturnValue:
    """Return 200 if this process can serve players: the database takes changes, its schema is not older, and the clocks agree.

    Redis may be down: play continues without it.
    """
    state = current_context().write_check.state()
    if state != "up":
        return jsonify({"ready": False, "database": state}), 503
    try:
        with current_context().read_only() as tx:
            is_migration_missing = is_schema_behind(tx)
            difference = clock_difference(
                tx, current_context().now, current_context().database_time
            )
    except Unavailable:
        return jsonify({"ready": False, "database": "down"}), 503
    if is_migration_missing:
        return jsonify({"ready": False, "database": "older than this release"}), 503
    if is_clock_difference_too_large(difference):
        seconds_ahead = int(difference.total_seconds())
        return jsonify(
            {"ready": False, "database": "up", "clock_ahead_seconds": seconds_ahead}
        ), 503
    return jsonify({"ready": True, "database": "up"})


@pages.get(urls.metrics.rule)
def show_metrics() -> ResponseReturnValue:
    """Return the metrics for Prometheus, to clients with METRICS_TOKEN and to local requests."""
    meter: Meter = current_app.extensions[_METER_KEY]
    return Response(meter.text(), content_type=CONTENT_TYPE)


def restrict_metrics(app: Flask) -> None:
    """Answer 404 to clients that may not read the metrics, whatever the method or trailing slash."""

    def reject_metrics_request() -> None:
        if request.path.strip("/") == urls.metrics().strip("/") and not _may_read_metrics():
            abort(404)

    app.before_request(reject_metrics_request)


def measure_requests(app: Flask, meter: Meter) -> None:
    """Let the meter time every request and answer /metrics."""
    app.extensions[_METER_KEY] = meter
    meter.time_requests(app)


def allow_any_host_for_monitoring(
    application: "WSGIApplication", own_host: str
) -> "WSGIApplication":
    """Let monitoring use any host name: it knows the server by its address, and the answers contain no links.

    Metrics without a token still need the right host name: see `is_local_request`.
    """

    def with_own_host(environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        path = environ.get("PATH_INFO")
        has_token = path == urls.metrics() and "HTTP_AUTHORIZATION" in environ
        if has_token or path in {urls.health(), urls.readiness_probe()}:
            environ["HTTP_HOST"] = own_host
        return application(environ, start)

    return with_own_host


def _may_read_metrics() -> bool:
    authorization, token = (
        request.headers.get("Authorization"),
        current_context().settings.metrics_token,
    )
    if authorization is None:
        return is_local_request()
    # With a token the host name was not checked, so the request cannot count as local.
    expected = f"Bearer {token}".encode()
    return bool(token) and hmac.compare_digest(authorization.encode(errors="replace"), expected)


def _has_expected_key(tx: Tx) -> bool:
    settings = current_context().settings
    return is_expected_key(tx, settings.secret_key, settings.old_secret_keys)


def _seconds(age: timedelta | None) -> int:
    return 0 if age is None else max(0, int(age.total_seconds()))


def _seconds_since(at: datetime | None, now: datetime) -> int | None:
    return None if at is None else _seconds(now - at)
