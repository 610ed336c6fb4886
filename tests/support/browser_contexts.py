"""Browser windows whose waiting ends only when what they wait for will not happen, however slow the machine is."""

from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, expect

WAIT_MILLISECONDS: Final = 240_000

expect.set_options(timeout=WAIT_MILLISECONDS)


def open_context(browser: Browser, **options: Any) -> BrowserContext:
    """Return a new browser profile with these options of Playwright."""
    context = browser.new_context(**options)
    context.set_default_timeout(WAIT_MILLISECONDS)
    return context
