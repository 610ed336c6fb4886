"""The page of a game for its moderators: why it waits, what became of every turn and email, and all acts."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from webapp.kernel import urls
from webapp.moderation.game_page import moderated_game
from webapp.moderation.pages.page_rendering import render_moderation
from webapp.web.context import current_context
from webapp.web.session import require_viewer

pages = Blueprint("moderated_game", __name__)


@pages.get(urls.moderated_game.rule)
def show_moderated_game(slug: str) -> ResponseReturnValue:
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        page = moderated_game(tx, viewer, slug)
    return render_moderation(
        "moderation/game/game.html", viewer=viewer, path=urls.moderated_game(slug), page=page
    )
