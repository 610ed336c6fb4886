"""The whole game so far, turn by turn, with the mine as it stood."""

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.services.play.reading import history_page
from webapp.services.tx import read_only
from webapp.web.context import current_context
from webapp.web.inputs import Inputs
from webapp.web.layout import Here, show
from webapp.web.session import known, locale_of, token
from webapp.wording.perspective import Perspective

pages = Blueprint("history", __name__)


@pages.get("/games/<slug:slug>/history")
def show_history(slug: str) -> ResponseReturnValue:
    """Every turn as the reader may hear it; ``until`` shows the mine after that turn, ``seat`` one player's turns alone."""
    inputs = Inputs(request.args)
    until, seat = inputs.number_if_any("until"), inputs.number_if_any("seat")
    with read_only(current_context().database) as tx:
        page = history_page(tx, slug, token(), until=until, now=current_context().now())
    names = tuple(seat.name for seat in page.seats)
    perspective = Perspective(language=locale_of(page.me).language, names=names, me=page.seat)
    return show(
        "play/history/history.html",
        me=known(page.me),
        here=Here(urls.history(slug), slug),
        page=page,
        view=page.view,
        perspective=perspective,
        told=[told for told in page.told if seat is None or told.seat == seat],
        only=seat,
    )
