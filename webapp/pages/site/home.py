"""The home page, and the shortcut to the next game that waits for the viewer."""

from flask import Blueprint, redirect, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.pages.site import archive
from webapp.services.moderation.warnings import unread_warning
from webapp.services.site.home import home_page, next_slug
from webapp.web.context import current_context
from webapp.web.forms import new_form_id
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import checked_viewer, token

pages = Blueprint("home", __name__)
pages.register_blueprint(archive.pages)


@pages.get(urls.home.rule)
def show_home() -> ResponseReturnValue:
    """Show the viewer's games, the most urgent first, and tables with free seats; a welcome when signed out."""
    context = current_context()
    with context.read_only() as tx:
        page = home_page(tx, token())
        warning = unread_warning(tx, page.me, keys=context.keys) if page.me else None
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
