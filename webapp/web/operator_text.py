"""Texts of the operator, written in Markdown, as HTML for a page: without HTML of their own, pictures or code."""

from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

_PAGE_HEADINGS: Final = {"h1": "h2", "h2": "h3"}
"""The page has a title of its own."""
_LOWER_HEADINGS: Final = {"h3": "h4", "h4": "h5", "h5": "h6"}


def _parser() -> MarkdownIt:
    # Links to other schemes than http, https and mailto are left as text by the parser itself.
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True})
    return parser.disable(["image", "html_inline", "html_block", "code", "fence"])


_PARSER: Final = _parser()


def operator_text(source: str) -> Markup:
    """Return the HTML of a text in Markdown; whatever looks like HTML in it is shown as text."""
    tokens = [_demoted_heading(token) for token in _PARSER.parse(source)]
    return Markup(_PARSER.renderer.render(tokens, _PARSER.options, {}))  # noqa: S704 - the parser escapes all text


def _demoted_heading(token: Token) -> Token:
    """Return the token of a heading one level lower; all others as they are."""
    if token.type in {"heading_open", "heading_close"}:
        token.tag = (_PAGE_HEADINGS | _LOWER_HEADINGS).get(token.tag, token.tag)
    return token
