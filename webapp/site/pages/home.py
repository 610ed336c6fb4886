"""The home page, the shortcut to the next game that waits for the viewer, and their finished games."""

from typing import Final

from flask import Blueprint, redirect, request
from flask.typing import ResponseReturnValue

from engine.rulebooks.catalogue import RULEBOOKS
from webapp.kernel import urls
from webapp.moderation.sanctions import unread_warning
from webapp.site.home import archive_page, home_page, next_slug
from webapp.web.context import current_context
from webapp.web.forms import new_form_id
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import checked_viewer, require_viewer, token

pages = Blueprint("home", __name__)
_FILTER_NAMES: Final = ("opponent", "club", "rulebook", "result", "year")


@pages.get(urls.home.rule)
def show_home() -> ResponseReturnValue:
    """Show the viewer's games, the most urgent first, and tables with free seats; a welcome when signed out."""
    context = current_context()
    with context.read_only() as tx:
        page = home_page(tx, token())
        warning = unread_warning(tx, page.me) if page.me else None
    if page.me is not None and not page.me.name:
        return redirect(urls.profile())
    return render_page(
        "site/home/home.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.home()),
        page=page,
        warning=warning,
        form_id=new_form_id(),
    )


@pages.get(urls.next_game.rule)
def open_next_game() -> ResponseReturnValue:
    """Redirect to the game that waits for the viewer with the least time left, or home if none does; with ``after``, leave that game for later."""
    after = request.args.get("after", "")
    with current_context().read_only() as tx:
        slug = next_slug(tx, token(), after=after)
    return redirect(urls.home() if slug is None else urls.game(slug))


@pages.get(urls.archive.rule)
def show_archive() -> ResponseReturnValue:
    """Show one page of the viewer's finished games; a filter that means nothing filters nothing."""
    query = {name: _argument(name) for name in _FILTER_NAMES}
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        page = archive_page(tx, viewer, query, before=_argument("before"))
    return render_page(
        "site/archive.html",
        viewer=viewer,
        nav_position=PagePosition(urls.archive()),
        page=page,
        query=query,
        is_filtered=any(query.values()),
        rulebooks=tuple(RULEBOOKS),
        next_page_url=urls.archive(**query, before=page.next_before),
    )


def _argument(name: str) -> str | None:
    return request.args.get(name, "").strip() or None
