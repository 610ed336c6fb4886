"""A whole game by the links in emails alone: players without a session preview a move, and press the button of that page."""

import re
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import parseaddr
from html import unescape
from typing import Final

from engine.rulebook import HouseRules
from engine.view import View
from tasks import delivery
from tasks.context import WorkerContext
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.database_contents import contents_of
from tests.support.engine.seeded_random import SeededRng
from tests.support.factories import Guest, deal_game, sign_in_guests, stored_game, table_settings
from tests.support.fakes import RecordingTransport, html_of, kind_of, parse_message
from tests.support.html import Form, Page
from tests.support.sizes import is_full_run
from tests.support.visitors import Site
from webapp.kernel.i18n import language_for
from webapp.wording.cards import card_name
from webapp.wording.mine import mine_description

_ENGLISH: Final = language_for("en")
_MAX_ROUNDS_OF_EMAILS: Final = 400


@dataclass
class GameByLinks:
    """A game whose players follow links and press buttons, each time in a browser that has never been here."""

    site: Site
    slug: str
    guests: list[Guest]
    used_links: list[str] = field(default_factory=list)

    def play(self, seat: int, link: str) -> None:
        """Preview a move of this seat, press its button, and open the link again."""
        browser, before = self.site.signed_out(), contents_of(self.site.database)
        answer = browser.get(link)
        assert answer.status_code == 200
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Cache-Control"] == "no-store"
        assert contents_of(self.site.database) == before
        page = Page(answer.text)
        self.assert_only_the_move_is_shown(page, seat)
        seq = self.seq
        [form] = button_forms(page)
        played = browser.send(form)
        assert played.status_code == 200
        assert re.search(f"Done {self.guests[seat].person.name} [a-z]+ ", Page(played.text).text)
        assert self.seq > seq
        self.used_links.append(link)
        self.assert_link_is_stale(link)

    def assert_only_the_move_is_shown(self, page: Page, seat: int) -> None:
        """Check that a preview says nothing about the hand and the role of its player."""
        view = self.view(seat)
        content = page.text.partition("Sign in ")[2].partition(" Go to the table")[0]
        page_words = re.sub(rf"Round {view.round}: .+\? (?=Play by )", "", content)
        assert len(page_words) < len(content)
        assert not [card for card in view.hand if card_name(card, _ENGLISH) in page_words]
        assert not re.search("digger|saboteur|role", page_words, re.IGNORECASE)

    def assert_link_is_stale(self, link: str) -> None:
        """Check that a link shows how the game stands now, and no button."""
        answer = self.site.signed_out().get(link)
        assert answer.status_code == 200
        assert button_forms(Page(answer.text)) == []
        assert "This turn is over already" in Page(answer.text).text
        assert mine_description(self.view(None), _ENGLISH) in unescape(answer.text)

    def view(self, seat: int | None) -> View:
        return stored_game(self.site.database, self.slug, self.guests[0]).view(seat)

    @property
    def seq(self) -> int:
        return stored_game(self.site.database, self.slug, self.guests[0]).seq


def move_links(message: EmailMessage) -> list[str]:
    """Return the links to moves in an email, as paths; only its HTML has them."""
    hrefs = re.findall(r'href="https://lodepost\.test(/m/[^"]+)"', html_of(message))
    return [unescape(href) for href in hrefs]


def button_forms(page: Page) -> list[Form]:
    """Return the forms of a page that a person sends by a button."""
    return [form for form in page.forms if form.method == "post"]


def chosen_link(links: list[str], rng: SeededRng) -> str:
    """Return the link of a path card in most cases, so that the mine grows."""
    laying_links = [link for link in links if "?do=lay+" in link]
    return rng.pick(laying_links if laying_links and rng.below(3) else links)


def test_three_players_play_a_whole_game_by_links_alone(
    site: Site, worker: WorkerContext, recording_transport: RecordingTransport
) -> None:
    guests = sign_in_guests(site.database, ALICE, BOB, CAROL)
    rounds = 3 if is_full_run() else 1
    slug = deal_game(site.database, guests, table_settings(house=HouseRules(rounds=rounds)))
    game, rng, read_count = GameByLinks(site, slug, guests), SeededRng(8), 0
    seats = {guest.person.address: seat for seat, guest in enumerate(guests)}
    recipients_of_results: list[str] = []
    for _ in range(_MAX_ROUNDS_OF_EMAILS):
        delivery.deliver(worker)
        new_emails = recording_transport.emails[read_count:]
        read_count = len(recording_transport.emails)
        for message in (parse_message(email.message) for email in new_emails):
            address = parseaddr(str(message["To"]))[1]
            if kind_of(message.as_bytes()) == "game-over":
                recipients_of_results.append(address)
            if links := move_links(message):
                game.play(seats[address], chosen_link(links, rng))
        if recipients_of_results:
            break
    assert sorted(recipients_of_results) == sorted(seats)
    for link in game.used_links:
        game.assert_link_is_stale(link)
