"""Keeping sessions that are in use from ending: once a day and browser, after the response is made.

Its own module because it follows every request, whatever page it is for.
"""

from flask import Flask, Response, request

from webapp.services.accounts.sessions import renew_session
from webapp.services.errors import Unavailable
from webapp.services.tx import transaction
from webapp.web.context import current_context
from webapp.web.session import remember_renewal, renewal_day, token


def renew_used_sessions(app: Flask) -> None:
    """Write down the first request of each day that comes with the cookie of a session."""

    def renew(response: Response) -> Response:
        # Without the cookie nothing is looked up, so that answers to strangers and style sheets do not vary by cookie.
        if app.config["SESSION_COOKIE_NAME"] in request.cookies and request.endpoint != "static":
            _renew_once_a_day()
        return response

    app.after_request(renew)


def _renew_once_a_day() -> None:
    now, session_token = current_context().now(), token()
    today = now.date().isoformat()
    if session_token is None or renewal_day() == today:
        return
    try:
        with transaction(current_context().database) as tx:
            renew_session(tx, session_token, now=now)
    except Unavailable:
        # The next request tries again.
        return
    remember_renewal(today)
