"""A person at a real browser, with a keyboard and without scripts: reads letters, follows their links, presses what the page offers."""

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.serving import Served
from tests.browser.sink import Sink
from tests.cast import Character


class Person:
    """One character with a browser profile of their own."""

    def __init__(self, browser: Browser, served: Served, sink: Sink, who: Character) -> None:
        context = browser.new_context(
            base_url=served.url,
            java_script_enabled=False,
            # Who presses waits until nothing moves.
            reduced_motion="reduce",
        )
        context.set_default_timeout(20_000)
        self.page: Page = context.new_page()
        self.who = who
        self._sink = sink

    def sign_in(self, *, by_link: bool) -> None:
        """Ask for a letter, and use its link or its code; then choose a name."""
        self.page.goto("/sign-in")
        self.page.get_by_label("Your mail address").fill(self.who.address)
        self.press("Send the letter")
        letter = self._sink.next_for(self.who.address, "sign-in")
        if by_link:
            self.page.goto(letter.link)
            self.press("Sign in now")
        else:
            self.page.get_by_label("The six digits").fill(letter.code)
            self.press("Sign in", exact=True)
        self.page.get_by_label("Your name at the table").fill(self.who.name)
        self.page.get_by_label("Time zone").select_option(self.who.zone)
        self.press("Save")
        expect(self.page.get_by_text("Your account is saved.")).to_be_visible()

    def press(self, label: str, *, exact: bool = False) -> None:
        self._go(self.page.get_by_role("button", name=label, exact=exact))

    def follow(self, label: str) -> None:
        self._go(self.page.get_by_role("link", name=label).first)

    def take_turn(self, *, digging: bool) -> None:
        """Lay the first card that fits somewhere when digging; else, or when none does, discard the first."""
        if not digging or not self._lay():
            self._go(self.page.locator(".card-tile").first)
            self._go(self.page.locator("a.discard"))
        self.press("Confirm and play")

    def _lay(self) -> bool:
        for number in range(self.page.locator(".card-tile").count()):
            self._go(self.page.locator(".card-tile").nth(number))
            places = self.page.locator("a.mine__place")
            if places.count():
                self._go(places.last)
                return True
        return False

    def _go(self, there: Locator) -> None:
        """By keyboard, for a mouse waits until the page has stopped moving; and wait for the page that comes."""
        with self.page.expect_navigation():
            there.press("Enter")
