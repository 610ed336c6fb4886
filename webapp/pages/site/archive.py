"""The viewer's finished games, with a filter that is in the address."""

from typing import Final

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from engine.rulebooks.catalogue import RULEBOOKS
from webapp import urls
from webapp.services.site.archive import archive_page
from webapp.web.context import current_context
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import require_viewer

pages = Blueprint("archive", __name__)
_FILTER_NAMES: Final = ("opponent", "club", "rulebook", "result", "year")


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
