"""axe finds nothing on the table page, in any state and on either screen; what stands by itself can be tapped."""

import pytest
from playwright.sync_api import Browser

from tests.browser.accessibility import findings_on, open_everything, views_for
from tests.browser.table_states import STATES, opened_page
from tests.support.visitors import Site


@pytest.mark.parametrize("state", STATES)
def test_table_has_no_accessibility_finding(
    site: Site, browser: Browser, address: str, state: str
) -> None:
    visitor, path, is_opened = STATES[state](site)
    views = views_for([*STATES].index(state))
    with opened_page(browser, address, visitor, java_script_enabled=True, bypass_csp=True) as page:
        answer = page.goto(path)
        assert answer is not None
        assert answer.ok
        assert findings_on(page, views) == []
        if is_opened:
            open_everything(page)
            assert findings_on(page, views) == []
