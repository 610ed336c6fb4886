"""An offered seat in a running game: show it, sign in if necessary, and accept or decline."""

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue

from webapp.kernel import urls
from webapp.lobby import offered_seats
from webapp.lobby.pages.forms import TakeSeatForm, form_asking_for_name
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, form_error_for, form_view, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import (
    checked_viewer,
    locale_of,
    redirect_to_introduction,
    token,
    viewer_from_session,
)

pages = Blueprint("seat_offer", __name__)


@pages.get(urls.seat_offer.rule)
def show_seat_offer(link: str) -> ResponseReturnValue:
    """Show the game in public and two buttons; only a POST accepts or declines."""
    return _show(link)


@pages.post(urls.seat_offer.rule)
@form_view
def accept_seat_offer(link: str) -> ResponseReturnValue:
    """Take over the seat; a viewer who is signed out or has no name yet is redirected there and back first."""
    form = TakeSeatForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            viewer = viewer_from_session(tx)
            if viewer is None or not viewer.name:
                return redirect_to_introduction(viewer, urls.seat_offer(link))
            slug = offered_seats.accept_seat_offer(
                tx,
                link,
                viewer,
                name=form.text("name"),
            )
    except FormError as error:
        return _show(link, form, error)
    return redirect(urls.briefing(slug), 303)


@pages.post(urls.decline_seat_offer.rule)
@form_view
def decline_seat_offer(link: str) -> ResponseReturnValue:
    """Decline the offer; no one needs an account for that."""
    language = locale_of(None).language
    form = PageForm(language, request.form)
    try:
        with submission(form) as tx:
            offered_seats.decline_seat_offer(tx, link)
    except FormError as error:
        return _show(link, error=error)
    flash(language.gettext("You've declined. We won't write about this seat again."), "good")
    return redirect(urls.seat_offer(link), 303)


def _show(link: str, form: TakeSeatForm | None = None, error: FormError | None = None) -> Response:
    with current_context().read_only() as tx:
        page = offered_seats.seat_offer_page(tx, link, token())
    return render_page(
        "lobby/seat_offer.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.seat_offer(link)),
        status=200 if error is None else error.status,
        page=page,
        link=link,
        error=error,
        refusal="" if page.refusal is None else form_error_for(page.refusal).text,
        sit_form=form_asking_for_name(form, page.me),
    )
