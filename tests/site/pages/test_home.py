import re
from datetime import timedelta

from engine.rulebook import HouseRules
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import (
    deal_game,
    play_to_end,
    play_turn,
    sign_in_guests,
    table_settings,
)
from tests.support.held_turns import enable_held_turns, hold_turn
from tests.support.late_games import let_time_run_out, set_late_rules
from tests.support.visitors import Site, open_table
from webapp.kernel import urls


def test_signed_out_home_page_explains_the_site(site: Site) -> None:
    page = site.signed_out().page(urls.home())
    assert "Saboteur, at your own pace" in page.text
    assert any(link.href.startswith(urls.sign_in()) for link in page.links)


def test_new_player_is_offered_a_bot_game(site: Site) -> None:
    page = site.signed_in(ALICE).page(urls.home())
    assert "Welcome, Alice" in page.text
    assert page.has_form(urls.bot_game())


def test_experienced_player_is_not_welcomed_as_new(site: Site) -> None:
    guests = sign_in_guests(site.database, ALICE, BOB, CAROL)
    slug = deal_game(site.database, guests, table_settings(house=HouseRules(rounds=1)))
    play_to_end(site.database, slug, guests)
    page = site.signed_out().with_session(guests[0].cookie).page(urls.home())
    assert "You have no games in progress" in page.text
    assert "Welcome" not in page.text
    assert re.search(r"\b(You|Bob|Carol)\b[^.]* won\.", page.text)
    assert page.has_form(urls.bot_game())


def test_home_lists_public_tables_for_all_and_private_ones_for_the_host(site: Site) -> None:
    alice = site.signed_in(ALICE)
    public_slug = open_table(alice, audience="public", rulebook="et-2007")
    private_slug = open_table(alice)
    for visitor in (site.signed_out(), site.signed_in(BOB)):
        text = visitor.get(urls.home()).text
        assert urls.game(public_slug) in text
        assert urls.game(private_slug) not in text
        assert "Estonian rules" in text
    home_text = alice.get(urls.home()).text
    assert urls.game(public_slug) in home_text
    assert urls.game(private_slug) in home_text


def test_most_urgent_game_is_listed_first(site: Site) -> None:
    guests = sign_in_guests(site.database, ALICE, BOB, CAROL)
    game_waiting_for_bob = deal_game(site.database, guests, table_settings())
    play_turn(site.database, game_waiting_for_bob, guests[0])
    long_game = deal_game(site.database, guests, table_settings(allowance=timedelta(days=9)))
    short_game = deal_game(site.database, guests, table_settings(allowance=timedelta(hours=9)))
    alice = site.signed_out().with_session(guests[0].cookie)
    page = alice.page(urls.home())
    games = [link.href for link in page.links if link.href.startswith("/games/")]
    assert games[:3] == [urls.game(slug) for slug in (short_game, long_game, game_waiting_for_bob)]
    assert "waiting for Bob" in page.text
    answer = alice.get(urls.next_game())
    assert (answer.status_code, answer.location) == (302, urls.game(short_game))


def test_bot_on_turn_is_listed_by_its_name(site: Site) -> None:
    game = site.dealt_game(ALICE, starter=1)
    page_text = game.visitors[0].page(urls.home()).text
    assert "Round 1: waiting for Agate." in page_text


def test_next_redirects_home_when_no_game_waits(site: Site) -> None:
    for visitor in (site.signed_out(), site.signed_in(ALICE)):
        assert visitor.get(urls.next_game()).location == urls.home()


def test_ready_check_counts_as_a_waiting_game(site: Site) -> None:
    alice, bob, carol = (site.signed_in(character) for character in (ALICE, BOB, CAROL))
    slug = open_table(alice, seats="3", audience="public")
    bob.post(urls.lobby_action(slug, "sit"))
    carol.post(urls.lobby_action(slug, "sit"))
    assert "are you ready?" in alice.page(urls.home()).text
    assert alice.get(urls.next_game()).location == urls.game(slug)


def test_player_who_lost_their_seat_finds_the_way_back(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    set_late_rules(site.database, game.slug)
    let_time_run_out(site.database, game.slug, now=site.clock.now)
    alice, path = game.visitors[0], urls.open_seat(game.slug)
    page = alice.page(urls.home())
    assert "your seat is open" in page.text
    assert {link.href for link in page.links if "Take your seat back" in link.text} == {path}
    assert urls.game(game.slug) not in {link.href for link in page.links}
    alice.send(next(form for form in alice.page(path).forms if form.action == path))
    assert "Take your seat back" not in alice.page(urls.home()).text


def test_turn_that_is_held_is_not_called_the_players_turn(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    alice = game.visitors[0]
    assert "your turn" in alice.page(urls.home()).text
    hold_turn(
        site.database,
        game.slug,
        enable_held_turns(site.database, game.guests[0]),
        now=site.clock.now,
    )
    page_text = alice.page(urls.home()).text
    assert "turn held" in page_text
    assert "Your turn will be played: in 10 minutes" in page_text
    assert "your turn" not in page_text
    assert "held" not in game.visitors[1].page(urls.home()).text
