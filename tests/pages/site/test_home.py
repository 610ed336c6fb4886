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
from tests.support.visitors import Site, open_table
from webapp import urls


def test_a_stranger_is_told_what_this_is_and_where_to_begin(site: Site) -> None:
    page = site.signed_out().page(urls.home())
    assert "Saboteur, played slowly" in page.words
    assert any(link.href.startswith(urls.sign_in()) for link in page.links)


def test_whoever_is_new_is_offered_a_game_at_once(site: Site) -> None:
    page = site.signed_in(ALICE).page(urls.home())
    assert "Welcome, Alice" in page.words
    assert page.has_form(urls.bot_game())


def test_whoever_has_played_is_not_welcomed_as_new(site: Site) -> None:
    guests = sign_in_guests(site.database, ALICE, BOB, CAROL)
    slug = deal_game(site.database, guests, table_settings(house=HouseRules(rounds=1)))
    play_to_end(site.database, slug, guests)
    page = site.signed_out().with_session(guests[0].cookie).page(urls.home())
    assert "No game of yours is under way" in page.words
    assert "Welcome" not in page.words
    assert page.has_form(urls.bot_game())


def test_a_public_table_is_listed_for_everybody_and_one_by_invitation_is_not(site: Site) -> None:
    alice = site.signed_in(ALICE)
    public = open_table(alice, audience="public", rulebook="et-2007")
    private = open_table(alice)
    for visitor in (site.signed_out(), site.signed_in(BOB)):
        text = visitor.get(urls.home()).text
        assert urls.game(public) in text
        assert urls.game(private) not in text
        assert "Estonian rules" in text
    own = alice.get(urls.home()).text
    assert urls.game(public) in own
    assert urls.game(private) in own


def test_the_game_that_waits_for_me_with_the_least_time_left_comes_first(site: Site) -> None:
    guests = sign_in_guests(site.database, ALICE, BOB, CAROL)
    waits_for_bob = deal_game(site.database, guests, table_settings())
    play_turn(site.database, waits_for_bob, guests[0])
    long = deal_game(site.database, guests, table_settings(allowance=timedelta(days=9)))
    short = deal_game(site.database, guests, table_settings(allowance=timedelta(hours=9)))
    alice = site.signed_out().with_session(guests[0].cookie)
    page = alice.page(urls.home())
    games = [link.href for link in page.links if link.href.startswith("/games/")]
    assert games[:3] == [urls.game(slug) for slug in (short, long, waits_for_bob)]
    assert "waiting for Bob" in page.words
    answer = alice.get(urls.next_game())
    assert (answer.status_code, answer.location) == (302, urls.game(short))


def test_next_leads_home_when_nothing_waits(site: Site) -> None:
    for visitor in (site.signed_out(), site.signed_in(ALICE)):
        assert visitor.get(urls.next_game()).location == urls.home()


def test_a_table_that_asks_whether_i_am_ready_waits_for_me(site: Site) -> None:
    alice, bob, carol = (site.signed_in(who) for who in (ALICE, BOB, CAROL))
    slug = open_table(alice, seats="3", audience="public")
    bob.post(urls.lobby_action(slug, "sit"))
    carol.post(urls.lobby_action(slug, "sit"))
    assert "say that you are ready" in alice.page(urls.home()).words
    assert alice.get(urls.next_game()).location == urls.game(slug)
