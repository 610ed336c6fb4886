"""What the log says of requests: their ids, and those that were slow.

The id of a request is made here, and none is taken from outside: a client that could send one could make lines of
others look like theirs.
"""

import logging
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from flask import Flask, Response, request

from webapp.logs.fields import event_fields, request_id_in_logs

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

SLOW_REQUEST_SECONDS: Final = 1.0
"""A request that takes longer is logged."""
_ID_BYTES: Final = 8
_ID_HEADER: Final = "X-Request-ID"
_START_TIME_KEY: Final = "lodepost.request_log.started"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
_log = logging.getLogger(__name__)


def _random_request_id() -> str:
    """Return an id that no one can guess."""
    return secrets.token_hex(_ID_BYTES)


@dataclass(frozen=True)
class RequestLog:
    """The source of ids, and a clock in seconds."""

    new_id: Callable[[], str] = _random_request_id
    seconds: Callable[[], float] = time.perf_counter


def log_requests(app: Flask, request_log: RequestLog) -> None:
    """Give every request of this application an id, and log the slow ones."""

    def start_timer() -> None:
        request.environ[_START_TIME_KEY] = request_log.seconds()

    def stop_timer(response: Response) -> Response:
        started = request.environ.get(_START_TIME_KEY)
        if started is not None:
            _log_if_slow(response, request_log.seconds() - started)
        return response

    app.before_request(start_timer)
    app.after_request(stop_timer)
    app.wsgi_app = _with_ids(app.wsgi_app, request_log.new_id)  # type: ignore[method-assign, assignment]


def request_fields() -> dict[str, str]:
    """Return what lines say of the present request: its route, because its path may hold a token, and its method."""
    method = request.method if request.method in _METHODS else "other"
    return {"route": request.url_rule.rule if request.url_rule else "none", "method": method}


def _log_if_slow(response: Response, seconds: float) -> None:
    if seconds <= SLOW_REQUEST_SECONDS:
        return
    fields = request_fields()
    _log.warning(
        "%s %s took %.1f seconds.",
        fields["method"],
        fields["route"],
        seconds,
        extra=event_fields(
            "slow-request", **fields, status=response.status_code, seconds=round(seconds, 3)
        ),
    )


def _with_ids(application: "WSGIApplication", new_id: Callable[[], str]) -> "WSGIApplication":
    """Return the application with an id for each request, which its answer has as a header."""

    def answer(environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        request_id = new_id()

        def start_with_id(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:  # noqa: ANN401 - as WSGI has it
            return start(status, [*headers, (_ID_HEADER, request_id)], *error)

        # Pages are complete when the application returns; only files are sent later, which log nothing.
        with request_id_in_logs(request_id):
            return application(environ, start_with_id)

    return answer
