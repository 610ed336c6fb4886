"""Browser windows whose waiting ends only when what they wait for will not happen, however slow the machine is."""

from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, Locator, expect

WAIT_MILLISECONDS: Final = 240_000

expect.set_options(timeout=WAIT_MILLISECONDS)


def open_context(browser: Browser, **options: Any) -> BrowserContext:
    """Return a new browser profile with these options of Playwright."""
    context = browser.new_context(**options)
    context.set_default_timeout(WAIT_MILLISECONDS)
    return context


def click_to_next_page(target: Locator) -> None:
    """Click a link or a button, and return when the page that it leads to is there to its end.

    A click alone returns as soon as an answer begins: what then counts or measures may see half a page.
    """
    with target.page.expect_navigation():
        target.click()
