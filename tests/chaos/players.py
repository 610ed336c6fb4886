"""People who play game after game by the pages alone, and press again when nobody answered."""

import re
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from tests.chaos.browser import Answer, Away, Browser, Unwelcome
from tests.chaos.inbox import Letterbox
from tests.chaos.notes import Notes, Press
from tests.support.html import Form, Page
from tests.support.page_robot import NotAwaited, Pick, decide, is_awaited
from webapp import urls

_PAUSE: Final = 0.4
_AFTER_A_LOSS: Final = 0.5
_SEATS: Final = 3
_HOURS: Final = 2
"""The allowance of a turn: no outage and no jump of a clock (`troubles.py`) is as long."""


@dataclass
class Table:
    """Where some people meet: the game that they play now, and the link to it."""

    slug: str = ""
    link: str = ""
    with_bots: bool = False
    finished: list[str] = field(default_factory=list)


class Player(threading.Thread):
    """One person in a thread of their own, until ``stopped``."""

    def __init__(
        self,
        address: str,
        table: Table,
        browser: Browser,
        notes: Notes,
        *,
        is_host: bool,
        pick: Pick,
        stopped: threading.Event,
    ) -> None:
        super().__init__(name=address, daemon=True)
        self.address = address
        self.table = table
        self.browser = browser
        self._notes = notes
        self._is_host = is_host
        self.pick = pick
        self._stopped = stopped

    def sign_in(self, letters: Letterbox) -> None:
        """By the link of a letter; then choose a name."""
        browser = self.browser
        browser.send(browser.page(urls.sign_in()).form(urls.sign_in()), address=self.address)
        link = letters.sign_in_link(self.address)
        answer = browser.send(browser.page(link).form(link))
        assert answer.status == 303, Page(answer.text).words
        profile = browser.page(urls.profile()).form(urls.profile())
        answer = browser.send(profile, name=self.address.partition("@")[0], zone="Europe/Riga")
        assert answer.status == 303, Page(answer.text).words

    def run(self) -> None:
        while not self._stopped.wait(_PAUSE):
            # Away, refused or overtaken by others: look again.
            with suppress(Away, Unwelcome, NotAwaited):
                self._try_to_go_on()

    def _try_to_go_on(self) -> None:
        try:
            self.go_on()
        except (Away, Unwelcome, NotAwaited):
            raise
        except Exception as problem:  # noqa: BLE001 - told in the report, and the others play on
            self._notes.fault(f"{self.address}: {type(problem).__name__}: {problem}"[:200])

    def go_on(self) -> None:
        """Look at the table, and press what it offers next."""
        slug = self.table.slug
        if not slug:
            self._open()
            return
        answer = self.browser.get(urls.game(slug))
        if answer.status == 404:
            self._sit_down()
        elif answer.status == 200:
            self._act_on(slug, Page(answer.text), answer)
        else:
            raise Unwelcome(answer)

    def _act_on(self, slug: str, page: Page, answer: Answer) -> None:
        if page.has_form(urls.lobby_action(slug, "ready")):
            self.browser.send(page.form(urls.lobby_action(slug, "ready")), salt=self.address)
        elif is_awaited(page):
            self._play(slug, decide(self.browser, slug, self.pick))
        elif "The game is over" in page.words:
            self._leave(slug)
        elif self._is_host and not self.table.link:
            self.table.link = _table_link(answer.text)

    def _play(self, slug: str, form: Form) -> None:
        """Press until somebody answers: the same form again, for it may have been heard the first time."""
        seq = int(form.fields["seq"]) + 1
        press = Press(self.address, slug, seq, tuple(sorted(form.fields.items())))
        self._notes.press(press)
        while True:
            with suppress(Away):
                answer = self.browser.send(form)
                if answer.status == 303:
                    self._notes.win(press)
                if answer.status not in {500, 503}:
                    return
            if self._stopped.wait(_AFTER_A_LOSS):
                return

    def _open(self) -> None:
        if not self._is_host:
            return
        form = self.browser.page(urls.new_game()).form(urls.tables())
        bots = {"bots": "1"} if self.table.with_bots else {}
        wish = {"seats": str(_SEATS), "rounds": str(1 + self.pick(3)), "starter": ""}
        slow = {"allowance": str(_HOURS), "unit": "hours"}
        answer = self.browser.send(form, **wish, **slow, **bots)
        if answer.status == 303:
            self.table.slug = answer.location.rpartition("/")[2]

    def _sit_down(self) -> None:
        link = self.table.link
        if link:
            page = self.browser.page(link)
            if page.has_form(link):
                self.browser.send(page.form(link))

    def _leave(self, slug: str) -> None:
        if self._is_host and self.table.slug == slug:
            self.table.finished.append(slug)
            self.table.link = self.table.slug = ""


def seated(
    browsers: Callable[[], Browser],
    notes: Notes,
    *,
    tables: int,
    chance: Callable[[str], Pick],
    stopped: threading.Event,
) -> list[Player]:
    """Players for so many tables: every third table has one person and bots, the others three people."""
    players: list[Player] = []
    for number in range(tables):
        table = Table(with_bots=number % 3 == 2)
        for chair in range(1 if table.with_bots else _SEATS):
            address = f"player-{number}-{chair}@example.test"
            player = Player(
                address,
                table,
                browsers(),
                notes,
                is_host=chair == 0,
                pick=chance(address),
                stopped=stopped,
            )
            players.append(player)
    return players


def _table_link(html: str) -> str:
    found = re.search(r'id="table-link"[^>]*value="[^"]*?(/invitations/[\w=-]+)"', html)
    return found[1] if found else ""
