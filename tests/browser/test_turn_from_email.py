"""Acceptance: a turn is played from its email in two taps, the link and one button, in a real browser."""

import re
from html import unescape

import pytest
from playwright.sync_api import Browser, expect

from tasks import delivery
from tasks.context import WorkerContext
from tests.browser.table_states import opened_page
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import stored_game
from tests.support.fakes import RecordingTransport, html_of, parse_message
from tests.support.visitors import DealtGame, Site
from tests.support.worker_fixtures import recording_transport, worker
from webapp.mail.compose import Composer

__all__ = ["recording_transport", "worker"]


@pytest.fixture
def composer(address: str) -> Composer:
    return Composer(base_url=address, mail_from="lodepost@lodepost.test")


@pytest.fixture
def game(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL)


@pytest.fixture
def move_link(
    worker: WorkerContext, game: DealtGame, recording_transport: RecordingTransport
) -> str:
    """The first link of the email about Alice's turn that plays a move."""
    delivery.deliver(worker)
    [email] = [each for each in recording_transport.emails if each.recipient == ALICE.address]
    hrefs = re.findall(r'href="([^"]+)"', html_of(parse_message(email.message)))
    return next(unescape(href) for href in hrefs if "/m/" in href)


@pytest.mark.parametrize("has_scripts", [True, False], ids=["scripts", "no scripts"])
def test_turn_is_played_from_its_email_in_two_taps(
    site: Site,
    browser: Browser,
    address: str,
    game: DealtGame,
    move_link: str,
    *,
    has_scripts: bool,
) -> None:
    before = stored_game(site.database, game.slug, game.guests[0]).seq
    alice = site.signed_out().with_session(game.guests[0].cookie)
    with opened_page(browser, address, alice, java_script_enabled=has_scripts) as page:
        page.goto(move_link)
        assert stored_game(site.database, game.slug, game.guests[0]).seq == before
        page.get_by_role("button", name="Play this move").click()
        expect(page.get_by_role("button", name="Play this move")).to_have_count(0)
    assert stored_game(site.database, game.slug, game.guests[0]).seq == before + 1
