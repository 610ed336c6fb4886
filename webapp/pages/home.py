from flask import Blueprint, redirect
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.pages.forms import once
from webapp.pages.page import Here, show
from webapp.pages.reader import known, token
from webapp.pages.site import site
from webapp.services.reading import home_page, next_slug
from webapp.services.tx import read_only

pages = Blueprint("home", __name__)


@pages.get(urls.home())
def show_home() -> ResponseReturnValue:
    """The reader's games, what waits first, and tables with free seats; a welcome for whoever is new."""
    with read_only(site().database) as tx:
        page = home_page(tx, token(), now=site().now())
    if page.me is not None and not page.me.name:
        return redirect(urls.profile())
    return show("home/home.html", me=known(page.me), here=Here(urls.home()), page=page, once=once())


@pages.get(urls.next_game())
def go_to_next() -> ResponseReturnValue:
    """To the game that waits for the reader with the least time left; home when none does."""
    with read_only(site().database) as tx:
        slug = next_slug(tx, token(), now=site().now())
    return redirect(urls.home() if slug is None else urls.game(slug))
