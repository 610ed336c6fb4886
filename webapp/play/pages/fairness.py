"""The proof that no one tampered with the shuffles, and the download of the game record."""

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from webapp.kernel import urls
from webapp.play.views.fairness_page import export, fairness_page
from webapp.web.context import current_context
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import checked_viewer, token

pages = Blueprint("fairness", __name__)


@pages.get(urls.fairness.rule)
def show_fairness(slug: str) -> ResponseReturnValue:
    """Show the commitments, the frozen record, and the secrets once the game is over."""
    with current_context().read_only() as tx:
        page = fairness_page(tx, slug, token())
    return render_page(
        "play/fairness/fairness.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.fairness(slug), slug),
        page=page,
        filename=f"{slug}.game",
    )


@pages.get(urls.export.rule)
def download_record(slug: str) -> ResponseReturnValue:
    """Return the record of a finished game; of a running one, what the viewer may know."""
    with current_context().read_only() as tx:
        record = export(tx, slug, token())
    response = Response(record.text, mimetype="text/plain")
    response.headers["Content-Disposition"] = f'attachment; filename="{record.filename}"'
    return response
