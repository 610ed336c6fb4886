"""The page about this site."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from webapp.kernel import urls
from webapp.kernel.resources import lodepost_version
from webapp.web.layout import PagePosition, render_page

pages = Blueprint("about", __name__)


@pages.get(urls.about.rule)
def show_about() -> ResponseReturnValue:
    """Show what Lodepost is, its version and its licence."""
    return render_page(
        "site/about.html",
        viewer=None,
        nav_position=PagePosition(urls.about()),
        version=lodepost_version(),
    )
