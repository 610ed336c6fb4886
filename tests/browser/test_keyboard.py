"""The keyboard alone: the end of a round and a turn, without a click and with the focus always in sight."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.keyboard_user import KeyboardUser
from tests.browser.table_states import game_after_a_round, opened_page
from tests.support.factories import play_turn, stored_game
from tests.support.served_sites import server_address
from tests.support.stored_positions import set_hand
from tests.support.visitors import Site
from webapp.kernel import urls


@pytest.fixture
def alice(site: Site, browser: Browser) -> Iterator[KeyboardUser]:
    """Yield Alice on a phone, at a table whose first round has ended and where it is her turn."""
    game = game_after_a_round(site)
    while seat := stored_game(site.database, game.slug, game.guests[0]).row.awaiting:
        play_turn(site.database, game.slug, game.guests[seat])
    set_hand(site, game, 0, "map", "path-trbl", "break-cart")
    with (
        server_address(site) as address,
        opened_page(
            browser, address, game.visitors[0], java_script_enabled=True, reduced_motion="reduce"
        ) as page,
    ):
        page.goto(urls.game(game.slug))
        yield KeyboardUser(page)


def test_new_role_is_read_and_a_turn_played_by_keyboard(alice: KeyboardUser) -> None:
    page = alice.page
    alice.press(page.locator("#new-role summary"))
    expect(page.locator(".new-role__card")).to_be_visible()
    alice.press(page.get_by_role("link", name="Start round 2"))
    expect(page.locator("#mine")).to_be_in_viewport()
    alice.press(page.locator("a.card-tile").last)
    expect(page.locator("a.option").first).to_be_visible()
    # The choice of players covers half the screen, and the focus passes everything behind it.
    alice.go_to(page.get_by_role("link", name="About this site"))
    alice.press(page.locator("a.card-tile").nth(1))
    expect(page.locator("a.mine__place").first).to_be_visible()
    alice.check_focus()
    alice.press(page.locator("a.mine__place").last)
    expect(page.locator("#confirm:focus")).to_have_count(1)
    alice.press(page.get_by_role("button", name="Confirm"))
    expect(page.get_by_text("Played.", exact=True)).to_be_visible()
    expect(page.locator("#round-over")).to_have_count(0)
