"""A moderator's morning: three stuck games and a report, each found from the dashboard and resolved within two presses."""

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import get_args

import pytest
from playwright.sync_api import Browser, Page, Response

from engine.cards import DECK, Role
from tasks import delivery
from tasks.context import WorkerContext
from tests.support.acts import ledger_acts
from tests.support.browser_contexts import click_to_next_page, open_context
from tests.support.cast import ALICE, BOB, CAROL, DAVE, MO
from tests.support.factories import DAY
from tests.support.moderation import moderator_of
from tests.support.served_sites import server_address
from tests.support.smtp_sink import Sink, sink
from tests.support.visitors import DealtGame, Site
from tests.support.worker_fixtures import composer, recording_transport, worker
from webapp.kernel import urls
from webapp.kernel.i18n import language_for
from webapp.mail.relay import relay_at
from webapp.mail.smtp import SmtpTransport
from webapp.moderation.performing import TIME_TO_UNDO
from webapp.wording.cards import card_name, goal_name, role_name

__all__ = ["composer", "recording_transport", "sink", "worker"]

REFUSAL_REPLY = "550 5.1.1 no such mailbox"
ENGLISH = language_for("en")
SECRET_WORDS = {
    *(card_name(card, ENGLISH) for card in DECK),
    *(role_name(role, ENGLISH) for role in get_args(Role)),
    goal_name("treasure", ENGLISH),
}


class ModeratorBrowser:
    """The moderator's browser, with everything that it received."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.received_pages: list[str] = []
        page.on("response", self._record_page)

    def open(self, path: str) -> None:
        self.page.goto(path)

    def assert_row_shows(self, slug: str, cause: str) -> None:
        """Find a game on the dashboard, with its cause."""
        self.open(urls.moderation())
        text = self.page.locator(".moderated-game", has_text=slug).inner_text()
        assert cause in text

    def resolve(self, slug: str, act: str, reason: str) -> None:
        """Press an act in the row of a game, and confirm what its preview says."""
        row = self.page.locator(".moderated-game", has_text=slug)
        row.get_by_role("link", name=act).click()
        self.confirm(reason)

    def confirm(self, reason: str) -> None:
        self.page.get_by_label("Reason").fill(reason)
        self.press()

    def warn_reported_person(self, name: str, *, message: str, reply: str) -> None:
        """Open the report about a person, warn them, and confirm the preview."""
        self.open(urls.reports())
        self.page.get_by_role("link", name=name).first.click()
        self.page.get_by_label("Warn").check()
        self.page.get_by_label("Message to the person it's about").fill(message)
        self.page.get_by_label("Reply to the reporter").fill(reply)
        for _ in range(2):
            self.press()

    def press(self) -> None:
        """Press the only button of the page."""
        click_to_next_page(self.page.locator("main form[method=post] button"))

    def _record_page(self, response: Response) -> None:
        if response.request.resource_type == "document" and response.ok:
            self.received_pages.append(response.text())


@pytest.fixture
def moderator_browser(site: Site, browser: Browser) -> Iterator[ModeratorBrowser]:
    cookie = moderator_of(site, MO).client.get_cookie("lodepost")
    assert cookie is not None
    with server_address(site) as address:
        context = open_context(browser, base_url=address, java_script_enabled=False)
        context.add_cookies([{"name": "lodepost", "value": cookie.value, "url": address}])
        yield ModeratorBrowser(context.new_page())
        context.close()


@pytest.fixture
def worker_with_relay(worker: WorkerContext, sink: Sink) -> Iterator[WorkerContext]:
    """A worker with a connection to a relay that refuses Dave's address."""
    sink.answers[f"RCPT {DAVE.address}"] = REFUSAL_REPLY
    with closing(SmtpTransport(relay_at(f"smtp://127.0.0.1:{sink.port}"))) as transport:
        yield replace(worker, transport=transport)


@pytest.fixture
def game_with_silent_player(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL, seed="silent")


@pytest.fixture
def game_with_refused_email(site: Site) -> DealtGame:
    return site.dealt_game(DAVE, BOB, CAROL, seed="refused")


@pytest.fixture
def paused_game(site: Site) -> DealtGame:
    """A game whose host has paused it and gone away."""
    game = site.dealt_game(CAROL, BOB, ALICE, seed="paused")
    host = game.visitors[0]
    forms = host.page(urls.moderated_act(game.slug, "pause")).forms
    [form] = [form for form in forms if form.method == "post"]
    assert host.send(form, reason="I am away").status_code == 303
    return game


def report_bob(game: DealtGame) -> None:
    alice = game.visitors[0]
    form = alice.page(urls.new_report(game.slug)).form_named("report")
    assert alice.send(form, seat="1", kind="unfair", complaint="Bob insults us").status_code == 303


def test_stuck_games_and_a_report_are_resolved_from_the_dashboard(
    site: Site,
    moderator_browser: ModeratorBrowser,
    worker_with_relay: WorkerContext,
    sink: Sink,
    game_with_silent_player: DealtGame,
    game_with_refused_email: DealtGame,
    paused_game: DealtGame,
) -> None:
    report_bob(game_with_silent_player)
    delivery.deliver(worker_with_relay)
    site.clock.now += DAY * 0.7
    sink.accepted_messages.clear()

    moderator_browser.assert_row_shows(
        game_with_silent_player.slug, "Alice got the email and hasn't played yet"
    )
    moderator_browser.resolve(
        game_with_silent_player.slug, "Extend", "Alice wrote that she is travelling"
    )
    moderator_browser.assert_row_shows(game_with_refused_email.slug, REFUSAL_REPLY)
    moderator_browser.resolve(
        game_with_refused_email.slug, "Extend", "We are looking for Dave's new address"
    )
    moderator_browser.assert_row_shows(paused_game.slug, "Paused")
    moderator_browser.resolve(paused_game.slug, "Resume", "The host is back")
    moderator_browser.warn_reported_person(
        BOB.name, message="Please stay friendly", reply="Thank you, we've looked at it"
    )

    assert ledger_acts(site.database) == ["pause", "extend", "extend", "resume", "warn"]
    site.clock.move(TIME_TO_UNDO)
    delivery.deliver(worker_with_relay)
    informed_addresses = sorted(message.recipients[0] for message in sink.accepted_messages)
    assert informed_addresses.count(BOB.address) >= 4
    for game in (game_with_silent_player, game_with_refused_email, paused_game):
        assert "a moderator of this site" in game.visitors[1].page(urls.game(game.slug)).text
    assert secret_words_in(moderator_browser.received_pages) == set()


def secret_words_in(pages: list[str]) -> set[str]:
    """Return the names of cards, roles and goals in the contents of these pages."""
    contents = [page.partition("<main")[2].partition("</main>")[0] for page in pages]
    assert len(contents) >= 10
    return {
        word
        for word in SECRET_WORDS
        for content in contents
        if re.search(rf"\b{re.escape(word)}\b", content, re.IGNORECASE)
    }
