"""Acceptance: strangers come from an emailed invitation and from a table's link to a seat, in real browsers."""

from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.browser_player import BrowserPlayer
from tests.support.browser_contexts import open_context
from tests.support.cast import ALICE, BOB, CAROL
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


class _Visit:
    """A table whose host has invited a stranger, and the browser in which strangers get in."""

    def __init__(self, browser: Browser, running_server: RunningServer, screen: _Screen) -> None:
        host = ALICE._replace(address=f"host-{screen.name}@example.test")
        self.invited = f"{screen.name}-{BOB.address}"
        self.stranger = f"{screen.name}-{CAROL.address}"
        addresses = (host.address, self.invited, self.stranger)
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
    page.goto(visit.inbox.next_email_to(visit.invited, "invitation").link)
    button = page.get_by_role("button", name="Take a seat")
    assert button.bounding_box()["y"] < visit.screen.height - 44  # type: ignore[index]
    button.click()
    _sit_down(page, "Bob")
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
