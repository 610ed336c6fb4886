"""What a screen reader says while a turn is played and when a round or the game is over: the tree of the page as text, frozen in golden files."""

from pathlib import Path
from typing import Final

from playwright.sync_api import Browser

from tests.browser.accessibility_tree import spoken_lines
from tests.browser.table_states import finished_game, game_after_a_round, game_on_turn, opened_page
from tests.support.golden import equals_golden_file
from tests.support.visitors import Site
from webapp.kernel import urls

FOLDER: Final = Path(__file__).parent


def test_transcript_of_a_turn_equals_its_golden_file(
    site: Site, browser: Browser, address: str
) -> None:
    game = game_on_turn(site)
    with opened_page(browser, address, game.visitors[0]) as page:
        page.goto(urls.game(game.slug))
        steps = [("Arriving on your own turn", spoken_lines(page))]
        page.locator("a.card-tile").first.click()
        page.wait_for_url("**card=**")
        steps.append(("A card chosen", spoken_lines(page)))
        page.goto(urls.game(game.slug, card="path-rbl", cell="A4"))
        steps.append(("A place chosen: the preview", spoken_lines(page)))
        page.get_by_role("button", name="Confirm").click()
        page.wait_for_url(f"**{urls.game(game.slug)}")
        steps.append(("Played", spoken_lines(page)))
    assert equals_golden_file(FOLDER / "turn_transcript.txt", _text_of(steps))


def test_transcript_of_the_end_of_a_round_equals_its_golden_file(
    site: Site, browser: Browser, address: str
) -> None:
    game = game_after_a_round(site)
    with opened_page(browser, address, game.visitors[0]) as page:
        page.goto(urls.game(game.slug))
        steps = [("A round is over", spoken_lines(page))]
        page.get_by_text("Your role in round 2").click()
        new_lines = [line for line in spoken_lines(page) if line not in steps[0][1]]
        steps.append(("The new role card turned over: what is new", new_lines))
    assert equals_golden_file(FOLDER / "round_over_transcript.txt", _text_of(steps))


def test_transcript_of_the_end_of_a_game_equals_its_golden_file(
    site: Site, browser: Browser, address: str
) -> None:
    game = finished_game(site)
    with opened_page(browser, address, game.visitors[0]) as page:
        page.goto(urls.game(game.slug))
        steps = [("The game is over", spoken_lines(page))]
    assert equals_golden_file(FOLDER / "game_over_transcript.txt", _text_of(steps))


def _text_of(steps: list[tuple[str, list[str]]]) -> str:
    return "".join(f"== {name} ==\n{chr(10).join(lines)}\n\n" for name, lines in steps)
