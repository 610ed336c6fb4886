"""Render a page: its template, the viewer's locale, and what surrounds the content of every page."""

from typing import Final, Literal, NamedTuple, TypeAlias, cast

from flask import Response, get_flashed_messages, make_response, render_template

from webapp import urls
from webapp.i18n import Language
from webapp.services.accounts.person import Person
from webapp.web.context import current_context
from webapp.web.security_headers import nonce
from webapp.web.session import locale_of, token

FlashKind: TypeAlias = Literal["info", "good", "warn", "bad"]

_FLASH_KINDS: Final[frozenset[FlashKind]] = frozenset({"info", "good", "warn", "bad"})


class NavLink(NamedTuple):
    """A link of the header."""

    href: str
    label: str
    current: bool = False


class Layout(NamedTuple):
    """The header, the footer and the flashed messages of a page."""

    home: str
    css: str
    rules: str
    about: str
    links: tuple[NavLink, ...] = ()
    flashes: tuple[tuple[FlashKind, str], ...] = ()
    """Messages with their kinds, shown once, above the page."""
    icon: str | None = None
    """The address of the icon before the name and in the browser's tab."""


class Here(NamedTuple):
    """The page being shown, for the links around it: its path, and the game's slug if the page is about a game."""

    path: str = ""
    slug: str | None = None


def render_page(
    template: str,
    *,
    viewer: Person | None,
    here: Here = Here(),  # noqa: B008 - a constant
    status: int = 200,
    **context: object,
) -> Response:
    """Return the page for this viewer; None is a signed-out viewer, or one whom the page did not look up."""
    locale = locale_of(viewer)
    page = render_template(
        template,
        language=locale.language,
        zone=locale.zone,
        now=current_context().now(),
        csp_nonce=nonce(),
        layout=_layout(locale.language, viewer, here),
        viewer=viewer,
        **context,
    )
    return make_response(page, status)


def _layout(language: Language, viewer: Person | None, here: Here) -> Layout:
    return Layout(
        home=urls.home(),
        css=current_context().css,
        icon=current_context().icon,
        rules=urls.rules(),
        about=urls.about(),
        links=tuple(_links(language, viewer, here)),
        flashes=tuple(_flashes()),
    )


def _links(language: Language, viewer: Person | None, here: Here) -> list[NavLink]:
    links = [NavLink(urls.home(), language.gettext("Games"), here.path == urls.home())]
    if here.slug is not None:
        path = urls.game(here.slug)
        links.append(NavLink(path, language.gettext("This table"), here.path == path))
    return [*links, _account_link(language, viewer, here)]


def _account_link(language: Language, viewer: Person | None, here: Here) -> NavLink:
    if viewer is None and token() is None:
        return NavLink(
            urls.sign_in(), language.gettext("Sign in"), here.path.startswith(urls.sign_in())
        )
    label = viewer.name if viewer is not None and viewer.name else language.gettext("Your account")
    return NavLink(urls.profile(), label, here.path == urls.profile())


def _flashes() -> list[tuple[FlashKind, str]]:
    flashed = cast("list[tuple[FlashKind, str]]", get_flashed_messages(with_categories=True))
    return [(kind, text) for kind, text in flashed if kind in _FLASH_KINDS]
