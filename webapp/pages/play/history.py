"""The history of a game: every turn so far, and the mine as it was after one of them."""

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.services.play.history_page import history_page
from webapp.services.tx import read_only
from webapp.web.context import current_context
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import checked_viewer, locale_of, token
from webapp.wording.perspective import perspective_at

pages = Blueprint("history", __name__)


@pages.get("/games/<slug:slug>/history")
def show_history(slug: str) -> ResponseReturnValue:
    """Show the history for the viewer; ``until`` picks the turn for the mine, ``seat`` limits the list to one player."""
    until, seat = (_turn_number(request.args.get(name, "")) for name in ("until", "seat"))
    with read_only(current_context().database) as tx:
        page = history_page(tx, slug, token(), until=until, now=current_context().now())
    perspective = perspective_at(page.seats, locale_of(page.me).language)
    return render_page(
        "play/history/history.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.history(slug), slug),
        page=page,
        view=page.view,
        perspective=perspective,
        entries=[entry for entry in page.entries if seat is None or entry.seat == seat],
        only_seat=seat,
    )


def _turn_number(text: str) -> int | None:
    """Return a turn or a seat from the query, or None for anything else."""
    is_number = text.isascii() and text.isdigit() and len(text) < 10  # noqa: PLR2004
    return int(text) if is_number else None
