"""A player in a real browser without scripts, who opens links from emails and uses pages by keyboard."""

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.path_choice import distance_to_goals, offers_to_lay_path_card, openings_rank
from tests.support.browser_contexts import open_context
from tests.support.cast import Character
from tests.support.filed_emails import MaildirInbox
from tests.support.serve_process import RunningServer

_FURTHER_OPTION_SELECTOR = ".table-page:not(:has(a.card-tile)) :is(a.mine__place, a.option)"
_LINK_LABELS_SCRIPT = "links => links.map(link => link.getAttribute('aria-label') || '')"


class BrowserPlayer:
    """A character with their own browser profile."""

    def __init__(
        self,
        browser: Browser,
        running_server: RunningServer,
        inbox: MaildirInbox,
        character: Character,
    ) -> None:
        context = open_context(
            browser,
            base_url=running_server.url,
            java_script_enabled=False,
            # Otherwise every click waits for animations to end.
            reduced_motion="reduce",
        )
        self.page: Page = context.new_page()
        self.character = character
        self._inbox = inbox

    def sign_in(self, *, by_link: bool) -> None:
        """Request an email, use its link or its code, then choose a name."""
        self.page.goto("/sign-in")
        self.introduce_oneself(by_link=by_link)
        expect(self.page.get_by_role("heading", name="Your games")).to_be_visible()

    def introduce_oneself(self, *, by_link: bool) -> None:
        """Sign in for the first time on the page that asks for an address, which then leads back where it came from."""
        self.page.get_by_label("Your email address").fill(self.character.address)
        self.press("Email me a sign-in link")
        email = self._inbox.next_email_to(self.character.address, "sign-in")
        if by_link:
            self.page.goto(email.link)
            self.press("Sign in")
        else:
            self.page.get_by_label("Six-digit code").fill(email.code)
            self.press("Sign in", exact=True)
        self.page.get_by_label("Your name").fill(self.character.name)
        self.page.locator("summary", has_text="Deadlines in").click()
        self.page.get_by_label("Time zone").select_option(self.character.zone)
        self.press("Start playing")

    def press(self, label: str, *, exact: bool = False) -> None:
        self._focus_and_press(self.page.get_by_role("button", name=label, exact=exact))

    def follow(self, label: str) -> None:
        self._focus_and_press(self.page.get_by_role("link", name=label).first)

    def take_turn(self) -> None:
        """Lay the path card with most openings nearest to the goals, or discard; then answer any further question."""
        if self.page.locator("a.card-tile").count():
            self._use_card(self._card_with_most_openings())
        self._confirm_turn()
        # Choosing a goal or turning a stone belongs to the same turn, so no email announces it.
        while self.page.locator(_FURTHER_OPTION_SELECTOR).count():
            self._confirm_turn()

    def plan_step(self, *, discard: bool) -> None:
        """Add a step to the plan on this page: lay a card, or discard one."""
        if discard:
            self._focus_and_press(self.page.locator("a.card-tile").last)
            self._discard_card()
        else:
            self._use_card(self._card_with_most_openings())
        self._focus_and_press(self.page.locator("#confirm button"))

    def _confirm_turn(self) -> None:
        if not self.page.locator("#confirm").count():
            self._focus_and_press(self.page.locator(_FURTHER_OPTION_SELECTOR).first)
        self._focus_and_press(self.page.locator("#confirm button"))

    def _card_with_most_openings(self) -> Locator:
        tiles = self.page.locator("a.card-tile")
        names = tiles.all_inner_texts()
        return tiles.nth(min(range(len(names)), key=lambda number: openings_rank(names[number])))

    def _use_card(self, tile: Locator) -> None:
        self._focus_and_press(tile)
        cells = self.page.locator("a.mine__place")
        labels = cells.evaluate_all(_LINK_LABELS_SCRIPT)
        lay_numbers = [
            number for number, label in enumerate(labels) if offers_to_lay_path_card(label)
        ]
        if lay_numbers:
            number = min(lay_numbers, key=lambda number: distance_to_goals(labels[number]))
            self._focus_and_press(cells.nth(number))
        else:
            self._discard_card()

    def _discard_card(self) -> None:
        """Choose to discard the picked card, unless that is all that can be done with it."""
        if self.page.locator("a.discard").count():
            self._focus_and_press(self.page.locator("a.discard"))

    def _focus_and_press(self, target: Locator) -> None:
        """Activate a link or button by keyboard, because a click waits for the layout to settle; wait for the next page."""
        with self.page.expect_navigation():
            target.press("Enter")
