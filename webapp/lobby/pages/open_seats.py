"""Open seats: their list, and taking back or taking over the seat of one game."""

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue

from webapp.kernel import urls
from webapp.kernel.refusals import DenialReason, NotFound
from webapp.lobby.open_seats import OpenSeatPage, open_seat_list, open_seat_page, take_open_seat
from webapp.lobby.pages.forms import OpenSeatEmailsForm, TakeSeatForm, form_asking_for_name
from webapp.lobby.volunteers import change_volunteer
from webapp.web.context import current_context
from webapp.web.forms import FormError, form_error_for, form_view, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import (
    checked_viewer,
    locale_of,
    redirect_to_introduction,
    require_viewer,
    token,
    viewer_from_session,
)

pages = Blueprint("open_seats", __name__)


@pages.get(urls.open_seats.rule)
def show_open_seat_list() -> ResponseReturnValue:
    """Show the games that need a player and that the viewer may hear of."""
    with current_context().read_only() as tx:
        page = open_seat_list(tx, token())
    return render_page(
        "lobby/open_seats.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.open_seats()),
        page=page,
    )


@pages.post(urls.open_seats.rule)
@form_view
def change_open_seat_emails() -> ResponseReturnValue:
    """Store whether the viewer wants emails about open seats, and return to the list."""
    language = locale_of(None).language
    form = OpenSeatEmailsForm(language, request.form)
    wants_open_seats = bool(form.wants_open_seats.data)
    with submission(form) as tx:
        change_volunteer(tx, require_viewer(tx), wants_open_seats=wants_open_seats)
    if wants_open_seats:
        message = language.gettext("We'll tell you when a seat opens, at most once a day.")
    else:
        message = language.gettext("Done. We won't write to you about open seats.")
    flash(message, "good")
    return redirect(urls.open_seats(), 303)


@pages.get(urls.open_seat.rule)
def show_open_seat(slug: str) -> ResponseReturnValue:
    """Show the game in public and one button; only a POST takes the seat."""
    return _show(slug)


@pages.post(urls.open_seat.rule)
@form_view
def take_seat(slug: str) -> ResponseReturnValue:
    """Take the seat; a viewer who is signed out or has no name yet is redirected there and back first."""
    form = TakeSeatForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            viewer = viewer_from_session(tx)
            if viewer is None or not viewer.name:
                return redirect_to_introduction(viewer, urls.open_seat(slug, link=_link() or None))
            name = form.text("name")
            take_open_seat(tx, slug, viewer, link=_link(), name=name)
    except FormError as error:
        return _show_again(slug, form, error)
    return redirect(urls.briefing(slug), 303)


def _show_again(slug: str, form: TakeSeatForm, error: FormError) -> Response:
    """Show the seat with what is wrong; once it is taken there is only the message."""
    try:
        return _show(slug, form, error)
    except NotFound:
        raise error from None


def _link() -> str:
    """Return the token of the viewer's invitation, or nothing."""
    return request.args.get("link", "")


def _show(slug: str, form: TakeSeatForm | None = None, error: FormError | None = None) -> Response:
    context = current_context()
    with context.read_only() as tx:
        page = open_seat_page(tx, slug, token(), link=_link())
    return render_page(
        "lobby/open_seat.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.open_seat(slug, link=page.link or None)),
        status=200 if error is None else error.status,
        page=page,
        error=error,
        refusal="" if page.refusal is None else form_error_for(page.refusal).text,
        is_seated=_is_seated(page),
        url_to_share=_url_to_share(page),
        sit_form=form_asking_for_name(form, page.me),
    )


def _is_seated(page: OpenSeatPage) -> bool:
    return page.refusal is not None and page.refusal.reason == DenialReason.ALREADY_SEATED


def _url_to_share(page: OpenSeatPage) -> str:
    """Return the address that people at the table give to someone who might step in; empty for everyone else."""
    if page.link_to_share is None and not _is_seated(page):
        return ""
    path = urls.open_seat(page.table.slug, link=page.link_to_share)
    return urls.absolute_url(current_context().settings.base_url, path)
