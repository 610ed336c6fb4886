"""Layout of all kinds of pages: columns beside each other, names of any length, one column on paper."""

from typing import Final

import pytest
from playwright.sync_api import Browser

from tests.browser.table_states import DESKTOP, PHONE, game_on_turn, opened_page
from tests.support.browser_contexts import click_to_next_page
from tests.support.cast import ALICE, BOB, CAROL, Character
from tests.support.clubs import club_profile, found_club
from tests.support.factories import play_turn
from tests.support.moderation import moderator_of
from tests.support.returned_emails import let_emails_come_back
from tests.support.visitors import Site, Visitor, open_table
from webapp.kernel import urls
from webapp.kernel.colours import DARK_COLOURS, LIGHT_COLOURS

NARROWEST: Final = {"width": 320, "height": 700}
LONG_NAMES: Final = (
    Character("W" * 32, "w@example.test"),
    Character("\u0429" * 32, "shch@example.test"),
    Character("\u6c34" * 16, "water@example.test"),
)
"""Of the widest characters, without a blank."""
_CUT_OPTIONS_SCRIPT: Final = """select => {
  const style = getComputedStyle(select), context = document.createElement("canvas").getContext("2d");
  context.font = style.font;
  const arrow = 20;
  const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - arrow;
  return [...select.options].map(each => each.text).filter(text => context.measureText(text).width > room);
}"""
"""Returns the options that are wider than the field."""
_FIT_SCRIPT: Final = "document.documentElement.scrollWidth <= window.innerWidth"


def _person_path(moderator: Visitor, slug: str) -> str:
    """Return the first link to a person on the moderators' page of a game."""
    links = moderator.page(urls.moderated_game(slug)).links
    return next(link.href for link in links if link.href.startswith("/moderation/people/"))


def test_side_column_stands_beside_the_main_one(site: Site, browser: Browser, address: str) -> None:
    game, moderator = site.dealt_game(ALICE, BOB, CAROL), moderator_of(site)
    play_turn(site.database, game.slug, game.guests[0])
    player_paths = (urls.game(game.slug), urls.history(game.slug))
    moderator_paths = (urls.moderated_game(game.slug), _person_path(moderator, game.slug))
    for visitor, paths in ((game.visitors[0], player_paths), (moderator, moderator_paths)):
        with opened_page(browser, address, visitor, viewport=DESKTOP) as page:
            for path in paths:
                response = page.goto(path)
                assert response is not None
                assert response.status == 200, path
                main = page.locator(".table-page__board, .table-page__main").bounding_box()
                # Beside the board of the table stands its status first.
                side = page.locator(".table-page > :is(.table-page__status, .table-page__side)")
                side_box = side.first.bounding_box()
                assert main is not None
                assert side_box is not None
                assert abs(main["y"] - side_box["y"]) < 200, path
                assert main["x"] + main["width"] <= side_box["x"], path
                assert page.evaluate(_FIT_SCRIPT), path


def test_names_of_any_length_fit_the_narrowest_phone(
    site: Site, browser: Browser, address: str
) -> None:
    game = site.dealt_game(*LONG_NAMES)
    player, moderator = game.visitors[0], moderator_of(site)
    guest = game.guests[0]
    lobby_slug = open_table(player, table_name="M" * 40)
    club_slug = found_club(site.database, guest, club_profile(name="Q" * 40))
    player_paths = (
        urls.home(),
        urls.game(game.slug),
        urls.history(game.slug),
        urls.deadlines(game.slug),
        urls.fairness(game.slug),
        urls.players(game.slug),
        urls.new_report(game.slug),
        urls.game(lobby_slug),
        urls.club(club_slug),
        urls.club_members(club_slug),
        urls.clubs(),
    )
    moderator_paths = (
        urls.moderation(),
        urls.moderated_game(game.slug),
        _person_path(moderator, game.slug),
    )
    for visitor, paths in ((player, player_paths), (moderator, moderator_paths)):
        with opened_page(browser, address, visitor, viewport=NARROWEST) as page:
            for path in paths:
                response = page.goto(path)
                assert response is not None
                assert response.status == 200, path
                assert page.evaluate(_FIT_SCRIPT), path


@pytest.mark.parametrize("width", [320, 360])
def test_header_on_a_phone_is_one_line_that_cuts_long_names_alone(
    site: Site, browser: Browser, address: str, width: int
) -> None:
    game = site.dealt_game(ALICE, LONG_NAMES[0], CAROL)
    alice, long_name, _ = game.visitors
    pages = (
        (site.signed_out(), urls.home(), False),
        (alice, urls.rules(), False),
        (alice, urls.game(game.slug), False),
        (long_name, urls.game(game.slug), True),
    )
    for visitor, path, is_cut in pages:
        viewport = {"width": width, "height": 740}
        with opened_page(browser, address, visitor, viewport=viewport) as page:
            page.goto(path)
            header = page.locator(".site-header").bounding_box()
            assert header is not None
            assert header["height"] < 60, path
            last_link = page.locator(".site-nav a").last
            assert last_link.evaluate("link => link.scrollWidth > link.clientWidth") is is_cut


def test_table_is_printed_in_one_column_that_nothing_covers(
    site: Site, browser: Browser, address: str
) -> None:
    game = game_on_turn(site)
    for viewport in (PHONE, DESKTOP):
        with opened_page(browser, address, game.visitors[0], viewport=viewport) as page:
            page.goto(urls.game(game.slug))
            page.emulate_media(media="print")
            positions = page.locator("body *").evaluate_all(
                "parts => parts.filter(part => part.getClientRects().length)"
                ".map(part => getComputedStyle(part).position)"
            )
            assert not {"fixed", "sticky"} & set(positions)
            boxes = [part.bounding_box() for part in page.locator(".table-page > *:visible").all()]
            lefts = {box["x"] for box in boxes if box is not None}
            assert len(boxes) > 2
            assert len(lefts) == 1


@pytest.mark.parametrize("width", [320, 360])
def test_options_of_the_settings_are_not_cut(
    site: Site, browser: Browser, address: str, width: int
) -> None:
    viewport = {"width": width, "height": 740}
    with opened_page(browser, address, site.signed_in(ALICE), viewport=viewport) as page:
        page.goto(urls.profile())
        for name in ("email_content", "hold_minutes"):
            assert page.locator(f"[name={name}]").evaluate(_CUT_OPTIONS_SCRIPT) == []


def test_fields_of_an_own_pace_appear_where_it_is_chosen(
    site: Site, browser: Browser, address: str
) -> None:
    host = site.signed_in(ALICE)
    with opened_page(browser, address, host, java_script_enabled=False) as page:
        page.goto(urls.new_game())
        time_per_turn, own_pace = page.get_by_label("Number"), page.get_by_label("Your own pace")
        assert not time_per_turn.is_visible()
        own_pace.check()
        assert time_per_turn.is_visible()
        time_per_turn.fill("x")
        page.get_by_label("Daily").check()
        assert not time_per_turn.is_visible()
        click_to_next_page(page.get_by_role("button", name="Open the table"))
        # What is wrong is shown although another pace is chosen.
        assert time_per_turn.is_visible()


def test_headings_of_pages_are_in_the_serif_of_the_site(
    site: Site, browser: Browser, address: str
) -> None:
    with opened_page(browser, address, site.signed_out()) as page:
        page.goto(urls.home())
        # Cyrillic and Baltic characters are in the same file.
        fonts = page.evaluate("""document.fonts.load("1em Lodepost Serif", "\u0448\u0101")
          .then(faces => faces.map(face => face.status))""")
        assert fonts == ["loaded"]
        family = page.locator("h1").evaluate("heading => getComputedStyle(heading).fontFamily")
        assert family.startswith('"Lodepost Serif"')


def test_banner_about_returned_emails_looks_like_a_warning(
    site: Site, browser: Browser, address: str
) -> None:
    alice = site.signed_in(ALICE)
    let_emails_come_back(site, ALICE.address)
    for scheme, colours in (("light", LIGHT_COLOURS), ("dark", DARK_COLOURS)):
        with opened_page(browser, address, alice, color_scheme=scheme) as page:
            page.goto(urls.clubs())
            banner = page.get_by_role("complementary", name="Your emails")
            assert "Please note" in banner.inner_text()
            style = "element => getComputedStyle(element)."
            shown_colours = (
                banner.evaluate(f"{style}backgroundColor"),
                banner.locator("strong").evaluate(f"{style}color"),
            )
            assert shown_colours == (rgb(colours["warn_background"]), rgb(colours["warn"]))


def rgb(colour: str) -> str:
    """Return a colour as browsers write it."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return f"rgb({red}, {green}, {blue})"
