"""What proves that nobody tampered with the shuffles, and the record of the game to take along."""

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.services.play.export import export
from webapp.services.play.reading import fairness_page
from webapp.services.tx import read_only
from webapp.web.context import current_context
from webapp.web.layout import Here, show
from webapp.web.session import known, token

pages = Blueprint("fairness", __name__)


@pages.get("/games/<slug:slug>/fairness")
def show_fairness(slug: str) -> ResponseReturnValue:
    """The commitments, the frozen record, and the secrets once the game is over."""
    with read_only(current_context().database) as tx:
        page = fairness_page(tx, slug, token(), now=current_context().now())
    return show(
        "play/fairness/fairness.html",
        me=known(page.me),
        here=Here(urls.fairness(slug), slug),
        page=page,
        filename=f"{slug}.game",
    )


@pages.get("/games/<slug:slug>/export")
def download(slug: str) -> ResponseReturnValue:
    """The whole game after its end; before, what the reader may know of it."""
    with read_only(current_context().database) as tx:
        found = export(tx, slug, token(), now=current_context().now())
    answer = Response(found.text, mimetype="text/plain")
    answer.headers["Content-Disposition"] = f'attachment; filename="{found.filename}"'
    return answer
