"""The legal pages of the operator: an imprint and a privacy notice, as far as they have written them in Markdown."""

from functools import cache
from typing import TYPE_CHECKING, Final

from flask import Blueprint, abort
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from webapp.kernel import urls
from webapp.kernel.i18n import N_
from webapp.web.context import current_context
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

pages = Blueprint("legal", __name__)
_PAGE_TITLES: Final = {"imprint": N_("Imprint"), "privacy": N_("Privacy notice")}
"""By the names of the settings that have the texts."""
_PAGE_HEADINGS: Final = {"h1": "h2", "h2": "h3"}
"""The page has a title of its own."""
_LOWER_HEADINGS: Final = {"h3": "h4", "h4": "h5", "h5": "h6"}


@cache
def _parser() -> "MarkdownIt":
    # A twelfth of what a web process imports, for pages that many sites don't have.
    from markdown_it import MarkdownIt

    # Links to other schemes than http, https and mailto are left as text by the parser itself.
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True})
    return parser.disable(["image", "html_inline", "html_block", "code", "fence"])


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
        text=_html_of(source),
    )


def _html_of(source: str) -> Markup:
    """Return the HTML of a text in Markdown; whatever looks like HTML in it is shown as text."""
    parser = _parser()
    tokens = parser.parse(source)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = (_PAGE_HEADINGS | _LOWER_HEADINGS).get(token.tag, token.tag)
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704 - the parser escapes all text
