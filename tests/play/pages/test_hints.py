"""Hints at the table: what each step is for, until their reader has finished a game or dismissed them."""

import pytest

from engine.cards import PATH_CARDS
from tests.browser.table_states import game_after_a_round
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.experience import finish_games
from tests.support.page_robot import discard_form
from tests.support.plans import change_state
from tests.support.stored_positions import set_hand
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.kernel import urls

_DIGGER_AIM = "Dig from the ladder to one of the three goals"
_SABOTEUR_AIM = "look harmless, and let the mine run dry"


@pytest.fixture
def game(site: Site) -> DealtGame:
    game = site.dealt_game(ALICE, BOB, CAROL)
    card = next(iter(PATH_CARDS))
    hand = (card,) * 6
    roles = ("saboteur", "digger", "digger")
    change_state(site.database, game.slug, game.guests[0], roles=roles, hands=(hand, hand, hand))
    return game


def text_of_table(visitor: Visitor, slug: str, **query: str) -> str:
    return visitor.page(urls.game(slug, **query)).text


def test_each_step_of_the_first_turn_has_a_hint(game: DealtGame) -> None:
    alice = game.visitors[0]
    page = alice.page(urls.game(game.slug))
    assert "Tap a card to begin." in page.text
    [card_link, *_] = page.links_of("card-tile")
    page = alice.page(card_link.href)
    assert "marked places in the mine" in page.text
    place_link = page.links_of("mine__place")[0]
    assert "Not played yet." in alice.page(place_link.href).text


def test_effect_of_a_card_is_said_until_hints_are_dismissed(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    set_hand(site, game, 0, "break-cart", "map", "dead-trbl", "rockfall")
    for card, effect in (
        ("break-cart", "A player with a broken tool can't lay path cards."),
        ("map", "Only you see what's under the goal."),
        ("dead-trbl", "No path goes through a dead end."),
    ):
        assert effect in text_of_table(alice, game.slug, card=card)
        assert effect not in text_of_table(alice, game.slug, card=card, discard="1")
    alice.send(alice.page(urls.game(game.slug)).form(urls.dismiss_hints()))
    assert "Only you see what's under" not in text_of_table(alice, game.slug, card="map")


def test_aim_is_that_of_the_own_role(game: DealtGame) -> None:
    saboteur, digger, _ = game.visitors
    for visitor, own_aim, other_aim in (
        (saboteur, _SABOTEUR_AIM, _DIGGER_AIM),
        (digger, _DIGGER_AIM, _SABOTEUR_AIM),
    ):
        text = text_of_table(visitor, game.slug)
        assert own_aim in text
        assert other_aim not in text


def test_later_turns_say_which_cards_can_be_played(game: DealtGame) -> None:
    for visitor in game.visitors:
        visitor.send(discard_form(visitor, game.slug))
    text = text_of_table(game.visitors[0], game.slug)
    assert "Tap a card. A dashed frame" in text
    assert _SABOTEUR_AIM not in text


def test_no_aim_gives_away_the_new_role_card_that_lies_face_down(site: Site) -> None:
    game = game_after_a_round(site)
    for visitor in game.visitors:
        text = text_of_table(visitor, game.slug)
        assert _DIGGER_AIM not in text
        assert _SABOTEUR_AIM not in text


def test_hints_are_dismissed_for_good_at_every_table(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    form = alice.page(urls.game(game.slug)).form(urls.dismiss_hints())
    assert alice.send(form).location == urls.game(game.slug)
    alice = site.signed_in(ALICE)
    other_slug = site.dealt_game(ALICE, BOB, CAROL, seed="another").slug
    for slug in (game.slug, other_slug):
        page = alice.page(urls.game(slug))
        assert not page.has_form(urls.dismiss_hints())
        assert _SABOTEUR_AIM not in page.text
        assert "Tap a card" not in page.text


def test_player_who_has_finished_a_game_gets_no_hints(site: Site, game: DealtGame) -> None:
    finish_games(site.database, game.guests[0].person, count=1)
    assert not game.visitors[0].page(urls.game(game.slug)).has_form(urls.dismiss_hints())
    assert game.visitors[1].page(urls.game(game.slug)).has_form(urls.dismiss_hints())


def test_signed_out_visitor_can_dismiss_nothing(site: Site) -> None:
    assert site.signed_out().post(urls.dismiss_hints()).location == urls.sign_in()
