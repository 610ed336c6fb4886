"""Accepting an invitation: show the table, sign in if necessary, and take a seat."""

from flask import Blueprint, Response, redirect, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.pages.lobby.forms import TakeSeatForm, form_asking_for_name
from webapp.services.accounts.person import Person
from webapp.services.errors import DenialReason, NotAllowed, NotFound
from webapp.services.lobby import invitations
from webapp.services.lobby.invitations import InvitationTooLate, StartedGame
from webapp.services.lobby.newcomers import proved_address
from webapp.services.tx import Tx
from webapp.web.context import current_context
from webapp.web.denied_access import record_denied_access
from webapp.web.forms import FormError, form_view, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import (
    checked_viewer,
    locale_of,
    remember_seat_request,
    token,
    viewer_from_session,
)

pages = Blueprint("invitation", __name__)


@pages.get(urls.invitation.rule)
def show_invitation(link: str) -> ResponseReturnValue:
    """Show the table and a button, or lead a player to the game that has begun; only a POST accepts the invitation."""
    return _show_invitation(link)


@pages.post(urls.invitation.rule)
@form_view
def accept_invitation(link: str) -> ResponseReturnValue:
    """Take a seat; a viewer who is signed out or has no name yet is asked for that first, and gets the seat right after."""
    form = TakeSeatForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            viewer = viewer_from_session(tx)
            if viewer is None or not viewer.name:
                return _introduce(tx, viewer, link, seen_removals=form.wish().seen_removals)
            slug = invitations.accept_invitation(tx, link, viewer, wish=form.wish())
    except FormError as error:
        return _show_invitation(link, form, error)
    return redirect(urls.game(slug), 303)


@pages.errorhandler(NotFound)
def show_gone_invitation(reason: NotFound) -> Response:
    """Say what may have become of an invitation: the same whether it is unknown, or to a table that the viewer may not see.

    Who was invited by email and comes too late reads that, and whom to ask for the next table.
    """
    if isinstance(reason, InvitationTooLate):
        return render_page(
            "lobby/late_invitation.html", viewer=None, status=410, inviter=reason.inviter
        )
    record_denied_access()
    return render_page("lobby/gone_invitation.html", viewer=None, status=404)


def _introduce(
    tx: Tx, viewer: Person | None, link: str, *, seen_removals: int | None
) -> ResponseReturnValue:
    """Redirect to choose a name, or to sign in first. Raises NotFound, and NotAllowed if there is no seat to be had."""
    page = invitations.invitation_page(tx, link, viewer)
    if isinstance(page, StartedGame):
        return redirect(urls.game(page.slug), 303)
    if page.table.taken >= page.table.seats:
        raise NotAllowed(DenialReason.TABLE_FULL)
    remember_seat_request(link, seen_removals=seen_removals)
    sign_up = current_context().site_settings.current().sign_up
    is_address_used = "elsewhere" not in request.form
    has_address = is_address_used and proved_address(tx, link, sign_up) is not None
    is_known = viewer is not None or has_address
    return redirect(urls.invited_name(link) if is_known else urls.sign_in(), 303)


def _show_invitation(
    link: str, form: TakeSeatForm | None = None, error: FormError | None = None
) -> ResponseReturnValue:
    with current_context().read_only() as tx:
        page = invitations.invitation_page(tx, link, token())
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
