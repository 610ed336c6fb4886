"""Simulated people who play one game after another through the pages, and repeat requests without a response."""

import re
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from tests.chaos.attendance import Attendance
from tests.chaos.http_browser import HttpBrowser, NoResponse, Response, UnexpectedResponse
from tests.chaos.inbox import RelayInbox
from tests.chaos.mail_program import MailProgram, NotAccepted, command_for
from tests.chaos.player_log import PlayerLog, SubmittedTurn
from tests.support.html import Form, Page
from tests.support.page_robot import NotAwaited, RandomBelow, decide, is_awaited
from webapp.kernel import urls

_PAUSE_SECONDS: Final = 0.4
_RETRY_DELAY_SECONDS: Final = 0.5
_SEAT_COUNT: Final = 3
_TURNS_PER_EMAIL: Final = 3
"""One of so many turns is sent by email instead of from the page."""
_HOURS_PER_TURN: Final = 2
"""The time for a turn: longer than any outage and any clock error in `faults.py`."""


@dataclass
class PlayersTable:
    """What players who play together share: their present game and its table link."""

    slug: str = ""
    link: str = ""
    with_bots: bool = False
    finished_slugs: list[str] = field(default_factory=list)


class Player(threading.Thread):
    """A simulated person, playing in a thread of their own while ``attendance`` says so."""

    def __init__(
        self,
        address: str,
        table: PlayersTable,
        browser: HttpBrowser,
        log: PlayerLog,
        *,
        is_host: bool,
        random_below: RandomBelow,
        attendance: Attendance,
        mail_program: MailProgram,
    ) -> None:
        super().__init__(name=address, daemon=True)
        self.address = address
        self.table = table
        self.browser = browser
        self._log = log
        self._is_host = is_host
        self.random_below = random_below
        self._attendance = attendance
        self._mail_program = mail_program
        self._table_form: Form | None = None
        """The form of a new table that no server has responded to."""

    def sign_in(self, inbox: RelayInbox) -> None:
        """Sign in with the link from an email, then choose a name."""
        browser = self.browser
        browser.send(browser.page(urls.sign_in()).form(urls.sign_in()), address=self.address)
        link = inbox.sign_in_link(self.address)
        response = browser.send(browser.page(link).form(link))
        assert response.status == 303, Page(response.text).text
        profile_form = browser.page(urls.profile()).form(urls.profile())
        response = browser.send(
            profile_form, name=self.address.partition("@")[0], zone="Europe/Riga"
        )
        assert response.status == 303, Page(response.text).text

    def run(self) -> None:
        while not self._attendance.wait(_PAUSE_SECONDS):
            with self._attendance.step(self.table.slug) as may_play:
                if may_play:
                    self._try_to_take_step()

    def _try_to_take_step(self) -> None:
        """Take a step; if it fails, is refused or overtaken by others, the next one begins with the current page."""
        with suppress(NoResponse, UnexpectedResponse, NotAwaited):
            self._take_step_and_log_faults()

    def _take_step_and_log_faults(self) -> None:
        try:
            self.take_step()
        except (NoResponse, UnexpectedResponse, NotAwaited):
            raise
        except Exception as error:  # noqa: BLE001 - reported at the end, while the others play on
            self._log.add_fault(f"{self.address}: {type(error).__name__}: {error}"[:200])

    def take_step(self) -> None:
        """Open the page of the table and do what it offers next."""
        slug = self.table.slug
        if not slug:
            self._open_table()
            return
        response = self.browser.get(urls.game(slug))
        if response.status == 404:
            self._take_seat()
        elif response.status == 200:
            self._act_on_page(slug, Page(response.text), response)
        else:
            raise UnexpectedResponse(response)

    def _act_on_page(self, slug: str, page: Page, response: Response) -> None:
        if page.has_form(urls.lobby_action(slug, "ready")):
            self.browser.send(page.form(urls.lobby_action(slug, "ready")), salt=self.address)
        elif is_awaited(page):
            self._play_turn(slug, decide(self.browser, slug, self.random_below))
        elif "The game is over" in page.text:
            self._finish_game(slug)
        elif self._is_host and not self.table.link:
            self.table.link = _table_link(response.text)

    def _play_turn(self, slug: str, form: Form) -> None:
        """Submit the same form until a server responds, because the first request may have been processed."""
        seq = int(form.fields["seq"]) + 1
        turn = SubmittedTurn(self.address, slug, seq, tuple(sorted(form.fields.items())))
        self._log.submit(turn)
        if self.random_below(_TURNS_PER_EMAIL) == 0 and self._answer_by_email(slug, form):
            return
        while True:
            with suppress(NoResponse):
                response = self.browser.send(form)
                if response.status == 303:
                    self._log.acknowledge(turn)
                if response.status not in {500, 503}:
                    return
            if self._attendance.wait(_RETRY_DELAY_SECONDS) or self._attendance.is_resting(slug):
                return

    def _answer_by_email(self, slug: str, form: Form) -> bool:
        """Answer the newest email about the game with the same turn, until the receiver accepts it; return whether it has.

        If that email is about an earlier turn, nothing is played, and the page still waits for the player.
        """
        command = command_for(form.fields)
        recipient = self._mail_program.reply_address(self.address, slug)
        while command is not None and recipient is not None:
            with suppress(NotAccepted):
                digest = self._mail_program.send(self.address, recipient, command)
                self._log.accept_email(digest)
                return True
            if self._attendance.wait(_RETRY_DELAY_SECONDS) or self._attendance.is_resting(slug):
                return False
        return False

    def _open_table(self) -> None:
        """Submit the same form until a server responds: it opens one table, and new players may be in few games."""
        if not self._is_host:
            return
        self._table_form = self._table_form or self._filled_table_form()
        response = self.browser.send(self._table_form)
        if response.status == 303:
            self.table.slug = response.location.rpartition("/")[2]
        if response.status not in {500, 503}:
            self._table_form = None

    def _filled_table_form(self) -> Form:
        form = self.browser.page(urls.new_game()).form(urls.tables())
        form.fields |= {
            "seats": str(_SEAT_COUNT),
            "rounds": str(1 + self.random_below(3)),
            "starter": "",
        }
        form.fields |= {"pace": "custom", "allowance": str(_HOURS_PER_TURN), "unit": "hours"}
        if self.table.with_bots:
            form.fields["bots"] = "1"
        return form

    def _take_seat(self) -> None:
        link = self.table.link
        if link:
            page = self.browser.page(link)
            if page.has_form(link):
                self.browser.send(page.form(link))

    def _finish_game(self, slug: str) -> None:
        if self._is_host and self.table.slug == slug:
            self.table.finished_slugs.append(slug)
            self.table.link = self.table.slug = ""


def create_players(
    create_browser: Callable[[], HttpBrowser],
    log: PlayerLog,
    *,
    tables: int,
    random_below_for: Callable[[str], RandomBelow],
    attendance: Attendance,
    mail_program: MailProgram,
) -> list[Player]:
    """Return the players of several tables: every third has one person and bots, the others three people."""
    players: list[Player] = []
    for number in range(tables):
        table = PlayersTable(with_bots=number % 3 == 2)
        for index in range(1 if table.with_bots else _SEAT_COUNT):
            address = f"player-{number}-{index}@example.test"
            player = Player(
                address,
                table,
                create_browser(),
                log,
                is_host=index == 0,
                random_below=random_below_for(address),
                attendance=attendance,
                mail_program=mail_program,
            )
            players.append(player)
    return players


def _table_link(html: str) -> str:
    match = re.search(r'id="table-link"[^>]*value="[^"]*?(/invitations/[\w=-]+)"', html)
    return match[1] if match else ""
