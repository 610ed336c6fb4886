"""A program that opens every link of an email, runs the scripts of the pages and follows what they lead to changes nothing."""

import re
from html import unescape
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page

from tasks import delivery
from tasks.context import WorkerContext
from tests.browser.table_states import opened_page
from tests.support.browser_contexts import open_context
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.database_contents import contents_of
from tests.support.fakes import RecordingTransport, html_of, parse_message
from tests.support.visitors import DealtGame, Site
from tests.support.worker_fixtures import recording_transport, worker
from webapp.mail.compose import Composer

__all__ = ["recording_transport", "worker"]


@pytest.fixture
def composer() -> Composer:
    return Composer(
        base_url="https://lodepost.test",
        mail_from="lodepost@lodepost.test",
    )


@pytest.fixture
def game(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL)


@pytest.fixture
def paths(
    worker: WorkerContext, game: DealtGame, recording_transport: RecordingTransport
) -> list[str]:
    """What the links of the email about Alice's turn lead to."""
    delivery.deliver(worker)
    [email] = [each for each in recording_transport.emails if each.recipient == ALICE.address]
    html = html_of(parse_message(email.message))
    hrefs = re.findall(r'href="https://lodepost\.test([^"]+)"', html)
    return sorted(set(map(unescape, hrefs)))


def scan(page: Page, paths: list[str]) -> int:
    """Open all paths, what their pages link to, and what their forms for reading lead to; return how many pages that were."""
    seen, waiting, depth = set[str](), list(paths), 0
    while waiting and depth < 2:
        found: list[str] = []
        for path in waiting:
            if path not in seen:
                seen.add(path)
                found += _open(page, path)
        waiting, depth = found, depth + 1
    return len(seen)


def _open(page: Page, path: str) -> list[str]:
    """Open a path as a browser does, scripts included, and return where the page leads without a press of a button."""
    head = page.request.head(path)
    if "attachment" in head.headers.get("content-disposition", ""):
        page.request.get(path)
        return []
    answer = page.goto(path, wait_until="load")
    assert answer is not None
    assert answer.status < 500, path
    own_host = urlsplit(page.url).netloc
    # The address of a link in a drawing is an object.
    hrefs = page.eval_on_selector_all(
        "a[href]",
        "links => links.map(link => new URL(link.getAttribute('href'), document.baseURI).href)",
    )
    forms = page.eval_on_selector_all(
        "form", "forms => forms.filter(form => form.method === 'get').map(form => form.action)"
    )
    urls = [urlsplit(url) for url in (*hrefs, *forms)]
    return sorted({f"{url.path}?{url.query}".rstrip("?") for url in urls if url.netloc == own_host})


def test_scanner_without_a_session_changes_nothing(
    site: Site, browser: Browser, address: str, paths: list[str]
) -> None:
    assert len([path for path in paths if path.startswith("/m/")]) > 5
    before = contents_of(site.database)
    context = open_context(browser, base_url=address, java_script_enabled=True)
    assert scan(context.new_page(), paths) > len(paths)
    context.close()
    assert contents_of(site.database) == before


def test_links_of_an_email_change_nothing_for_their_player_who_is_signed_in(
    site: Site, browser: Browser, address: str, game: DealtGame, paths: list[str]
) -> None:
    alice = site.signed_out().with_session(game.guests[0].cookie)
    before = contents_of(site.database)
    with opened_page(browser, address, alice, java_script_enabled=True) as page:
        assert scan(page, paths) > len(paths)
    assert contents_of(site.database) == before
