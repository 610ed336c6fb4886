"""The history of a game: every turn so far, and the mine as it was after one of them."""

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.pages.play.belief_charts import belief_charts
from webapp.services.play.history_page import history_page
from webapp.services.tx import read_only
from webapp.web.context import current_context
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import checked_viewer, locale_of, token
from webapp.wording.bots import bot_label
from webapp.wording.perspective import perspective_at

pages = Blueprint("history", __name__)


@pages.get("/games/<slug:slug>/history")
def show_history(slug: str) -> ResponseReturnValue:
    """Show the history for the viewer; ``until`` picks the turn for the mine, ``seat`` limits the list to one player, ``bot`` picks a belief."""
    until, seat, bot = (
        _number_from(request.args.get(name, "")) for name in ("until", "seat", "bot")
    )
    with read_only(current_context().database) as tx:
        page = history_page(tx, slug, token(), until=until, bot=bot, now=current_context().now())
    language = locale_of(page.me).language
    perspective = perspective_at(page.seats, language)
    return render_page(
        "play/history/history.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.history(slug), slug),
        page=page,
        view=page.view,
        perspective=perspective,
        entries=[entry for entry in page.entries if seat is None or entry.seat == seat],
        only_seat=seat,
        bot_labels=[
            bot_label(seated_bot.name, seated_bot.level, language) for seated_bot in page.bots
        ],
        only_bot=None if page.beliefs is None else page.bots.index(page.beliefs.bot),
        belief_charts=[] if page.beliefs is None else belief_charts(page.beliefs, perspective),
    )


def _number_from(text: str) -> int | None:
    """Return a turn, a seat or a bot from the query, or None for anything else."""
    is_number = text.isascii() and text.isdigit() and len(text) < 10  # noqa: PLR2004
    return int(text) if is_number else None
