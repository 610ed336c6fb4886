"""The link to a table is copied and shared with one press where the browser can, and is a field to copy from where it can't."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.table_states import opened_page
from tests.support.cast import ALICE
from tests.support.visitors import Site, open_table
from webapp.kernel import urls

_WITHOUT_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined })"
_KEEP_SHARED = "navigator.share = async (what) => { window.shared = what; }"


def test_link_is_copied_and_shared(site: Site, browser: Browser, address: str) -> None:
    alice = site.signed_in(ALICE)
    path = urls.game(open_table(alice))
    with opened_page(
        browser,
        address,
        alice,
        java_script_enabled=True,
        permissions=["clipboard-read", "clipboard-write"],
    ) as page:
        page.add_init_script(_KEEP_SHARED)
        page.goto(path)
        link = page.locator("#table-link").input_value()
        page.get_by_role("button", name="Copy link").click()
        expect(page.get_by_text("Copied.", exact=True)).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == link
        page.get_by_role("button", name="Share", exact=True).click()
        assert page.evaluate("window.shared") == {"url": link}


@pytest.mark.parametrize("has_scripts", [True, False], ids=["no clipboard", "no scripts"])
def test_field_without_buttons_is_left_where_the_browser_can_do_neither(
    site: Site, browser: Browser, address: str, *, has_scripts: bool
) -> None:
    alice = site.signed_in(ALICE)
    path = urls.game(open_table(alice))
    with opened_page(browser, address, alice, java_script_enabled=has_scripts) as page:
        page.add_init_script(_WITHOUT_CLIPBOARD)
        page.goto(path)
        expect(page.locator("#table-link")).to_be_visible()
        expect(page.get_by_role("button", name="Copy link")).to_be_hidden()
