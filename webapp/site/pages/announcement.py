"""Dismissing the announcement that is on every page of signed-in people."""

from flask import Blueprint, redirect, request
from flask.typing import ResponseReturnValue

from webapp.kernel import urls
from webapp.moderation.site_announcements import dismiss_announcement
from webapp.web.context import current_context
from webapp.web.session import is_own_path, remember_dismissed_announcement, require_viewer

pages = Blueprint("announcement", __name__)


@pages.post(urls.dismiss_announcement.rule)
def dismiss(number: int) -> ResponseReturnValue:
    """Hide the announcement for this person, and return to the page where they read it."""
    with current_context().transaction() as tx:
        viewer = require_viewer(tx)
        is_dismissed = dismiss_announcement(tx, viewer, number)
    if is_dismissed:
        remember_dismissed_announcement(number)
    path = request.form.get("return_path", "")
    return redirect(path if is_own_path(path) else urls.home(), 303)
