"""The outermost element of every picture. Presentation attributes only: the pages' security policy refuses styles."""

from markupsafe import Markup, escape


def picture_of(body: str, *, width: float, height: float, words: str | None, kind: str) -> Markup:
    """A small picture with its name for those who cannot see it; without words it is decoration and hidden from them."""
    named = 'aria-hidden="true"' if words is None else 'role="img"'
    title = "" if words is None else f"<title>{escape(words)}</title>"
    return Markup(  # noqa: S704 - drawn by this package; the only foreign text in it is escaped
        f'<svg xmlns="http://www.w3.org/2000/svg" class="picture picture--{kind}" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" focusable="false" {named}>{title}{body}</svg>'
    )


def at(x: float, y: float, body: str, *, scale: float = 1) -> str:
    """Move a drawing, and size it."""
    size = "" if scale == 1 else f" scale({scale:g})"
    return f'<g transform="translate({x:g} {y:g}){size}">{body}</g>'
