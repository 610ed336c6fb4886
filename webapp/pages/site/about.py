from flask import Blueprint
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.resources import release
from webapp.web.layout import Here, show

pages = Blueprint("about", __name__)


@pages.get(urls.about())
def show_about() -> ResponseReturnValue:
    """What this is, under which licence, and where its source is."""
    return show("site/about.html", me=None, here=Here(urls.about()), version=release())
