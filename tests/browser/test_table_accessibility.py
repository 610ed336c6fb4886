"""axe finds nothing on the table page, in any state and on either screen; what stands by itself can be tapped."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browser.table_states import DESKTOP, PHONE, STATES, opened_page
from tests.support.served_sites import server_address
from tests.support.visitors import Site
from tests.support.web_fixtures import app, clock, site

__all__ = ["app", "clock", "site"]

RULE_GROUPS: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_SMALL_TARGETS_SCRIPT: Final = """
    parts => parts
        .filter(part => part.checkVisibility() && !part.closest("svg"))
        .filter(part => part.tagName !== "A" || part.parentElement.textContent.trim() === part.textContent.trim())
        .filter(part => part.getBoundingClientRect().height < 43.5)
        .map(part => part.outerHTML.slice(0, 120))
"""
"""The outlines of what is lower than a finger is wide; links within sentences do not count."""


@pytest.fixture
def address(site: Site) -> Iterator[str]:
    with server_address(site) as server:
        yield server


def axe_findings(page: Page) -> list[str]:
    """Return the rules that a page breaks, each with the first element that breaks it."""
    options: dict[str, Any] = {"runOnly": RULE_GROUPS}
    violations = Axe().run(page, options=options).response["violations"]
    return [f"{violation['id']}: {violation['nodes'][0]['html'][:160]}" for violation in violations]


def small_targets(page: Page) -> list[str]:
    """Return the links, summaries and buttons that are too small to tap."""
    targets = page.locator("main summary, main a, main button, header a")
    found: list[str] = targets.evaluate_all(_SMALL_TARGETS_SCRIPT)
    return found


@pytest.mark.parametrize("state", STATES)
def test_table_has_no_axe_finding(site: Site, browser: Browser, address: str, state: str) -> None:
    visitor, path = STATES[state](site)
    with opened_page(
        browser,
        address,
        visitor,
        java_script_enabled=True,
        bypass_csp=True,
        reduced_motion="reduce",
    ) as page:
        for viewport, scheme in ((PHONE, "light"), (DESKTOP, "dark")):
            page.set_viewport_size(viewport)  # type: ignore[arg-type]
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.goto(path)
            assert axe_findings(page) == []
            assert viewport is DESKTOP or small_targets(page) == []
