"""The table page when a round or the whole game is over."""

from engine.rulebook import HouseRules
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import play_bots, play_turn, stored_game
from tests.support.page_robot import seeded_random_below, take_turn
from tests.support.visitors import DealtGame, Site
from webapp.kernel import urls


def test_table_shows_how_the_last_round_ended(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    play_until_round(site, game, 2)
    page = game.visitors[0].page(urls.game(game.slug))
    assert "Round 2 of 3" in page.text
    assert "Round 1: the" in page.text
    assert "Unused role card" in page.text


def test_finished_game_shows_results_and_links_to_the_record(site: Site) -> None:
    game = site.dealt_game(ALICE, house=HouseRules(rounds=1))
    play_to_end(site, game)
    page = game.visitors[0].page(urls.game(game.slug))
    assert "winner" in page.text
    assert {urls.history(game.slug, until=0), urls.fairness(game.slug), urls.export(game.slug)} <= {
        link.href for link in page.links
    }
    assert not page.has_form(urls.turns(game.slug))
    assert "Your hand" not in page.text


def play_until_round(site: Site, game: DealtGame, number: int) -> None:
    while True:
        stored_position = stored_game(site.database, game.slug, game.guests[0])
        if stored_position.row.round == number or stored_position.row.awaiting is None:
            return
        play_turn(site.database, game.slug, game.guests[stored_position.row.awaiting])


def play_to_end(site: Site, game: DealtGame) -> None:
    random_below = seeded_random_below("end")
    play_bots(site.database)
    while stored_game(site.database, game.slug, game.guests[0]).row.awaiting is not None:
        take_turn(game.visitors[0], game.slug, random_below)
        play_bots(site.database)


def test_bots_have_their_name_and_a_mark_where_players_are_shown(site: Site) -> None:
    game = site.dealt_game(ALICE, house=HouseRules(rounds=1))
    play_to_end(site, game)
    alice = game.visitors[0]
    for path in (urls.game(game.slug), urls.round_result(game.slug, 1)):
        html = alice.get(path).text
        assert "(bot" not in html
        assert html.count("<title>bot</title>") % 2 == 0
        assert "<title>bot</title>" in html.partition("Agate")[2].partition("Basalt")[0]
