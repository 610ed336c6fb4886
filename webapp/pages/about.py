from flask import Blueprint
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.pages.page import Here, show
from webapp.resources import release

pages = Blueprint("about", __name__)


@pages.get(urls.about())
def show_about() -> ResponseReturnValue:
    """What this is, under which licence, and where its source is."""
    return show("about/about.html", me=None, here=Here(urls.about()), version=release())
