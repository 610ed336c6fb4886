"""What the tests of accessibility look for on any page: findings of axe, small targets, and sideways scrolling."""

from itertools import cycle, islice
from typing import Any, Final, NamedTuple

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from tests.support.sizes import case_count

RULE_GROUPS: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PHONE: Final = {"width": 360, "height": 740}
_VIOLATIONS_SCRIPT: Final = "options => axe.run(options).then(results => results.violations)"
_SMALL_TARGETS_SCRIPT: Final = """
    parts => parts
        .filter(part => part.checkVisibility() && !part.closest("svg, .rule__number"))
        .filter(part => part.tagName !== "A" || part.parentElement.textContent.trim() === part.textContent.trim())
        .filter(part => part.getBoundingClientRect().height < 43.5)
        .map(part => part.outerHTML.slice(0, 120))
"""
"""The outlines of what is lower than a finger is wide; links within sentences and numbers of rules do not count."""
_WIDER_THAN_SCREEN_SCRIPT: Final = """
    () => document.documentElement.scrollWidth <= window.innerWidth ? [] :
        [...document.querySelectorAll("main *, header *, footer *")]
            .filter(part => part.getBoundingClientRect().right > window.innerWidth + 1)
            .map(part => part.outerHTML.slice(0, 120)).slice(-3)
            .concat("the page is " + document.documentElement.scrollWidth + " pixels wide")
"""
_SCROLLED_WITHOUT_KEYS_SCRIPT: Final = """
    () => [...document.querySelectorAll("main *")]
        .filter(part => part.checkVisibility() && part.scrollWidth > part.clientWidth + 1)
        .filter(part => ["auto", "scroll"].includes(getComputedStyle(part).overflowX))
        .filter(part => part.tabIndex < 0 && !part.querySelector("a[href], button, input, select, textarea, summary, [tabindex]"))
        .map(part => part.outerHTML.slice(0, 120))
"""
_BAR_HEIGHT_SCRIPT: Final = """
    () => [...document.querySelectorAll("body *")]
        .filter(part => ["sticky", "fixed"].includes(getComputedStyle(part).position))
        .filter(part => getComputedStyle(part).top !== "auto" || getComputedStyle(part).bottom !== "auto")
        .filter(part => part.checkVisibility())
        .map(part => part.getBoundingClientRect().height / window.innerHeight)
        .reduce((highest, part) => Math.max(highest, part), 0)
"""
_OPEN_EVERYTHING_SCRIPT: Final = """
    () => document.querySelectorAll("details").forEach(part => { part.removeAttribute("name"); part.open = true; })
"""
_FINISH_ANIMATIONS_SCRIPT: Final = """
    () => document.getAnimations()
        .filter(animation => animation.timeline === document.timeline)
        .forEach(animation => animation.finish())
"""
"""Those that follow the scrolling of a part have no end. A busy browser may never draw the frame that ends one by itself."""
MAX_BAR_PART: Final = 0.25
"""The part of the screen that bars may cover at 400 % zoom."""


class View(NamedTuple):
    """How a page is looked at: in a window, with settings of the browser."""

    name: str
    viewport: dict[str, int]
    media: dict[str, Any]


ZOOM_400: Final = View(
    "400 % zoom, dark",
    {"width": 320, "height": 256},
    {"color_scheme": "dark", "forced_colors": "none", "reduced_motion": "no-preference"},
)
VIEWS: Final = (
    View(
        "phone, light",
        PHONE,
        {"color_scheme": "light", "forced_colors": "none", "reduced_motion": "reduce"},
    ),
    View(
        "desktop, dark",
        {"width": 1280, "height": 800},
        {"color_scheme": "dark", "forced_colors": "none", "reduced_motion": "no-preference"},
    ),
    View(
        "200 % zoom, forced colours",
        {"width": 640, "height": 400},
        {"color_scheme": "light", "forced_colors": "active", "reduced_motion": "reduce"},
    ),
    ZOOM_400,
)


def views_for(number: int) -> tuple[View, ...]:
    """Return the views in which axe reads the page with this number: every page is read in some, every view is used."""
    return tuple(islice(cycle(VIEWS), number % len(VIEWS), number % len(VIEWS) + view_count()))


def view_count() -> int:
    return case_count("views_of_each_page")


def show(page: Page, view: View) -> None:
    page.set_viewport_size(view.viewport)  # type: ignore[arg-type]
    page.emulate_media(**view.media)
    # Colours that change with the scheme take a moment.
    page.evaluate(_FINISH_ANIMATIONS_SCRIPT)


def axe_findings(page: Page, *, without: tuple[str, ...] = ()) -> list[str]:
    """Return the rules that a page breaks, each with the first element that breaks it."""
    # Only what is read here is collected, and no style sheet is fetched for rules on media.
    options: dict[str, Any] = {
        "runOnly": RULE_GROUPS,
        "resultTypes": ["violations"],
        "preload": False,
    }
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    violations = page.evaluate(_VIOLATIONS_SCRIPT, options)
    return [
        f"{violation['id']}: {violation['nodes'][0]['html'][:160]}"
        for violation in violations
        if violation["id"] not in without
    ]


def small_targets(page: Page) -> list[str]:
    """Return the links, summaries and buttons that are too small to tap."""
    targets = page.locator("main summary, main a, main button, header a, footer a")
    found: list[str] = targets.evaluate_all(_SMALL_TARGETS_SCRIPT)
    return found


def parts_wider_than_the_screen(page: Page) -> list[str]:
    """Return what makes the page scroll sideways."""
    found: list[str] = page.evaluate(_WIDER_THAN_SCREEN_SCRIPT)
    return found


def parts_scrolled_without_keys(page: Page) -> list[str]:
    """Return what scrolls sideways and can't be reached by keyboard (WCAG 2.1.1), in a window in which axe may not look."""
    found: list[str] = page.evaluate(_SCROLLED_WITHOUT_KEYS_SCRIPT)
    return found


def open_everything(page: Page) -> None:
    """Open whatever is folded, such as sheets of seats, notes and a new role."""
    page.evaluate(_OPEN_EVERYTHING_SCRIPT)


def findings_on(page: Page, views: tuple[View, ...]) -> list[str]:
    """Return everything that is wrong on the open page: in these views, on a phone, and at 400 % zoom."""
    findings: list[str] = []
    for view in views:
        show(page, view)
        findings += [f"{view.name}: {finding}" for finding in axe_findings(page)]
    show(page, VIEWS[0])
    findings += [f"small: {target}" for target in small_targets(page)]
    findings += [f"wide on a phone: {part}" for part in parts_wider_than_the_screen(page)]
    show(page, ZOOM_400)
    findings += [f"wide at 400 %: {part}" for part in parts_wider_than_the_screen(page)]
    findings += [f"scrolls without keys: {part}" for part in parts_scrolled_without_keys(page)]
    if page.evaluate(_BAR_HEIGHT_SCRIPT) > MAX_BAR_PART:
        findings.append("bars cover too much of the screen at 400 %")
    return findings
