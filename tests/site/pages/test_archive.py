"""The viewer's finished games, filtered and page by page."""

import pytest

from engine.rulebook import HouseRules
from tests.support.cast import ALICE, BOB, CAROL, DAVE, ERIN
from tests.support.experience import finish_games
from tests.support.factories import play_to_end, sign_in_guest, stored_game
from tests.support.html import Page
from tests.support.visitors import DealtGame, Site
from webapp.kernel import urls
from webapp.site.home import GAMES_PER_PAGE

ONE_ROUND = HouseRules(rounds=1)


@pytest.fixture
def game(site: Site) -> DealtGame:
    game = site.dealt_game(ALICE, BOB, CAROL, house=ONE_ROUND)
    play_to_end(site.database, game.slug, game.guests)
    return game


def slugs_on(page: Page) -> list[str]:
    links = {link.href for link in page.links if link.href.startswith("/games/")}
    return sorted(links - {urls.new_game(), urls.open_seats()})


def test_signed_out_visitor_is_sent_to_sign_in(site: Site) -> None:
    assert site.signed_out().get(urls.archive()).location == urls.sign_in()


def test_empty_archive_says_so(site: Site) -> None:
    assert "You haven't finished a game yet." in site.signed_in(ALICE).page(urls.archive()).text


def test_archive_lists_who_played_and_who_won(game: DealtGame) -> None:
    page = game.visitors[0].page(urls.archive())
    assert slugs_on(page) == [urls.game(game.slug)]
    assert "With Bob and Carol" in page.text
    assert "game 1 won" in page.text


def test_archive_adds_up_what_the_games_were(site: Site, game: DealtGame) -> None:
    roles = stored_game(site.database, game.slug, game.guests[0]).state.results[0].roles
    text = game.visitors[0].page(urls.archive()).text
    is_digger = roles[0] == "digger"
    assert ("round as gold-digger 1" if is_digger else "rounds as gold-digger 0") in text
    assert ("rounds as saboteur 0" if is_digger else "round as saboteur 1") in text


def test_archive_shows_no_games_of_others(site: Site, game: DealtGame) -> None:
    dave = site.signed_in(DAVE)
    for path in (urls.archive(), urls.archive(opponent="Bob"), urls.archive(before=game.slug)):
        assert game.slug not in dave.get(path).text.replace(f"before={game.slug}", "")


def test_game_of_others_as_the_place_of_a_page_shows_nothing(site: Site, game: DealtGame) -> None:
    other = site.dealt_game(DAVE, ERIN, house=ONE_ROUND, seed="other")
    play_to_end(site.database, other.slug, other.guests)
    assert slugs_on(game.visitors[0].page(urls.archive(before=other.slug))) == []


@pytest.mark.parametrize(
    "query, count",
    [
        ({"opponent": "bOB"}, 1),
        ({"opponent": "Alice"}, 0),
        ({"opponent": "Bo%"}, 0),
        ({"rulebook": "en-2004"}, 1),
        ({"rulebook": "sv-web"}, 0),
        ({"year": "2026"}, 1),
        ({"year": "2025"}, 0),
        ({"club": "none"}, 0),
        ({"year": "soon", "rulebook": "mine", "result": "draw"}, 1),
    ],
)
def test_filter_leaves_matching_games(game: DealtGame, query: dict[str, str], count: int) -> None:
    page = game.visitors[0].page(urls.archive(**query))
    assert len(slugs_on(page)) == count


def test_won_and_lost_games_are_all_games(game: DealtGame) -> None:
    for visitor in game.visitors:
        pages = [visitor.page(urls.archive(result=result)) for result in ("won", "lost")]
        assert sorted(len(slugs_on(page)) for page in pages) == [0, 1]


def test_pages_show_every_game_once(site: Site) -> None:
    alice = sign_in_guest(site.database, ALICE)
    finish_games(site.database, alice.person, count=GAMES_PER_PAGE + 3)
    visitor = site.signed_out().with_session(alice.cookie)
    first_page = visitor.page(urls.archive())
    [path] = [link.href for link in first_page.links if "before=" in link.href]
    first, second = slugs_on(first_page), slugs_on(visitor.page(path))
    assert (len(first), len(second)) == (GAMES_PER_PAGE, 3)
    assert not set(first) & set(second)
