"""The legal pages of the operator: an imprint and a privacy notice, as far as they have written them."""

from typing import Final

from flask import Blueprint, abort
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.i18n import N_
from webapp.web.context import current_context
from webapp.web.layout import PagePosition, render_page
from webapp.web.operator_text import operator_text
from webapp.web.session import locale_of

pages = Blueprint("legal", __name__)
_PAGE_TITLES: Final = {"imprint": N_("Imprint"), "privacy": N_("Privacy notice")}
"""By the names of the settings that have the texts."""


@pages.get(urls.legal_page.rule)
def show_legal_page(name: str) -> ResponseReturnValue:
    """Show one of the pages; one without a text does not exist."""
    if name not in _PAGE_TITLES:
        abort(404)
    source: str = getattr(current_context().site_settings.current(), name)
    if not source:
        abort(404)
    return render_page(
        "site/legal.html",
        viewer=None,
        nav_position=PagePosition(urls.legal_page(name)),
        title=locale_of(None).language.gettext(_PAGE_TITLES[name]),
        text=operator_text(source),
    )
