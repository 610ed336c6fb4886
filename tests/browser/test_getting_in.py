"""Acceptance: strangers get to a seat or a first turn in three taps or with one email, in real browsers."""

from typing import Literal, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.browser_player import BrowserPlayer
from tests.support.browser_contexts import click_to_next_page, open_context
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.filed_emails import MaildirInbox
from tests.support.serve_process import RunningServer


class _Screen(NamedTuple):
    """A browser as people have it."""

    name: str
    width: int
    height: int
    has_scripts: bool
    is_dark: bool


_SCREENS = (
    _Screen("phone", 360, 740, has_scripts=True, is_dark=False),
    _Screen("computer", 1280, 800, has_scripts=False, is_dark=True),
)


class _Taps:
    """What a person presses in one browser, from the first page or the link in an email on."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.count = 0

    def open_link(self, link: str) -> None:
        """Press a link in an email."""
        self.count += 1
        self.page.goto(link)

    def press(self, role: Literal["button", "link"], label: str) -> None:
        self.count += 1
        target = self.page.get_by_role(role, name=label, exact=True)
        box = target.bounding_box()
        size = self.page.viewport_size
        assert box is not None
        assert size is not None
        assert box["y"] + box["height"] <= size["height"], f"{label} needs scrolling"
        click_to_next_page(target)


class _Visit:
    """A table whose host has invited a stranger, and the browser in which strangers get in."""

    def __init__(self, browser: Browser, running_server: RunningServer, screen: _Screen) -> None:
        host = ALICE._replace(address=f"host-{screen.name}@example.test")
        self.invited = f"{screen.name}-{BOB.address}"
        self.stranger = f"{screen.name}-{CAROL.address}"
        self.newcomer = f"{screen.name}-{DAVE.address}"
        addresses = (host.address, self.invited, self.stranger, self.newcomer)
        self.inbox = MaildirInbox(running_server.maildir, addresses)
        self.host = BrowserPlayer(browser, running_server, self.inbox, host)
        self.screen = screen
        self._browser, self._url = browser, running_server.url

    def new_page(self) -> Page:
        screen = self.screen
        context = open_context(
            self._browser,
            base_url=self._url,
            viewport={"width": screen.width, "height": screen.height},
            java_script_enabled=screen.has_scripts,
            color_scheme="dark" if screen.is_dark else "light",
            reduced_motion="reduce",
            locale="lv-LV",
            timezone_id="Europe/Tallinn",
        )
        return context.new_page()

    def open_table(self) -> str:
        """Return the path of the table's own link."""
        self.host.sign_in(by_link=False)
        self.host.page.goto("/games/new")
        self.host.press("Open the table")
        link = self.host.page.get_by_label("Or share the table's link").input_value()
        return link[link.index("/invitations/") :]


@pytest.fixture(params=_SCREENS, ids=lambda screen: screen.name)
def visit(
    browser: Browser, running_server: RunningServer, request: pytest.FixtureRequest
) -> _Visit:
    return _Visit(browser, running_server, request.param)


def _sit_down(page: Page, name: str) -> None:
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Sit down at the table").click()
    expect(page.get_by_role("button", name="Leave seat")).to_be_visible()


def test_strangers_get_from_an_invitation_to_the_seat(visit: _Visit) -> None:
    table_link = visit.open_table()
    visit.host.page.get_by_label("Email address").fill(visit.invited)
    visit.host.press("Send invitation")

    page = visit.new_page()
    taps = _Taps(page)
    taps.open_link(visit.inbox.next_email_to(visit.invited, "invitation").link)
    taps.press("button", "Take a seat")
    page.get_by_label("Your name").fill("Bob")
    taps.press("button", "Sit down at the table")
    expect(page.get_by_role("button", name="Leave seat")).to_be_visible()
    assert taps.count == 3
    page.goto("/account")
    # Without scripts it is the zone of Latvia, where the browser's language is spoken.
    zone = "Europe/Tallinn" if visit.screen.has_scripts else "Europe/Riga"
    expect(page.get_by_label("Time zone")).to_have_value(zone)

    computer, phone = visit.new_page(), visit.new_page()
    computer.goto(table_link)
    computer.get_by_role("button", name="Take a seat").click()
    computer.get_by_label("Your email address").fill(visit.stranger)
    computer.get_by_role("button", name="Send me the code").click()
    phone.goto(visit.inbox.next_email_to(visit.stranger, "sign-in").link)
    phone.get_by_label("Your email address").fill(visit.stranger)
    phone.get_by_role("button", name="Sign in and take your seat").click()
    _sit_down(phone, "Carol")
    assert [email.kind for email in visit.inbox.emails if email.to == visit.invited] == [
        "invitation"
    ]
    assert [email.kind for email in visit.inbox.emails if email.to == visit.stranger] == ["sign-in"]


def test_newcomers_get_from_home_to_their_first_turn_in_three_taps(visit: _Visit) -> None:
    page = visit.new_page()
    taps = _Taps(page)
    page.goto("/")
    taps.press("link", "Play against bots now")
    page.get_by_label("Your email address").fill(visit.newcomer)
    page.get_by_label("Your name").fill("Dave")
    taps.press("button", "Send me the code")
    page.get_by_label("Six-digit code").fill(
        visit.inbox.next_email_to(visit.newcomer, "sign-in").code
    )
    taps.press("button", "Start playing")
    own_turn = page.get_by_role("heading", name="It's your turn")
    if not visit.screen.has_scripts:
        # Otherwise the page shows by itself that the bots before them have played.
        while not own_turn.count():
            page.reload()
    expect(own_turn).to_be_visible()
    expect(page.locator("a.card-tile").first).to_be_in_viewport()
    assert taps.count == 3
