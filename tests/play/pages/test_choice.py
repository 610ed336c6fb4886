"""What the script of the table page asks for at a choice: the board that the page has there, and nothing else."""

import re
from typing import Final
from urllib.parse import urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.browser.table_states import STATES, finished_game
from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.page_robot import discard_form
from tests.support.visitors import DealtGame, Site, Visitor, open_table
from webapp.kernel import urls

_NEW_IN_EVERY_ANSWER: Final = re.compile(r'(name="(?:csrf_token|form_id)" value=")[^"]*')


@pytest.fixture
def game(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL)


def board_in(html: str) -> str:
    board = LexborHTMLParser(html).css_first("#choose")
    assert board is not None
    assert board.html is not None
    return _NEW_IN_EVERY_ANSWER.sub(r"\1", board.html)


def version_in(html: str) -> str | None:
    return LexborHTMLParser(html).css_first("[data-version]").attributes["data-version"]


def choice_at(visitor: Visitor, path: str) -> str:
    """Return the answer for the choice that the page with this path shows."""
    address = urlsplit(path)
    response = visitor.get(f"{urls.choice(address.path.rpartition('/')[2])}?{address.query}")
    assert response.status_code == 200
    return response.text


@pytest.mark.parametrize(
    "state", ["own turn", "card chosen", "preview", "waiting", "wide mine", "round over"]
)
def test_board_is_that_of_the_page(site: Site, state: str) -> None:
    visitor, path, _ = STATES[state](site)
    page, choice = visitor.get(path).text, choice_at(visitor, path)
    assert board_in(choice) == board_in(page)
    assert version_in(choice) == version_in(page)


def test_drawings_of_the_board_are_defined_in_it(site: Site) -> None:
    visitor, path, _ = STATES["preview"](site)
    choice = LexborHTMLParser(choice_at(visitor, path))
    used = {node.attributes["href"] for node in choice.css("use")}
    assert used
    assert used <= {f"#{node.attributes['id']}" for node in choice.css("[id]")}


def test_version_is_another_one_after_a_turn(game: DealtGame) -> None:
    alice, bob, _ = game.visitors
    path = urls.game(game.slug)
    before = version_in(choice_at(bob, path))
    alice.send(discard_form(alice, game.slug))
    assert version_in(choice_at(bob, path)) != before


def test_message_that_waits_for_its_page_is_not_lost_at_a_choice(game: DealtGame) -> None:
    alice, path = game.visitors[0], urls.game(game.slug)
    alice.send(discard_form(alice, game.slug))
    choice_at(alice, path)
    assert "Played." in alice.get(path).text


def test_game_without_a_board_leads_to_its_page(site: Site) -> None:
    over = finished_game(site)
    visitor = over.visitors[0]
    lobby = open_table(visitor)
    for slug in (over.slug, lobby):
        response = visitor.get(urls.choice(slug))
        assert response.status_code == 302
        assert response.location == urls.game(slug)


def test_stranger_gets_no_choice_of_a_private_game(site: Site, game: DealtGame) -> None:
    assert site.signed_in(MALLORY).get(urls.choice(game.slug)).status_code == 404


def test_person_who_opens_a_choice_is_led_to_its_page(site: Site, game: DealtGame) -> None:
    for visitor in (game.visitors[0], site.signed_out()):
        path = urls.choice(game.slug, card="map", cell="I5")
        response = visitor.get(path, headers={"Sec-Fetch-Mode": "navigate"})
        assert response.location == urls.game(game.slug, card="map", cell="I5")
