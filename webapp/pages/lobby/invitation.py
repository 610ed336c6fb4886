"""Accepting an invitation: show the table, sign in if necessary, and take a seat."""

from flask import Blueprint, redirect, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.pages.lobby.forms import TakeSeatForm, form_asking_for_name
from webapp.services.lobby import invitations
from webapp.services.lobby.invitations import StartedGame
from webapp.services.tx import read_only
from webapp.web.context import current_context
from webapp.web.forms import FormError, form_view, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import (
    checked_viewer,
    locale_of,
    redirect_to_introduction,
    token,
    viewer_from_session,
)

pages = Blueprint("invitation", __name__)


@pages.get("/invitations/<token:link>")
def show_invitation(link: str) -> ResponseReturnValue:
    """Show the table and a button, or lead a player to the game that has begun; only a POST accepts the invitation."""
    return _show_invitation(link)


@pages.post("/invitations/<token:link>")
@form_view
def accept_invitation(link: str) -> ResponseReturnValue:
    """Take a seat; a viewer who is signed out or has no name yet is redirected there and back first."""
    form = TakeSeatForm(locale_of(None).language, request.form)
    now = current_context().now()
    try:
        with submission(form) as tx:
            viewer = viewer_from_session(tx)
            if viewer is None or not viewer.name:
                return redirect_to_introduction(viewer, urls.invitation(link))
            slug = invitations.accept_invitation(tx, link, viewer, wish=form.wish(), now=now)
    except FormError as error:
        return _show_invitation(link, form, error)
    return redirect(urls.game(slug), 303)


def _show_invitation(
    link: str, form: TakeSeatForm | None = None, error: FormError | None = None
) -> ResponseReturnValue:
    with read_only(current_context().database) as tx:
        page = invitations.invitation_page(tx, link, token(), now=current_context().now())
    if isinstance(page, StartedGame):
        return redirect(urls.game(page.slug), 303)
    return render_page(
        "lobby/invitation.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.invitation(link)),
        status=200 if error is None else error.status,
        page=page,
        link=link,
        error=error,
        sit_form=form_asking_for_name(form, page.me),
    )
