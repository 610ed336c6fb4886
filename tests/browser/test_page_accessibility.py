"""axe finds nothing on any page and in any email, at any zoom; nothing scrolls sideways, and what stands by itself can be tapped."""

from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.accessibility import (
    VIEWS,
    axe_findings,
    findings_on,
    open_everything,
    show,
    views_for,
)
from tests.browser.page_worlds import WORLDS, SeenPage
from tests.browser.table_states import opened_page
from tests.support.browser_contexts import click_to_next_page, open_context
from tests.support.cast import ALICE
from tests.support.email_contexts import COMPOSER, EMAIL_KINDS, NOW, EmailContexts, email_context
from tests.support.fakes import drawn, html_of, parse_message
from tests.support.serve_process import RunningServer
from tests.support.visitors import Site
from webapp.kernel import urls

__all__ = ["email_context"]

EMAIL_VIEWS = VIEWS[:2]
RULES_OF_PAGES = ("landmark-one-main", "region")
"""Rules that a part of the page of a mail program cannot keep."""


@pytest.mark.parametrize("world", WORLDS)
def test_pages_have_no_accessibility_finding(
    site: Site, browser: Browser, address: str, world: str
) -> None:
    findings, pages = [], dict[int, Page]()
    with ExitStack() as stack:
        for number, seen_page in enumerate(WORLDS[world](site)):
            visitor = seen_page.visitor
            # One page for all that a visitor sees: a browser that has run axe before runs it faster.
            if id(visitor) not in pages:
                pages[id(visitor)] = stack.enter_context(
                    opened_page(
                        browser, address, visitor, java_script_enabled=True, bypass_csp=True
                    )
                )
            page = pages[id(visitor)]
            open_seen_page(page, seen_page)
            findings += [
                f"{seen_page.path}: {finding}" for finding in findings_on(page, views_for(number))
            ]
    assert not findings, "\n".join(findings)


def open_seen_page(page: Page, seen_page: SeenPage) -> None:
    answer = page.goto(seen_page.path)
    assert answer is not None
    assert answer.status < 400 or seen_page.path == "/nowhere", seen_page.path
    if seen_page.button:
        click_to_next_page(page.get_by_role("button", name=seen_page.button).first)
    if seen_page.is_opened:
        open_everything(page)


def test_new_table_with_errors_has_no_accessibility_finding(
    site: Site, browser: Browser, address: str
) -> None:
    with opened_page(
        browser, address, site.signed_in(ALICE), java_script_enabled=True, bypass_csp=True
    ) as page:
        page.goto(urls.new_game())
        for summary in page.locator("form details > summary").all():
            summary.click()
        page.get_by_label("Your own pace").check()
        page.get_by_label("Number").fill("0")
        click_to_next_page(page.get_by_role("button", name="Open the table"))
        assert page.locator("[aria-invalid]").count()
        assert findings_on(page, VIEWS[:1]) == []


def test_components_have_no_accessibility_finding(
    running_server: RunningServer, browser: Browser
) -> None:
    page = open_context(browser, base_url=running_server.url, bypass_csp=True).new_page()
    answer = page.goto(urls.style())
    assert answer is not None
    assert answer.ok
    open_everything(page)
    findings = findings_on(page, VIEWS)
    page.context.close()
    assert not findings, "\n".join(findings)


def test_emails_have_no_accessibility_finding(
    browser: Browser, email_context: EmailContexts
) -> None:
    findings = []
    page = open_context(browser).new_page()
    for number, kind in enumerate(EMAIL_KINDS):
        message = parse_message(drawn(COMPOSER.compose(email_context(kind), now=NOW)))
        page.set_content(html_of(message))
        show(page, EMAIL_VIEWS[number % 2])
        findings += [f"{kind}: {found}" for found in axe_findings(page, without=RULES_OF_PAGES)]
    page.close()
    assert not findings, "\n".join(findings)
