"""The dashboard in a browser with scripts: it updates itself without losing what the moderator has ticked."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser_contexts import open_context
from tests.support.cast import ALICE, BOB, CAROL, MO
from tests.support.moderation import moderator_of, pause
from tests.support.served_sites import server_address
from tests.support.transactions import NOON
from tests.support.visitors import Site
from webapp.kernel import urls


@pytest.fixture
def dashboard(site: Site, browser: Browser) -> Iterator[Page]:
    """The dashboard in a browser whose clock the test moves."""
    cookie = moderator_of(site, MO).client.get_cookie("lodepost")
    assert cookie is not None
    with server_address(site) as address:
        context = open_context(browser, base_url=address)
        context.add_cookies([{"name": "lodepost", "value": cookie.value, "url": address}])
        page = context.new_page()
        page.clock.install()
        yield page
        context.close()


def test_dashboard_updates_in_place_and_keeps_the_ticked_games(site: Site, dashboard: Page) -> None:
    ticked_slug = site.dealt_game(ALICE, BOB, CAROL, seed="ticked").slug
    paused_slug = site.dealt_game(ALICE, BOB, CAROL, seed="paused").slug
    dashboard.goto(urls.moderation())
    row = dashboard.locator(".moderated-game", has_text=ticked_slug)
    row.get_by_role("checkbox").check()
    pause(site.database, paused_slug, at=NOON)
    dashboard.clock.fast_forward(61_000)
    expect(dashboard.locator(".moderated-game", has_text=paused_slug)).to_contain_text("Resume")
    expect(row.get_by_role("checkbox")).to_be_checked()
    expect(row.get_by_role("checkbox")).to_be_focused()
    dashboard.get_by_role("button", name="Pause").click()
    expect(dashboard.get_by_role("heading", name="This will happen in 1 game")).to_be_visible()


def test_dashboard_shows_a_warning_while_it_cannot_update(site: Site, dashboard: Page) -> None:
    dashboard.goto(urls.moderation())
    warning = dashboard.get_by_text("This page couldn't update itself")
    dashboard.context.set_offline(True)
    dashboard.clock.fast_forward(61_000)
    expect(warning).to_be_visible()
    dashboard.context.set_offline(False)
    dashboard.clock.fast_forward(61_000)
    expect(warning).to_be_hidden()
