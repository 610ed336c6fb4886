"""The panel of a round that has ended: what it shows first, and the new role card, which its player turns over."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.table_states import game_after_a_round, opened_page
from tests.support.served_sites import server_address
from tests.support.visitors import Site
from webapp.kernel import urls


@pytest.fixture
def alice_page(site: Site, browser: Browser) -> Iterator[Page]:
    """Yield the table page of Alice, who has not seen yet that round 1 is over; without scripts."""
    game = game_after_a_round(site)
    with (
        server_address(site) as address,
        opened_page(browser, address, game.visitors[0], java_script_enabled=False) as page,
    ):
        page.goto(urls.game(game.slug))
        yield page


def test_new_role_is_hidden_until_its_player_turns_the_card_over(alice_page: Page) -> None:
    bar = alice_page.locator("details.role-bar")
    card = alice_page.locator(".new-role__card")
    expect(bar).to_be_hidden()
    expect(card).to_be_hidden()
    visible_text = alice_page.locator("main").inner_text()
    assert "You're a" not in visible_text
    assert "Your role in round 2" in visible_text
    alice_page.get_by_text("Your role in round 2").click()
    expect(card).to_be_visible()
    expect(bar).to_be_visible()


def test_role_bar_is_shown_as_soon_as_the_panel_is_folded(alice_page: Page) -> None:
    alice_page.locator(".moment__summary").click()
    expect(alice_page.locator("details.role-bar")).to_be_visible()
    expect(alice_page.get_by_text("New role: look")).to_be_hidden()


def test_panel_comes_before_the_mine_and_leads_to_it(alice_page: Page) -> None:
    panel_box = alice_page.locator("#round-over").bounding_box()
    mine_box = alice_page.locator("#mine").bounding_box()
    assert panel_box is not None
    assert mine_box is not None
    assert panel_box["y"] + panel_box["height"] <= mine_box["y"]
    alice_page.get_by_role("link", name="Start round 2").click()
    expect(alice_page.locator("#mine")).to_be_in_viewport()
