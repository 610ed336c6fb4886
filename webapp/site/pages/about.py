"""The pages about this site: what it is, what its operator must tell, and where to report vulnerabilities."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Final

from flask import Blueprint, Response, abort
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from webapp.kernel import urls
from webapp.kernel.config import Settings
from webapp.kernel.i18n import DEFAULT_LANGUAGE, N_
from webapp.kernel.resources import lodepost_version
from webapp.web.context import current_context
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

pages = Blueprint("about", __name__)
legal_pages = Blueprint("legal", __name__)
security_contact = Blueprint("security_txt", __name__)
_PAGE_TITLES: Final = {"imprint": N_("Imprint"), "privacy": N_("Privacy notice")}
"""By the names of the settings that have the texts."""
_PAGE_HEADINGS: Final = {"h1": "h2", "h2": "h3"}
"""The page has a title of its own."""
_LOWER_HEADINGS: Final = {"h3": "h4", "h4": "h5", "h5": "h6"}
_SECURITY_TXT_VALID_FOR: Final = timedelta(days=90)
"""A copy that someone kept counts as out of date after this time; RFC 9116 advises less than a year."""


@pages.get(urls.about.rule)
def show_about() -> ResponseReturnValue:
    """Show what Lodepost is, its version and its licence."""
    return render_page(
        "site/about.html",
        viewer=None,
        nav_position=PagePosition(urls.about()),
        version=lodepost_version(),
    )


@legal_pages.get(urls.legal_page.rule)
def show_legal_page(name: str) -> ResponseReturnValue:
    """Show an imprint or a privacy notice that the operator has written in Markdown; one without a text does not exist."""
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


@security_contact.get(urls.security_txt.rule)
def show_security_txt() -> Response:
    """Return the contacts that the operator has set (RFC 9116), or 404 if there are none."""
    settings = current_context().settings
    if not settings.security_contacts:
        abort(404)
    lines = _security_txt_lines(settings, current_context().now())
    return Response("".join(f"{line}\n" for line in lines), mimetype="text/plain")


def _html_of(source: str) -> Markup:
    """Return the HTML of a text in Markdown; whatever looks like HTML in it is shown as text."""
    parser = _parser()
    tokens = parser.parse(source)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = (_PAGE_HEADINGS | _LOWER_HEADINGS).get(token.tag, token.tag)
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704 - the parser escapes all text


@cache
def _parser() -> "MarkdownIt":
    # A twelfth of what a web process imports, for pages that many sites don't have.
    from markdown_it import MarkdownIt

    # Links to other schemes than http, https and mailto are left as text by the parser itself.
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True})
    return parser.disable(["image", "html_inline", "html_block", "code", "fence"])


def _security_txt_lines(settings: Settings, now: datetime) -> Iterator[str]:
    for contact in settings.security_contacts:
        yield f"Contact: {contact}"
    expires_on = (now + _SECURITY_TXT_VALID_FOR).date()
    yield f"Expires: {expires_on.isoformat()}T00:00:00Z"
    yield f"Canonical: {urls.absolute_url(settings.base_url, urls.security_txt())}"
    if settings.security_policy:
        yield f"Policy: {settings.security_policy}"
    yield f"Preferred-Languages: {DEFAULT_LANGUAGE}"
