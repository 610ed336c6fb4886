"""The open seat of a game: the player who lost it takes it back, or someone else steps in."""

from flask import Blueprint, Response, redirect, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.pages.lobby.forms import SitForm, form_asking_for_name
from webapp.services.errors import NotFound
from webapp.services.lobby.open_seats import open_seat_page, take_open_seat
from webapp.services.tx import read_only
from webapp.web.context import current_context
from webapp.web.error_messages import denied_sentence
from webapp.web.forms import FormError, form_view, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import (
    checked_viewer,
    locale_of,
    redirect_to_introduction,
    token,
    viewer_from_session,
)

pages = Blueprint("open_seats", __name__)


@pages.get("/games/<slug:slug>/open-seat")
def show_open_seat(slug: str) -> ResponseReturnValue:
    """Show the game in public and one button; only a POST takes the seat."""
    return _show(slug)


@pages.post("/games/<slug:slug>/open-seat")
@form_view
def take_seat(slug: str) -> ResponseReturnValue:
    """Take the seat; a viewer who is signed out or has no name yet is redirected there and back first."""
    form = SitForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            viewer = viewer_from_session(tx)
            if viewer is None or not viewer.name:
                return redirect_to_introduction(viewer, urls.open_seat(slug))
            now = current_context().now()
            take_open_seat(tx, slug, viewer, name=form.text("name"), now=now)
    except FormError as error:
        return _show_again(slug, form, error)
    return redirect(urls.briefing(slug), 303)


def _show_again(slug: str, form: SitForm, error: FormError) -> Response:
    """Show the seat with what is wrong; once it is taken there is only the message."""
    try:
        return _show(slug, form, error)
    except NotFound:
        raise error from None


def _show(slug: str, form: SitForm | None = None, error: FormError | None = None) -> Response:
    with read_only(current_context().database) as tx:
        page = open_seat_page(tx, slug, token(), now=current_context().now())
    refusal = page.refusal
    return render_page(
        "clock/open_seat.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.open_seat(slug)),
        status=200 if error is None else error.status,
        page=page,
        error=error,
        refusal="" if refusal is None else denied_sentence(refusal, locale_of(page.me).language),
        sit_form=form_asking_for_name(form, page.me),
    )
