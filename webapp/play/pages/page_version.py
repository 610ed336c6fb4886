"""Whether an open page of a game is still current: asked every few seconds by its script, so it costs one statement and no page."""

from flask import Blueprint, Response, jsonify, request

from webapp.kernel import urls
from webapp.play.access import game_for
from webapp.play.views.page_version import page_version
from webapp.web.context import current_context
from webapp.web.session import token

pages = Blueprint("page_version", __name__)


@pages.get(urls.page_version.rule)
def show_page_version(slug: str) -> Response:
    """Return the version of the viewer's page and the number of the latest turn; 304 if the browser has this version."""
    context = current_context()
    with context.read_only() as tx:
        access = game_for(tx, slug, token())
    response = jsonify(seq=access.game.seq)
    response.set_etag(page_version(access))
    response.make_conditional(request)
    return response
