"""A whole game against bots by keyboard alone, from the home page to the gold."""

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.browser_player import BrowserPlayer
from tests.browser.keyboard_user import KeyboardUser
from tests.browser.path_choice import distance_to_goals, offers_to_lay_path_card, openings_rank
from tests.support.browser_contexts import open_context
from tests.support.cast import ERIN
from tests.support.filed_emails import MaildirInbox
from tests.support.serve_process import RunningServer

PHONE = {"width": 360, "height": 740}


@pytest.mark.full_run
def test_whole_game_is_played_by_keyboard(running_server: RunningServer, browser: Browser) -> None:
    newcomer = BrowserPlayer(
        browser, running_server, MaildirInbox(running_server.maildir, [ERIN.address]), ERIN
    )
    newcomer.sign_in(by_link=False)
    context = open_context(
        browser,
        base_url=running_server.url,
        storage_state=newcomer.page.context.storage_state(),
        viewport=PHONE,
        reduced_motion="reduce",
    )
    person = TablePlayer(KeyboardUser(context.new_page()))
    person.user.page.goto("/")
    person.user.press(person.user.page.get_by_role("button", name="Play against bots now"))
    rounds = person.play_to_the_end()
    assert rounds == [2, 3]
    roles = person.user.page.locator(".ranking__roles li").all_text_contents()
    assert len(roles) % 3 == 0
    assert all("gold-digger" in role or "saboteur" in role for role in roles)
    context.close()


class TablePlayer:
    """Plays at one table by keyboard: lays the path card with most openings nearest to the goals, or discards."""

    def __init__(self, user: KeyboardUser) -> None:
        self.user = user
        page = user.page
        self._tiles = page.locator("a.card-tile")
        self._places = page.locator("a.mine__place")
        self._options = page.locator("a.option")
        self._discard = page.locator("a.discard")
        self._confirm = page.locator("#confirm button")
        self._next_round = page.get_by_role("link", name="Start round")
        self._game_over = page.locator(".ranking")
        self._own_turn = page.get_by_role("heading", name="It's your turn")

    def play_to_the_end(self) -> list[int]:
        """Return the numbers of the rounds that were started by their link."""
        rounds: list[int] = []
        while True:
            expect(self._game_over.or_(self._own_turn).first).to_be_visible()
            if self._game_over.count():
                return rounds
            if self._next_round.count():
                rounds.append(int(self._next_round.inner_text().split()[-1]))
                self.user.press(self._next_round)
            self._take_turn()

    def _take_turn(self) -> None:
        if self._tiles.count():
            self._use_card()
        while self._confirm.count() or self._options.count() or self._places.count():
            if not self._confirm.count():
                self._press(self._options.or_(self._places).first)
            self._press_confirm()

    def _use_card(self) -> None:
        names = self._tiles.all_inner_texts()
        best = min(range(len(names)), key=lambda number: openings_rank(names[number]))
        self._press(self._tiles.nth(best))
        labels = self._places.evaluate_all(
            "links => links.map(link => link.getAttribute('aria-label') || '')"
        )
        places = [number for number, label in enumerate(labels) if offers_to_lay_path_card(label)]
        if places:
            nearest = min(places, key=lambda number: distance_to_goals(labels[number]))
            self._press(self._places.nth(nearest))
        elif self._discard.count():
            self._press(self._discard)

    def _press(self, target: Locator) -> None:
        """Choose, and wait until the page says so: the choices are in its address."""
        address = self.user.page.url
        self.user.press(target)
        self.user.page.wait_for_url(lambda url: url != address)
        expect(
            self._confirm.or_(self._options).or_(self._places).or_(self._discard).first
        ).to_be_visible()

    def _press_confirm(self) -> None:
        with self.user.page.expect_navigation():
            self.user.press(self._confirm)
