"""A person at a real browser, with a keyboard and without scripts: reads letters, follows their links, presses what the page offers."""

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser import digging
from tests.support.cast import Character
from tests.support.filed_emails import Sink
from tests.support.served import RunningServer

_REST = ".table-page:not(:has(a.card-tile)) :is(a.mine__place, a.option)"


class Person:
    """One character with a browser profile of their own."""

    def __init__(self, browser: Browser, served: RunningServer, sink: Sink, who: Character) -> None:
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

    def take_turn(self) -> None:
        """Lay the widest path card where it leads nearest to the goals, discard without one; answer whatever else is asked."""
        if self.page.locator("a.card-tile").count():
            self._use(self._widest())
        self._confirm()
        # Which goal is turned, how a stone lies: it is the same turn, and no letter calls to it.
        while self.page.locator(_REST).count():
            self._confirm()

    def _confirm(self) -> None:
        if not self.page.locator("#confirm").count():
            self._go(self.page.locator(_REST).first)
        self._go(self.page.locator("#confirm button"))

    def _widest(self) -> Locator:
        tiles = self.page.locator("a.card-tile")
        names = tiles.all_inner_texts()
        return tiles.nth(
            min(range(len(names)), key=lambda number: digging.narrowness(names[number]))
        )

    def _use(self, tile: Locator) -> None:
        self._go(tile)
        places = self.page.locator("a.mine__place").all()
        lays = [place for place in places if digging.is_lay(words_of(place))]
        if lays:
            self._go(min(lays, key=lambda place: digging.way_left(words_of(place))))
        else:
            self._go(self.page.locator("a.discard"))

    def _go(self, there: Locator) -> None:
        """By keyboard, for a mouse waits until the page has stopped moving; and wait for the page that comes."""
        with self.page.expect_navigation():
            there.press("Enter")


def words_of(link: Locator) -> str:
    return link.get_attribute("aria-label") or ""
