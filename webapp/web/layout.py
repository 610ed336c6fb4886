"""A page put together: the template, the reader's words and clock, and what stands around every page."""

from typing import Final, NamedTuple, cast

from flask import Response, get_flashed_messages, make_response, render_template

from webapp import urls
from webapp.i18n import Language
from webapp.services.accounts.person import Person
from webapp.web.chrome import Chrome, Kind, NavItem
from webapp.web.context import current_context
from webapp.web.security_headers import nonce
from webapp.web.session import Locale, locale_of, token

_KINDS: Final[frozenset[Kind]] = frozenset({"info", "good", "warn", "bad"})


class Here(NamedTuple):
    """Where the reader is, for the links around the page: a path, and the table when the page is about one."""

    path: str = ""
    table: str | None = None


def show(
    template: str,
    *,
    me: Person | None,
    here: Here = Here(),  # noqa: B008 - a constant
    status: int = 200,
    locale: Locale | None = None,
    **context: object,
) -> Response:
    """Render a page for this person; ``me`` None is a stranger, or somebody nobody asked the database about."""
    locale = locale or locale_of(me)
    page = render_template(
        template,
        language=locale.language,
        zone=locale.zone,
        now=current_context().now(),
        csp_nonce=nonce(),
        chrome=_chrome(locale.language, me, here),
        me=me,
        **context,
    )
    return make_response(page, status)


def _chrome(language: Language, me: Person | None, here: Here) -> Chrome:
    return Chrome(
        home=urls.home(),
        css=current_context().css,
        icon=current_context().icon,
        rules=urls.rules(),
        source=urls.about(),
        items=tuple(_items(language, me, here)),
        flashes=tuple(_flashes()),
    )


def _items(language: Language, me: Person | None, here: Here) -> list[NavItem]:
    items = [NavItem(urls.home(), language.gettext("Games"), here.path == urls.home())]
    if here.table is not None:
        path = urls.game(here.table)
        items.append(NavItem(path, language.gettext("This table"), here.path == path))
    return [*items, _account(language, me, here)]


def _account(language: Language, me: Person | None, here: Here) -> NavItem:
    if me is None and token() is None:
        return NavItem(
            urls.sign_in(), language.gettext("Sign in"), here.path.startswith(urls.sign_in())
        )
    label = me.name if me is not None and me.name else language.gettext("Your account")
    return NavItem(urls.profile(), label, here.path == urls.profile())


def _flashes() -> list[tuple[Kind, str]]:
    told = cast("list[tuple[Kind, str]]", get_flashed_messages(with_categories=True))
    return [(kind, text) for kind, text in told if kind in _KINDS]
