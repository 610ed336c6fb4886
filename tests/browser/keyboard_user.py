"""A person who uses a page by keyboard alone, and for whom the focus has to be in sight wherever it stops."""

from typing import Final

from playwright.sync_api import Locator, Page

# A hidden input shows its focus on its label, as the gold cards do. A place in the mine shows it by its own frame.
_FOCUS_FAULT_SCRIPT: Final = """async () => {
    // The browser scrolls to the focus when it draws the next frame.
    for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
    const focused = document.activeElement;
    if (!focused || focused === document.body) return "the focus is nowhere";
    const shown = focused.matches("label > input") ? focused.parentElement : focused;
    const box = shown.getBoundingClientRect();
    const x = Math.max(box.left, 0) / 2 + Math.min(box.right, innerWidth) / 2;
    const y = Math.max(box.top, 0) / 2 + Math.min(box.bottom, innerHeight) / 2;
    const onTop = document.elementFromPoint(x, y);
    if (!onTop || !(shown.contains(onTop) || onTop.contains(shown))) return "something hides it";
    const styles = [focused, shown].map((element) => getComputedStyle(element));
    const isMarked = styles.some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2);
    return isMarked || parseFloat(styles[0].strokeWidth) >= 4 ? "" : "nothing marks it";
}"""
_MOST_STOPS: Final = 150


class KeyboardUser:
    """Presses keys on a page and never clicks."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, target: Locator) -> None:
        """Press Enter on a link, a button or a summary, which Tab has to reach."""
        self.go_to(target)
        self.page.keyboard.press("Enter")

    def fill(self, target: Locator, text: str) -> None:
        """Type into a field, which Tab has to reach unless the page has focused it."""
        self.go_to(target)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)

    def go_to(self, target: Locator) -> None:
        """Press Tab until the target has the focus; each stop has to be in sight and marked."""
        for _ in range(_MOST_STOPS):
            if target.evaluate("element => element === document.activeElement"):
                self.check_focus()
                return
            self.page.keyboard.press("Tab")
            # From its last control a page leads to the browser's own, and then to its first.
            if self.page.evaluate("document.activeElement !== document.body"):
                self.check_focus()
        raise AssertionError(
            f"Tab does not reach {target.aria_snapshot().splitlines()[0]} ({target})"
        )

    def check_focus(self) -> None:
        """Raise an error if the focus is lost, hidden or not marked."""
        fault = self.page.evaluate(_FOCUS_FAULT_SCRIPT)
        assert not fault, (
            f"{fault}: {self.page.evaluate('document.activeElement.outerHTML.slice(0, 300)')}"
        )
