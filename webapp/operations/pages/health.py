"""Monitoring: /healthz, /readyz and /metrics."""

import hmac
from datetime import datetime, timedelta
from typing import Final

from flask import Blueprint, Flask, Response, current_app, jsonify, request
from flask.typing import ResponseReturnValue

from webapp.kernel import urls
from webapp.kernel.refusals import Unavailable
from webapp.operations.health import backlog, is_email_held, is_schema_behind
from webapp.operations.key_check import is_expected_key
from webapp.operations.pages.metrics import CONTENT_TYPE, Meter
from webapp.operations.processes import (
    clock_difference,
    is_clock_difference_too_large,
    process_status,
)
from webapp.web.context import current_context
from webapp.web.hosts import at_any_host, is_local_request

_METER_KEY: Final = "lodepost.meter"
pages = Blueprint("health", __name__)


@pages.get(urls.health.rule)
@at_any_host
def show_health() -> ResponseReturnValue:
    """Return the seconds that the oldest items have been waiting, 0 if none waits; 503 unless the database takes changes.

    Workers count as running if they were seen lately; the seconds since one was seen are null if none ever was. In a restored
    copy ``email_held`` is true until it is released.
    """
    context = current_context()
    now, state = context.now(), context.write_check.state()
    if state != "up":
        return jsonify({"database": state}), 503
    try:
        with context.read_only() as tx:
            current_backlog = backlog(tx)
            seen = process_status(tx)
            is_held = is_email_held(tx)
            has_expected_key = is_expected_key(
                tx, context.settings.secret_key, context.settings.old_secret_keys
            )
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
@at_any_host
def show_readiness() -> ResponseReturnValue:
    """Return 200 if this process can serve players: the database takes changes, its schema is not older, and the clocks agree.

    Redis may be down: play continues without it.
    """
    context = current_context()
    state = context.write_check.state()
    if state != "up":
        return jsonify({"ready": False, "database": state}), 503
    try:
        with context.read_only() as tx:
            is_migration_missing = is_schema_behind(tx)
            difference = clock_difference(tx, context.now, context.database_time)
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
@at_any_host
def show_metrics() -> ResponseReturnValue:
    """Return the metrics for Prometheus, to clients with METRICS_TOKEN and to local requests."""
    meter: Meter = current_app.extensions[_METER_KEY]
    return Response(meter.text(), content_type=CONTENT_TYPE)


def measure_requests(app: Flask, meter: Meter) -> None:
    """Let the meter time every request and answer /metrics."""
    app.extensions[_METER_KEY] = meter
    meter.time_requests(app)


def may_read_metrics() -> bool:
    """Return whether the request has METRICS_TOKEN, or has none and comes from this machine."""
    authorization, token = (
        request.headers.get("Authorization"),
        current_context().settings.metrics_token,
    )
    if authorization is None:
        return is_local_request()
    # A wrong token is refused even from this machine.
    expected = f"Bearer {token}".encode()
    return bool(token) and hmac.compare_digest(authorization.encode(errors="replace"), expected)


def _seconds(age: timedelta | None) -> int:
    return 0 if age is None else max(0, int(age.total_seconds()))


def _seconds_since(at: datetime | None, now: datetime) -> int | None:
    return None if at is None else _seconds(now - at)
