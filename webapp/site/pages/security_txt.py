"""/.well-known/security.txt (RFC 9116): where to report vulnerabilities of this site."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from flask import Blueprint, Response, abort

from webapp.kernel import urls
from webapp.kernel.config import Settings
from webapp.kernel.i18n import DEFAULT_LANGUAGE
from webapp.web.context import current_context

_VALID_FOR: Final = timedelta(days=90)
"""A copy that someone kept counts as out of date after this time; RFC 9116 advises less than a year."""

pages = Blueprint("security_txt", __name__)


@pages.get(urls.security_txt.rule)
def show_security_txt() -> Response:
    """Return the contacts that the operator has set, or 404 if there are none."""
    settings = current_context().settings
    if not settings.security_contacts:
        abort(404)
    lines = _lines(settings, current_context().now())
    return Response("".join(f"{line}\n" for line in lines), mimetype="text/plain")


def _lines(settings: Settings, now: datetime) -> Iterator[str]:
    for contact in settings.security_contacts:
        yield f"Contact: {contact}"
    expires_on = (now + _VALID_FOR).date()
    yield f"Expires: {expires_on.isoformat()}T00:00:00Z"
    yield f"Canonical: {urls.absolute_url(settings.base_url, urls.security_txt())}"
    if settings.security_policy:
        yield f"Policy: {settings.security_policy}"
    yield f"Preferred-Languages: {DEFAULT_LANGUAGE}"
