"""Recording that sessions are in use, once a minute and browser, after the response is made.

A session that is used does not end, and emails about turns wait for readers who are on the site.
"""

from datetime import datetime
from typing import Final

from flask import Flask, Response, request

from webapp.accounts.sessions import record_session_use
from webapp.kernel.errors import Unavailable
from webapp.web.context import current_context
from webapp.web.session import recorded_minute, remember_recorded_minute, token

_SECONDS_OF_MINUTE: Final = 60
_REQUESTED_WITHOUT_READERS: Final = frozenset({"static", "page_version.show_page_version"})
"""Scripts ask for a version for as long as a page is open, whether anyone reads it or not."""


def record_used_sessions(app: Flask) -> None:
    """Record the first request of each minute that comes with the cookie of a session."""

    def record(response: Response) -> Response:
        # Without the cookie nothing is looked up, so that answers to strangers and style sheets do not vary by cookie.
        if (
            app.config["SESSION_COOKIE_NAME"] in request.cookies
            and request.endpoint not in _REQUESTED_WITHOUT_READERS
        ):
            _record_once_a_minute()
        return response

    app.after_request(record)


def minute_of(instant: datetime) -> int:
    """Return the minute of an instant, counted from 1970."""
    return int(instant.timestamp()) // _SECONDS_OF_MINUTE


def _record_once_a_minute() -> None:
    now, session_token = current_context().now(), token()
    if session_token is None or recorded_minute() == minute_of(now):
        return
    try:
        with current_context().transaction() as tx:
            record_session_use(tx, session_token)
    except Unavailable:
        # The next request tries again.
        return
    remember_recorded_minute(minute_of(now))
