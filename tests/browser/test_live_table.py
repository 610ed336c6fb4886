"""The script of the table page: shows what was picked in place, and says what is new without disturbing anyone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.table_states import WIDE_MINE, game_on_turn, opened_page
from tests.support.page_robot import discard_form
from tests.support.visitors import DealtGame, Site
from webapp.kernel import urls

MAX_SCRIPT_BYTES: Final = 15_000
SCRIPT: Final = Path(__file__).parents[2] / "webapp" / "static" / "table.js"
_MARK_PAGE: Final = "window.isSamePage = true"
_UNDEFINED_DRAWINGS_SCRIPT: Final = """[...document.querySelectorAll("use")]
    .map((use) => use.getAttribute("href")).filter((href) => !document.querySelector(href))"""


@pytest.fixture
def game(site: Site) -> DealtGame:
    return game_on_turn(site)


@pytest.fixture
def alice_page(game: DealtGame, browser: Browser, address: str) -> Iterator[Page]:
    """Yield the page of Alice, whose turn it is."""
    yield from _opened_table(game, 0, browser, address)


@pytest.fixture
def bob_page(game: DealtGame, browser: Browser, address: str) -> Iterator[Page]:
    """Yield the page of Bob, who waits for Alice."""
    yield from _opened_table(game, 1, browser, address)


def _opened_table(game: DealtGame, seat: int, browser: Browser, address: str) -> Iterator[Page]:
    with opened_page(browser, address, game.visitors[seat], java_script_enabled=True) as page:
        page.goto(urls.game(game.slug))
        page.evaluate(_MARK_PAGE)
        yield page


def is_same_page(page: Page) -> bool:
    """Return whether no other page was loaded since the test began."""
    return bool(page.evaluate("window.isSamePage === true"))


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.outerHTML.slice(0, 200)"))


def ask_now(page: Page) -> None:
    """Let the script ask at once, as when the reader comes back to the tab."""
    page.evaluate("window.dispatchEvent(new Event('online'))")


def play_for_alice(game: DealtGame) -> None:
    alice = game.visitors[0]
    assert alice.send(discard_form(alice, game.slug)).status_code == 303


def test_script_is_small() -> None:
    assert SCRIPT.stat().st_size < MAX_SCRIPT_BYTES


def test_card_and_place_are_chosen_without_leaving_the_page(alice_page: Page) -> None:
    alice_page.locator("a.card-tile").first.click()
    expect(alice_page.locator("a.mine__place").first).to_be_visible()
    alice_page.locator("a.mine__place").first.click()
    expect(alice_page.locator("#confirm")).to_be_visible()
    assert "cell=" in alice_page.url
    assert is_same_page(alice_page)


def test_back_undoes_a_choice(alice_page: Page) -> None:
    alice_page.locator("a.card-tile").first.click()
    alice_page.locator("a.mine__place").first.click()
    expect(alice_page.locator("#confirm")).to_be_visible()
    alice_page.go_back()
    expect(alice_page.locator("#confirm")).to_be_hidden()
    expect(alice_page.locator("a.mine__place").first).to_be_visible()
    alice_page.go_back()
    expect(alice_page.locator("a.mine__place")).to_have_count(0)
    assert is_same_page(alice_page)


def test_choice_is_the_same_page_as_its_address(alice_page: Page) -> None:
    alice_page.locator("a.card-tile").first.click()
    alice_page.locator("a.mine__place").first.click()
    expect(alice_page.locator("#confirm")).to_be_visible()
    text = alice_page.locator("#choose").inner_text()
    alice_page.reload()
    assert alice_page.locator("#choose").inner_text() == text


def test_chosen_turn_is_played(alice_page: Page) -> None:
    alice_page.locator("a.card-tile").first.click()
    alice_page.locator("a.mine__place").first.click()
    alice_page.locator("#confirm button").click()
    expect(alice_page.get_by_role("heading", name="Waiting for Bob to play")).to_be_visible()
    assert not is_same_page(alice_page)


def test_card_chosen_by_keyboard_keeps_the_focus_and_a_place_leads_to_the_form(
    alice_page: Page,
) -> None:
    tile = alice_page.locator("a.card-tile").first
    href = tile.get_attribute("href")
    tile.press("Enter")
    expect(alice_page.locator("a.mine__place").first).to_be_visible()
    assert f'href="{href}"'.replace("&", "&amp;") in focused(alice_page)
    alice_page.locator("a.mine__place").first.press("Enter")
    expect(alice_page.locator("#confirm:focus")).to_have_count(1)
    alice_page.keyboard.press("Tab")
    assert "turn" in focused(alice_page) or "button" in focused(alice_page)


def test_places_of_page_and_mine_are_kept(site: Site, browser: Browser, address: str) -> None:
    wide_game = game_on_turn(site, laid=WIDE_MINE)
    for page in _opened_table(wide_game, 0, browser, address):
        page.evaluate("scrollTo(0, 120)")
        page.evaluate("document.querySelector('.mine-frame').scrollLeft = 40")
        places = "[scrollY, document.querySelector('.mine-frame').scrollLeft]"
        earlier = page.evaluate(places)
        page.locator("a.card-tile").first.press("Enter")
        expect(page.locator("a.mine__place").first).to_be_attached()
        assert page.evaluate(places) == earlier


def test_choice_loads_its_page_if_the_script_cannot_get_it(alice_page: Page) -> None:
    def answer(route: Route) -> None:
        if route.request.resource_type == "fetch":
            route.abort()
        else:
            route.continue_()

    alice_page.route("**/games/**", answer)
    alice_page.locator("a.card-tile").first.click()
    expect(alice_page.locator("a.mine__place").first).to_be_visible()
    assert not is_same_page(alice_page)


def test_waiting_player_sees_and_hears_that_it_is_their_turn(
    game: DealtGame, bob_page: Page
) -> None:
    play_for_alice(game)
    ask_now(bob_page)
    expect(bob_page.get_by_role("heading", name="It's your turn")).to_be_visible()
    expect(bob_page.locator(".live__note")).to_have_text("Alice has played. It's your turn")
    expect(bob_page).to_have_title("Your turn: round 1")
    assert is_same_page(bob_page)


def test_player_with_a_choice_keeps_it_and_is_shown_what_is_new(
    game: DealtGame, alice_page: Page
) -> None:
    alice_page.locator("a.card-tile").first.press("Enter")
    expect(alice_page.locator("a.mine__place").first).to_be_visible()
    choice, focus = alice_page.locator("#choose").inner_html(), focused(alice_page)
    play_for_alice(game)
    ask_now(alice_page)
    status = alice_page.locator(".live__note")
    expect(status).to_contain_text("Your turn was played")
    assert alice_page.locator("#choose").inner_html() == choice
    assert focused(alice_page) == focus
    status.get_by_role("link", name="Show").click()
    expect(alice_page.get_by_role("heading", name="Waiting for Bob to play")).to_be_visible()


def test_typed_note_replaces_no_newer_one_after_the_page_was_refreshed(
    game: DealtGame, alice_page: Page
) -> None:
    alice_page.locator("summary", has_text="Your notes").click()
    alice_page.locator("#note").fill("From the laptop")
    alice = game.visitors[0]
    form = alice.page(urls.game(game.slug)).form(urls.notes(game.slug))
    assert alice.send(form, note="From the phone").status_code == 303
    # A choice on a page that is out of date refreshes all of it.
    alice_page.evaluate("document.getElementById('live').dataset.version = 'older'")
    alice_page.locator("a.card-tile").first.click()
    expect(alice_page.locator("a.mine__place").first).to_be_visible()
    alice_page.evaluate("document.getElementById('notes').requestSubmit()")
    expect(alice_page.get_by_text("Saved in another window")).to_be_visible()
    expect(alice_page.locator("#note")).to_have_value("From the laptop")


def test_typed_messages_stay_where_they_were_typed(alice_page: Page) -> None:
    alice_page.locator("a.card-tile").first.click()
    alice_page.locator("#say").fill("To the table")
    alice_page.evaluate("document.getElementById('live').dataset.version = 'older'")
    alice_page.locator("a.mine__place").first.click()
    expect(alice_page.locator("#confirm")).to_be_visible()
    expect(alice_page.locator("#say")).to_have_value("To the table")
    expect(alice_page.locator(".say__text")).to_have_value("")
    alice_page.locator("summary", has_text="Say something").click()
    alice_page.locator(".say__text").fill("With my turn")
    alice_page.locator("a.mine__place").last.click()
    expect(alice_page.locator("a.mine__place").last).to_have_attribute("aria-current", "true")
    expect(alice_page.locator(".say__text")).to_have_value("With my turn")
    expect(alice_page.locator(".say__text")).to_be_visible()


def test_message_of_a_turn_that_is_not_confirmed_any_more_is_kept(alice_page: Page) -> None:
    tiles = alice_page.locator("a.card-tile")
    tiles.first.click()
    alice_page.locator("a.mine__place").first.click()
    alice_page.locator("summary", has_text="Say something").click()
    alice_page.locator(".say__text").fill("Look there")
    tiles.nth(1).click()
    expect(alice_page.locator(".say__text")).to_have_count(0)
    expect(alice_page.locator("#say")).to_have_value("Look there")


def test_choice_that_fails_late_does_not_undo_a_later_one(alice_page: Page) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    tiles = alice_page.locator("a.card-tile")
    first, second = (tiles.nth(number).get_attribute("href") or "" for number in (0, 1))
    card = parse_qs(urlsplit(first).query)["card"][0]
    alice_page.route(f"**/choice?card={card}", hold)
    with alice_page.expect_request("**/choice?**"):
        tiles.nth(0).click()
    tiles.nth(1).click()
    expect(tiles.nth(1)).to_have_attribute("aria-current", "true")
    with alice_page.expect_event("requestfailed"):
        held[0].abort()
    expect(tiles.nth(1)).to_have_attribute("aria-current", "true")
    assert alice_page.url.endswith(second)
    assert is_same_page(alice_page)


def test_everything_drawn_is_defined_after_a_choice(alice_page: Page) -> None:
    alice_page.locator("a.card-tile").first.click()
    alice_page.locator("a.mine__place").first.click()
    expect(alice_page.locator("#confirm")).to_be_visible()
    assert alice_page.evaluate(_UNDEFINED_DRAWINGS_SCRIPT) == []


def test_nothing_is_shown_while_nothing_is_new(bob_page: Page) -> None:
    before = bob_page.content()
    with bob_page.expect_response("**/version") as response:
        ask_now(bob_page)
    assert response.value.status == 304
    assert bob_page.content() == before


def test_lost_connection_alarms_no_one_and_is_made_up_for(game: DealtGame, bob_page: Page) -> None:
    bob_page.context.set_offline(True)
    before = bob_page.locator("main").inner_text()
    play_for_alice(game)
    with bob_page.expect_event("requestfailed"):
        ask_now(bob_page)
    assert bob_page.locator("main").inner_text() == before
    bob_page.context.set_offline(False)
    ask_now(bob_page)
    expect(bob_page.get_by_role("heading", name="It's your turn")).to_be_visible()


@pytest.mark.parametrize("status", [401, 404])
def test_script_asks_no_more_once_the_page_is_gone(bob_page: Page, status: int) -> None:
    bob_page.route("**/version", lambda route: route.fulfill(status=status))
    with bob_page.expect_response("**/version"):
        ask_now(bob_page)
    bob_page.unroute("**/version")
    requests: list[str] = []
    bob_page.on("request", lambda request: requests.append(request.url))
    ask_now(bob_page)
    bob_page.wait_for_timeout(500)
    assert requests == []


def test_script_waits_as_long_as_the_server_asks_for(bob_page: Page) -> None:
    bob_page.clock.install()
    bob_page.goto(bob_page.url)
    bob_page.route(
        "**/version", lambda route: route.fulfill(status=429, headers={"Retry-After": "300"})
    )
    with bob_page.expect_response("**/version"):
        bob_page.clock.run_for(6_000)
    requests: list[str] = []
    bob_page.on("request", lambda request: requests.append(request.url))
    bob_page.clock.run_for(200_000)
    assert requests == []
    with bob_page.expect_response("**/version"):
        bob_page.clock.run_for(200_000)
