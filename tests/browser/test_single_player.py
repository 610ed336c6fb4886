"""One person: signs in through the mailbox page, plays against bots, on a small screen and by keyboard."""

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


@pytest.fixture(scope="module")
def dave_in_browser(running_server: RunningServer, browser: Browser) -> BrowserPlayer:
    player = BrowserPlayer(
        browser, running_server, MaildirInbox(running_server.maildir, [DAVE.address]), DAVE
    )
    player.sign_in(by_link=True)
    player.page.goto("/")
    player.press("Play against bots now")
    return player


def test_page_without_scripts_has_a_link_that_shows_what_bots_have_played(
    dave_in_browser: BrowserPlayer,
) -> None:
    page = dave_in_browser.page
    wait_for_own_turn(dave_in_browser)
    dave_in_browser.take_turn()
    wait_for_own_turn(dave_in_browser)
    expect(page.get_by_text("Since your last turn")).to_be_visible()


def wait_for_own_turn(player: BrowserPlayer) -> None:
    """Follow "Refresh" until the bots have played."""
    own_turn = player.page.get_by_role("heading", name="It's your turn")
    while not own_turn.count():
        player.follow("Refresh")


def test_page_with_scripts_shows_by_itself_what_bots_have_played(
    running_server: RunningServer, browser: Browser, dave_in_browser: BrowserPlayer
) -> None:
    wait_for_own_turn(dave_in_browser)
    state = dave_in_browser.page.context.storage_state()
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


def test_turn_can_be_taken_by_keyboard(dave_in_browser: BrowserPlayer) -> None:
    page = dave_in_browser.page
    page.goto("/next")
    wait_for_own_turn(dave_in_browser)
    earlier_url = page.url
    for selector in ("a.card-tile:not(.card-tile--unplayable)", "a.discard", "#confirm button"):
        press_tab_until(page, selector)
        page.keyboard.press("Enter")
        page.wait_for_load_state()
    page.wait_for_url(earlier_url.partition("?")[0])
    expect(page.get_by_text("It's your turn")).to_be_hidden()


def press_tab_until(page: Page, selector: str) -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.locator(f"{selector}:focus").count():
            return
    pytest.fail(f"Tab never reaches {selector}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_the_width_of_a_small_phone(
    running_server: RunningServer, browser: Browser, dave_in_browser: BrowserPlayer, scheme: str
) -> None:
    dave_in_browser.page.goto("/next")
    game = dave_in_browser.page.url
    state = dave_in_browser.page.context.storage_state()
    context = open_context(
        browser,
        base_url=running_server.url,
        storage_state=state,
        viewport={"width": 360, "height": 740},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page = context.new_page()
    for path in (*PAGE_PATHS, game, f"{game}/history", f"{game}/fairness"):
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
