"""Continuing with an invitation that a person accepted before they signed in: they get the seat without pressing again.

The button of the invitation was pressed in this browser, or in the one that requested the sign-in email; the page with
the button that signs in says that it takes the seat as well.
"""

from flask import flash, redirect
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.services.accounts.sessions import OpenedSession
from webapp.services.errors import DenialReason, FieldErrors, NotAllowed, NotFound
from webapp.services.lobby.invitation_links import link_of_invitation
from webapp.services.lobby.invitations import accept_invitation
from webapp.services.lobby.seats import SeatWish
from webapp.web.context import current_context
from webapp.web.forms import form_error_for
from webapp.web.session import (
    SeatRequest,
    remember_seat_request,
    require_viewer,
    seat_request,
    take_return_path,
)


def remember_request_of_email(signed_in: OpenedSession) -> None:
    """Keep the invitation that was being accepted when the email was requested, perhaps in another browser."""
    if signed_in.invitation_id is None or seat_request() is not None:
        return
    context = current_context()
    with context.read_only() as tx:
        link = link_of_invitation(tx, signed_in.invitation_id, context.keys)
    if link is not None:
        remember_seat_request(link, seen_removals=None)


def take_requested_seat(request: SeatRequest) -> ResponseReturnValue:
    """Give the viewer the seat and redirect to the table; otherwise redirect to the invitation, or to choose another name."""
    context = current_context()
    take_return_path(urls.home())
    try:
        with context.transaction() as tx:
            viewer = require_viewer(tx)
            wish = SeatWish(seen_removals=request.seen_removals)
            slug = accept_invitation(tx, request.link, viewer, wish=wish)
    except FieldErrors as refusal:
        flash(form_error_for(refusal).text, "warn")
        return redirect(urls.invited_name(request.link), 303)
    except NotFound:
        return redirect(urls.invitation(request.link), 303)
    except NotAllowed as refusal:
        if refusal.reason is not DenialReason.ALREADY_SEATED:
            flash(form_error_for(refusal).text, "warn")
        return redirect(urls.invitation(request.link), 303)
    context.nudge(tx.nudges)
    return redirect(urls.game(slug), 303)
