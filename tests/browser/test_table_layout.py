"""Where the parts of the table page are, in pixels, on a phone and on a desktop, without scripts."""

from typing import Any, Final

import pytest
from playwright.sync_api import Browser, FloatRect, Locator, Page, ViewportSize, expect

from tests.browser.table_states import (
    DESKTOP,
    HAND,
    PHONE,
    STATES,
    WIDE_MINE,
    game_on_turn,
    opened_page,
)
from tests.support.cast import ALICE
from tests.support.factories import play_bots
from tests.support.stored_positions import set_hand
from tests.support.visitors import DealtGame, Site
from webapp.kernel import urls

STEPS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"card": "path-rbl"},
    {"card": "path-rbl", "cell": "A4", "turned": 1},
    {"card": "path-rbl", "cell": "-A5"},
    {"card": "rockfall"},
    {"card": "rockfall", "cell": "D5"},
    {"card": "break-cart"},
    {"card": "map", "discard": 1},
)
"""What can be picked on the way through a turn."""
SMALLEST_TARGET: Final = 44


def box_of(part: Locator) -> FloatRect:
    """Return where a part is once the web font is there, with which headings have other lines than before."""
    part.page.evaluate("document.fonts.ready.then(() => null)")
    box = part.bounding_box()
    assert box is not None
    return box


def bottom_of(part: Locator) -> float:
    box = box_of(part)
    return box["y"] + box["height"]


def is_in_view(page: Page, part: Locator) -> bool:
    assert page.viewport_size is not None
    box = box_of(part)
    return box["y"] >= 0 and box["y"] + box["height"] <= page.viewport_size["height"]


def visible_text(page: Page) -> str:
    """Return the text above the mine."""
    return " ".join(page.locator(".table-page__status").inner_text().split())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_first_screen_of_a_phone_has_turn_time_digest_mine_and_hand(
    site: Site, browser: Browser, address: str, scheme: str
) -> None:
    game = game_on_turn(site)
    with opened_page(browser, address, game.visitors[0], color_scheme=scheme) as page:
        for _ in range(2):  # Once, it says that the last turn was played.
            page.goto(urls.game(game.slug))
        text = visible_text(page)
        assert "It's your turn 24 hours left" in text
        assert "2 new turns. Carol discarded a card" in text
        mine, dock = page.locator("#mine"), page.locator(".dock")
        assert box_of(mine)["y"] <= 260
        assert bottom_of(mine) <= box_of(dock)["y"]
        assert all(is_in_view(page, tile) for tile in page.locator("a.card-tile").all())
        assert page.get_by_text("You're a").count() == 1


def test_mine_and_hand_are_in_the_first_screen_of_a_desktop(
    site: Site, browser: Browser, address: str
) -> None:
    game = game_on_turn(site)
    with opened_page(browser, address, game.visitors[0], viewport=DESKTOP) as page:
        for step in STEPS:
            page.goto(urls.game(game.slug, **step))
            mine, hand = page.locator("#mine svg.mine"), page.locator(".dock .hand")
            assert box_of(mine)["height"] <= 0.6 * DESKTOP["height"]
            assert bottom_of(mine) <= box_of(hand)["y"]
            assert bottom_of(hand) <= DESKTOP["height"], step
            card = box_of(hand.locator(".picture").first)
            assert (round(card["width"]), round(card["height"])) == (66, 88)


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_ways_to_turn_a_stone_are_equal_buttons_below_the_question(
    site: Site, browser: Browser, address: str, viewport: ViewportSize
) -> None:
    state = STATES["choice of stone"](site)
    with opened_page(browser, address, state.visitor, viewport=viewport) as page:
        page.goto(state.path)
        one, other = map(box_of, page.locator(".choice-list .button").all())
        question = page.locator(".choice__detail")
        assert (one["y"], one["height"]) == (other["y"], other["height"])
        assert round(one["width"]) == round(other["width"])
        assert bottom_of(question) <= one["y"]
        assert round(one["x"]) == round(box_of(question)["x"])


def test_hand_is_in_the_first_screen_of_a_desktop_with_ten_players_to_choose_from(
    site: Site, browser: Browser, address: str
) -> None:
    game = site.dealt_game(ALICE, seats=10)
    play_bots(site.database)
    set_hand(site, game, 0, *HAND)
    with opened_page(browser, address, game.visitors[0], viewport=DESKTOP) as page:
        page.goto(urls.game(game.slug, card="break-cart"))
        assert page.locator(".choice-list .button").count() == 10
        assert bottom_of(page.locator(".dock .hand")) <= DESKTOP["height"]


def test_wide_mine_fades_only_where_it_continues(
    site: Site, browser: Browser, address: str
) -> None:
    game = game_on_turn(site, laid=WIDE_MINE)
    with opened_page(browser, address, game.visitors[0], java_script_enabled=True) as page:
        page.goto(urls.game(game.slug))
        assert fades_after_scrolling(page, "0") == ["0px", "32px"]
        assert fades_after_scrolling(page, "(part.scrollWidth - part.clientWidth) / 2") == [
            "32px",
            "32px",
        ]
        assert fades_after_scrolling(page, "part.scrollWidth") == ["32px", "0px"]


def fades_after_scrolling(page: Page, to: str) -> list[str]:
    """Return how far the left and the right edge of the mine fade once it is scrolled."""
    frame = page.locator(".mine-frame--wide")
    frame.evaluate(f"part => {{ part.scrollLeft = {to} }}")
    page.evaluate("new Promise(requestAnimationFrame)")
    widths: list[str] = frame.evaluate(
        "part => ['--fade-left', '--fade-right'].map(name => getComputedStyle(part).getPropertyValue(name))"
    )
    return widths


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
@pytest.mark.parametrize("laid", [None, WIDE_MINE])
def test_mine_stays_where_it_is_while_a_turn_is_chosen(
    site: Site,
    browser: Browser,
    address: str,
    viewport: dict[str, int],
    laid: dict[str, str] | None,
) -> None:
    game = game_on_turn(site, **({} if laid is None else {"laid": laid, "last_laid": "A5"}))
    game.visitors[0].page(urls.game(game.slug))  # Once, it says that the last turn was played.
    with opened_page(browser, address, game.visitors[0], viewport=viewport) as page:
        boxes = [mine_box_at(page, game, step) for step in STEPS]
    assert boxes == [boxes[0]] * len(STEPS)


def mine_box_at(page: Page, game: DealtGame, step: dict[str, Any]) -> FloatRect:
    """Return where the mine is on the page that a link of the turn opens."""
    fragment = "#confirm" if step.keys() - {"card"} else "#choose"
    page.goto(urls.game(game.slug, **step) + fragment)
    return box_of(page.locator("#mine svg.mine"))


def test_dock_shows_the_card_its_place_and_the_other_cards(
    site: Site, browser: Browser, address: str
) -> None:
    game = game_on_turn(site)
    with opened_page(browser, address, game.visitors[0]) as page:
        page.goto(urls.game(game.slug, card="path-trbl", cell="A4"))
        dock = page.locator(".dock")
        assert bottom_of(dock) == PHONE["height"]
        expect(dock.get_by_role("heading", name="Lay at A4")).to_be_visible()
        page.goto(urls.game(game.slug, card="path-rbl", cell="-A5"))
        expect(dock.locator(".choice .picture")).to_be_visible()
        for part in (dock.get_by_role("button", name="Confirm"), *dock.locator("a").all()):
            assert is_in_view(page, part)
            assert box_of(part)["height"] >= SMALLEST_TARGET
        assert dock.locator("a.card-tile").count() == len(HAND)


def test_dock_with_two_buttons_leaves_the_chosen_place_in_sight(
    site: Site, browser: Browser, address: str
) -> None:
    game = game_on_turn(site, hand=("dead-trb", *HAND[1:]))
    with opened_page(browser, address, game.visitors[0]) as page:
        page.goto(urls.game(game.slug, card="dead-trb", cell="A4"))
        dock = page.locator(".dock")
        rotate, confirm = (
            dock.get_by_role("link", name="Rotate the card"),
            dock.get_by_role("button", name="Confirm"),
        )
        assert box_of(rotate)["y"] == box_of(confirm)["y"]
        assert bottom_of(dock.locator(".choice__detail")) <= box_of(confirm)["y"]
        assert bottom_of(page.locator(".mine__place[aria-current]")) < box_of(dock)["y"]


def test_turn_with_one_possible_place_takes_two_taps(
    site: Site, browser: Browser, address: str
) -> None:
    game = game_on_turn(site, hand=("repair-cart", *HAND[:2]), broken=((), ("cart",), ()))
    with opened_page(browser, address, game.visitors[0], has_touch=True) as page:
        page.goto(urls.game(game.slug))
        page.locator("a.card-tile").first.tap()
        expect(page.get_by_role("heading", name="Repair Bob's cart")).to_be_visible()
        page.get_by_role("button", name="Confirm").tap()
        expect(page.get_by_role("heading", name="Waiting for Bob to play")).to_be_visible()


def test_hand_is_not_faded_while_waiting(site: Site, browser: Browser, address: str) -> None:
    game = game_on_turn(site)
    with opened_page(browser, address, game.visitors[1]) as page:
        page.goto(urls.game(game.slug))
        opacities = page.locator(".hand .picture").evaluate_all(
            "pictures => pictures.map(picture => getComputedStyle(picture).opacity)"
        )
        assert set(opacities) == {"1"}


def test_wide_mine_opens_at_the_newest_card_with_readable_labels(
    site: Site, browser: Browser, address: str
) -> None:
    game = game_on_turn(site, laid=WIDE_MINE, last_laid="F5")
    with opened_page(browser, address, game.visitors[0], java_script_enabled=True) as page:
        page.goto(urls.game(game.slug))
        frame = page.locator(".mine-frame--wide")
        mark = page.locator(".mine-frame__opening > span")
        page.wait_for_function("document.querySelector('.mine-frame--wide').scrollLeft > 0")
        assert box_of(frame)["x"] <= box_of(mark)["x"] <= box_of(frame)["x"] + PHONE["width"] - 80
        expect(page.get_by_text("Scroll sideways to see more.")).to_be_visible()
        assert label_height(page) >= 12


def test_labels_of_the_mine_are_readable_on_a_phone(
    site: Site, browser: Browser, address: str
) -> None:
    game = game_on_turn(site)
    with opened_page(browser, address, game.visitors[0], java_script_enabled=True) as page:
        page.goto(urls.game(game.slug, card="path-rbl"))
        assert label_height(page) >= 12


def test_wide_mine_labels_its_rows_while_it_scrolls_and_can_be_seen_as_a_whole(
    site: Site, browser: Browser, address: str
) -> None:
    game = game_on_turn(site, laid=WIDE_MINE)
    with opened_page(browser, address, game.visitors[0]) as page:
        page.goto(urls.game(game.slug, card="path-rbl"))
        frame, mine = page.locator(".mine-frame--wide"), page.locator("#mine svg.mine")
        rows = page.locator(".mine-rows")
        for left in (0, 60, 400):
            frame.evaluate(f"part => {{ part.scrollLeft = {left} }}")
            assert box_of(rows)["x"] == box_of(frame)["x"]
            assert box_of(rows)["height"] == pytest.approx(box_of(mine)["height"], abs=0.5)
        page.get_by_text("Whole mine").press("Enter")
        assert box_of(mine)["width"] == box_of(frame)["width"]
        assert label_height(page) >= 12
        expect(rows).to_be_hidden()


def label_height(page: Page) -> float:
    """Return the smallest font size of the labels of rows and columns, in pixels of the screen."""
    sizes = page.locator("#mine .mine__labels text").evaluate_all(
        "texts => texts.map(text => parseFloat(getComputedStyle(text).fontSize) * text.getCTM().a)"
    )
    return float(min(sizes))


def test_bars_leave_the_screen_free_at_400_percent_zoom(
    site: Site, browser: Browser, address: str
) -> None:
    game = game_on_turn(site)
    zoomed_viewport = {"width": 320, "height": 200}
    with opened_page(
        browser, address, game.visitors[0], viewport=zoomed_viewport, java_script_enabled=True
    ) as page:
        page.goto(urls.game(game.slug))
        page.mouse.wheel(0, 400)
        page.wait_for_function("window.scrollY > 300")
        positions = page.locator(".role-bar, .dock").evaluate_all(
            "parts => parts.map(part => getComputedStyle(part).position)"
        )
        assert positions == ["static", "static"]


def test_columns_of_header_and_page_are_aligned(site: Site, browser: Browser, address: str) -> None:
    game = game_on_turn(site)
    with opened_page(browser, address, game.visitors[0], viewport=DESKTOP) as page:
        for path in (urls.game(game.slug), urls.profile(), urls.home()):
            page.goto(path)
            left_edges = [
                page.locator(selector).first.evaluate(
                    "part => part.getBoundingClientRect().left + parseFloat(getComputedStyle(part).paddingLeft)"
                )
                for selector in (".site-header", "main", ".site-footer")
            ]
            assert len(set(left_edges)) == 1, path


LINES_OF_WORDS: Final = """notes => notes.flatMap(note => note.textContent.split(" ").map(word => {
    const range = document.createRange();
    const start = note.textContent.indexOf(word);
    range.setStart(note.firstChild, start);
    range.setEnd(note.firstChild, start + word.length);
    return range.getClientRects().length;
}))"""
"""In how many lines each word of the notes is."""


def test_notes_under_cards_break_between_words_and_leave_tiles_equally_high(
    site: Site, browser: Browser, address: str
) -> None:
    hand = ("path-rbl", "repair-pickaxe", "map", "rockfall", "break-cart", "repair-lantern-cart")
    game = game_on_turn(site, hand=hand, broken=(("cart", "lantern"), (), ()))
    with opened_page(browser, address, game.visitors[0]) as page:
        page.goto(urls.game(game.slug))
        assert set(page.locator(".card-tile__note").evaluate_all(LINES_OF_WORDS)) == {1}
        heights = {round(box_of(tile)["height"]) for tile in page.locator(".dock .card-tile").all()}
        [height] = heights
        assert height - box_of(page.locator(".dock .card-tile .picture").nth(2))["height"] < 30
