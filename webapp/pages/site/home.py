from flask import Blueprint, redirect
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.services.site.home import home_page, next_slug
from webapp.services.tx import read_only
from webapp.web.context import current_context
from webapp.web.forms import once
from webapp.web.layout import Here, show
from webapp.web.session import known, token

pages = Blueprint("home", __name__)


@pages.get(urls.home())
def show_home() -> ResponseReturnValue:
    """The reader's games, what waits first, and tables with free seats; a welcome for whoever is new."""
    with read_only(current_context().database) as tx:
        page = home_page(tx, token(), now=current_context().now())
    if page.me is not None and not page.me.name:
        return redirect(urls.profile())
    return show(
        "site/home/home.html", me=known(page.me), here=Here(urls.home()), page=page, once=once()
    )


@pages.get(urls.next_game())
def go_to_next() -> ResponseReturnValue:
    """To the game that waits for the reader with the least time left; home when none does."""
    with read_only(current_context().database) as tx:
        slug = next_slug(tx, token(), now=current_context().now())
    return redirect(urls.home() if slug is None else urls.game(slug))
