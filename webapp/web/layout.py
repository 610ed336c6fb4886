"""Render a page: its template, the viewer's locale, and what surrounds the content of every page."""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from flask import Response, get_flashed_messages, make_response, render_template, request

from webapp.accounts.person import Person
from webapp.clock.pace.calendar import has_passed
from webapp.kernel import urls
from webapp.kernel.i18n import DEFAULT_LANGUAGE, Language, Locale
from webapp.kernel.site_settings import SiteSettings
from webapp.templating import rendered_for
from webapp.web.context import current_context
from webapp.web.security_headers import nonce
from webapp.web.session import dismissed_announcement, locale_of, token
from webapp.web.style_sheet import style_sheet_address
from webapp.wording.tables import table_title

FlashKind: TypeAlias = Literal["info", "good", "warn", "bad", "played"]

_FLASH_KINDS: Final[frozenset[FlashKind]] = frozenset({"info", "good", "warn", "bad", "played"})
"""The last one is a turn: its message is followed by what else waits for the player."""


class NavLink(NamedTuple):
    """A link of the header."""

    href: str
    label: str
    current: bool = False


class ShownAnnouncement(NamedTuple):
    """What a site moderator announces to everyone."""

    id: int
    text: str


class Layout(NamedTuple):
    """The header, the footer and the flashed messages of a page."""

    site_name: str
    home: str
    css: str
    how_to_play: str
    rules: str
    about: str
    links: tuple[NavLink, ...] = ()
    legal_links: tuple[NavLink, ...] = ()
    """The legal links of the footer."""
    flashes: tuple[tuple[FlashKind, str], ...] = ()
    """Messages with their kinds, shown once, above the page."""
    next_game: NavLink | None = None
    """A link to the game that waits for the viewer with the least time left, besides that of the page."""
    icon: str | None = None
    """The address of the icon before the name and in the browser's tab."""
    announcement: ShownAnnouncement | None = None
    returned_emails_of: str = ""
    """The viewer's address, if emails to it come back and so are not sent."""
    return_path: str = ""
    """The path to which a form above the page leads back."""
    time_zone_script: str | None = None
    """The address of the script for pages on which newcomers choose a name."""
    share_link_script: str = ""
    """The address of the script for pages with a link to copy."""
    table_script: str = ""
    """The address of the script for pages of games."""
    passkey_script: str | None = None
    """The address of the script for pages with passkeys; None where no browser offers them."""


class PagePosition(NamedTuple):
    """The page being shown, for the links around it: its path, and the game's slug if the page is about a game."""

    path: str = ""
    slug: str | None = None
    default_language: str = DEFAULT_LANGUAGE
    """The language for signed-out viewers whose browser accepts no translated language."""


def render_page(
    template: str,
    *,
    viewer: Person | None,
    nav_position: PagePosition = PagePosition(),  # noqa: B008 - a constant
    status: int = 200,
    **context: object,
) -> Response:
    """Return the page for this viewer; None is a signed-out viewer, or one whom the page did not look up."""
    locale = locale_of(viewer, default_language=nav_position.default_language)
    page = _rendered(
        template,
        locale,
        csp_nonce=nonce(),
        layout=_layout(locale.language, viewer, nav_position),
        viewer=viewer,
        **context,
    )
    return make_response(page, status)


def render_part(template: str, *, viewer: Person | None, **context: object) -> Response:
    """Return a part of a page for this viewer, which a script shows in the page."""
    return make_response(_rendered(template, locale_of(viewer), viewer=viewer, **context))


def _rendered(template: str, locale: Locale, **context: object) -> str:
    with rendered_for(locale):
        return render_template(template, language=locale.language, **context)


def _layout(language: Language, viewer: Person | None, nav_position: PagePosition) -> Layout:
    context = current_context()
    site = context.site_settings.current()
    return Layout(
        site_name=site.site_name,
        home=urls.home(),
        css=style_sheet_address(site.accent_colour),
        announcement=_announcement(site, viewer),
        returned_emails_of=_address_of_returned_emails(viewer),
        return_path=_return_path(),
        icon=context.icon,
        time_zone_script=context.time_zone_script,
        share_link_script=context.share_link_script,
        table_script=context.table_script,
        passkey_script=context.passkey_script,
        how_to_play=urls.how_to_play(),
        rules=urls.rules(),
        about=urls.about(),
        links=tuple(_nav_links(language, viewer, nav_position)),
        legal_links=tuple(_legal_links(site, language)),
        flashes=tuple(_flashed_messages()),
        next_game=_next_game_link(language, viewer, nav_position),
    )


def _announcement(site: SiteSettings, viewer: Person | None) -> ShownAnnouncement | None:
    """Return the announcement, if it is in force and this viewer has not dismissed it.

    A page that did not look up its viewer shows it to browsers with a session that have not dismissed it.
    """
    announcement = site.announcement
    if announcement is None or has_passed(announcement.expires_at, now=current_context().now()):
        return None
    if viewer is None and token() is None:
        return None
    if announcement.id <= (
        dismissed_announcement() if viewer is None else viewer.dismissed_announcement
    ):
        return None
    return ShownAnnouncement(announcement.id, announcement.text)


def _return_path() -> str:
    return request.full_path.rstrip("?") if request.method == "GET" else urls.home()


def _address_of_returned_emails(viewer: Person | None) -> str:
    if viewer is None or viewer.suppressed_until is None:
        return ""
    is_over = has_passed(viewer.suppressed_until, now=current_context().now())
    return "" if is_over else viewer.address


def _nav_links(
    language: Language, viewer: Person | None, nav_position: PagePosition
) -> list[NavLink]:
    links = [NavLink(urls.home(), language.gettext("Games"), nav_position.path == urls.home())]
    is_club_page = nav_position.path.startswith(urls.clubs())
    if viewer is not None and viewer.waiting_games:
        links.append(NavLink(urls.next_game(), _waiting_label(language, viewer.waiting_games)))
    links.append(NavLink(urls.clubs(), language.gettext("Clubs"), is_club_page))
    if nav_position.slug is not None:
        path = urls.game(nav_position.slug)
        links.append(NavLink(path, language.gettext("This table"), nav_position.path == path))
    if viewer is not None and (viewer.is_moderator or viewer.lacks_passkey):
        path = urls.moderation()
        links.append(
            NavLink(path, language.gettext("Moderation"), nav_position.path.startswith(path))
        )
    return [*links, _account_link(language, viewer, nav_position)]


def _next_game_link(
    language: Language, viewer: Person | None, nav_position: PagePosition
) -> NavLink | None:
    game = None if viewer is None else viewer.next_game(after=nav_position.slug)
    if game is None:
        return None
    name = table_title(game.host_name, game.table_name, language)
    return NavLink(urls.game(game.slug), language.gettext("Next game: %(name)s", name=name))


def _waiting_label(language: Language, count: int) -> str:
    """Return the link to the next game that waits for the viewer, with the number of all."""
    return language.ngettext("Your turn (%(num)s)", "Your turn (%(num)s)", count)


def _legal_links(site: SiteSettings, language: Language) -> Iterator[NavLink]:
    """Yield the legal pages that have a text."""
    if site.imprint:
        yield NavLink(urls.legal_page("imprint"), language.gettext("Imprint"))
    if site.privacy:
        yield NavLink(urls.legal_page("privacy"), language.gettext("Privacy notice"))


def _account_link(language: Language, viewer: Person | None, nav_position: PagePosition) -> NavLink:
    if viewer is None and token() is None:
        return NavLink(
            urls.sign_in(),
            language.gettext("Sign in"),
            nav_position.path.startswith(urls.sign_in()),
        )
    label = viewer.name if viewer is not None and viewer.name else language.gettext("Your account")
    return NavLink(urls.profile(), label, nav_position.path.startswith(urls.profile()))


def _flashed_messages() -> list[tuple[FlashKind, str]]:
    flashed_messages = cast(
        "list[tuple[FlashKind, str]]", get_flashed_messages(with_categories=True)
    )
    return [(kind, text) for kind, text in flashed_messages if kind in _FLASH_KINDS]
