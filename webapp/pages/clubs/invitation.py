"""Accepting an invitation to a club: show the club, sign in if necessary, and join."""

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.pages.clubs.club_submission import browser_language
from webapp.services.clubs import invitations
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, form_view, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import (
    checked_viewer,
    redirect_to_introduction,
    token,
    viewer_from_session,
)

pages = Blueprint("club_invitation", __name__)


@pages.get(urls.club_invitation.rule)
def show_club_invitation(link: str) -> ResponseReturnValue:
    """Show the club and a button; only a POST accepts the invitation."""
    return _show(link)


@pages.post(urls.club_invitation.rule)
@form_view
def accept_club_invitation(link: str) -> ResponseReturnValue:
    """Join the club; a viewer who is signed out or has no name yet is redirected there and back first."""
    form = PageForm(browser_language(), request.form)
    try:
        with submission(form) as tx:
            viewer = viewer_from_session(tx)
            if viewer is None or not viewer.name:
                return redirect_to_introduction(viewer, urls.club_invitation(link))
            slug = invitations.accept_club_invitation(tx, link, viewer)
    except FormError as error:
        return _show(link, error)
    flash(browser_language().gettext("Welcome to the club!"), "good")
    return redirect(urls.club(slug), 303)


def _show(link: str, error: FormError | None = None) -> Response:
    with current_context().read_only() as tx:
        page = invitations.club_invitation_page(tx, link, token())
    return render_page(
        "clubs/invitation.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.club_invitation(link), default_language=page.language),
        status=200 if error is None else error.status,
        page=page,
        link=link,
        error=error,
    )
