"""One person: signs in through the mailbox page, plays against bots, on a small screen and by keyboard."""

from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.browser_player import BrowserPlayer
from tests.support.browser_contexts import open_context
from tests.support.cast import DAVE, MO
from tests.support.filed_emails import MaildirInbox
from tests.support.serve_process import RunningServer

PAGE_PATHS = [
    "/",
    "/games/new",
    "/account",
    "/account/security",
    "/account/address",
    "/rules",
    "/rules/uk-2017",
    "/about",
    "/sign-in",
    "/nowhere",
]


def horizontal_overflow(page: Page) -> int:
    """Return how many pixels the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


class DaveAtTable(NamedTuple):
    """Dave's browser, and the address of the table at which Dave plays against bots."""

    player: BrowserPlayer
    url: str

    def wait_for_own_turn(self) -> None:
        """Show the table and follow "Refresh" until the bots have played."""
        own_turn = self.player.page.get_by_role("heading", name="It's your turn")
        self.player.page.goto(self.url)
        while not own_turn.count():
            self.player.follow("Refresh")


@pytest.fixture(scope="module")
def dave(running_server: RunningServer, browser: Browser) -> DaveAtTable:
    player = BrowserPlayer(
        browser, running_server, MaildirInbox(running_server.maildir, [DAVE.address]), DAVE
    )
    player.sign_in(by_link=True)
    player.page.goto("/")
    player.press("Play against bots now")
    return DaveAtTable(player, player.page.url.partition("?")[0])


def test_page_without_scripts_has_a_link_that_shows_what_bots_have_played(
    dave: DaveAtTable,
) -> None:
    dave.wait_for_own_turn()
    dave.player.take_turn()
    dave.wait_for_own_turn()
    expect(dave.player.page.get_by_text("Since your last turn")).to_be_visible()


def test_page_with_scripts_shows_by_itself_what_bots_have_played(
    running_server: RunningServer, browser: Browser, dave: DaveAtTable
) -> None:
    dave.wait_for_own_turn()
    state = dave.player.page.context.storage_state()
    context = open_context(browser, base_url=running_server.url, storage_state=state)
    page = context.new_page()
    page.goto("/next")
    page.locator("a.card-tile").first.click()
    expect(page.locator("a.discard, #confirm button").first).to_be_visible()
    if page.locator("a.discard").count():
        page.locator("a.discard").click()
    page.locator("#confirm button").click()
    own_turn = page.get_by_role("heading", name="It's your turn")
    # Where the browser is slow, the bots have played before the page is shown.
    expect(
        page.get_by_text("Bots are playing; this page updates itself.").or_(own_turn)
    ).to_be_visible()
    expect(own_turn).to_be_visible()
    context.close()


def test_turn_can_be_taken_by_keyboard(dave: DaveAtTable) -> None:
    page = dave.player.page
    dave.wait_for_own_turn()
    for selector in ("a.card-tile", "a.discard", "#confirm button"):
        # A card that can't be played now is discarded at once.
        if not page.locator(selector).count():
            continue
        press_tab_until(page, selector)
        with page.expect_navigation():
            page.keyboard.press("Enter")
    page.wait_for_url(dave.url)
    expect(page.get_by_text("Played.", exact=True)).to_be_visible()


def press_tab_until(page: Page, selector: str) -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.locator(f"{selector}:focus").count():
            return
    pytest.fail(f"Tab never reaches {selector}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_the_width_of_a_small_phone(
    running_server: RunningServer, browser: Browser, dave: DaveAtTable, scheme: str
) -> None:
    state = dave.player.page.context.storage_state()
    context = open_context(
        browser,
        base_url=running_server.url,
        storage_state=state,
        viewport={"width": 360, "height": 740},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page = context.new_page()
    for path in (*PAGE_PATHS, dave.url, f"{dave.url}/history", f"{dave.url}/fairness"):
        page.goto(path)
        assert horizontal_overflow(page) <= 0, path
    context.close()


def test_sign_in_works_through_the_mailbox_page(
    running_server: RunningServer, browser: Browser
) -> None:
    context = open_context(browser, base_url=running_server.url)
    page = context.new_page()
    page.goto("/sign-in")
    page.get_by_label("Your email address").fill(MO.address)
    page.get_by_role("button", name="Email me a sign-in link").click()
    page.goto(running_server.mailbox)
    page.get_by_role("button", name="Open the mailbox in this browser").click()
    page.goto(f"/mailbox?to={MO.address}")
    emails = page.locator("main a[href^='/mailbox/']")
    while not emails.count():
        page.reload()
    emails.first.click()
    page.locator("main a[href*='/sign-in/link/']").first.click()
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("Your name")).to_be_visible()
    context.close()
