"""The first lines of the table page, and how few steps lead from there to a turn."""

import pytest

from tests.support.acts import perform_act
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.stored_positions import change_position, set_hand
from tests.support.visitors import DealtGame, Site
from webapp.kernel import urls
from webapp.kernel.rights import GameRight


@pytest.fixture
def game(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL)


def test_whose_turn_it_is_and_the_mine_come_before_everything_else(
    site: Site, game: DealtGame
) -> None:
    set_hand(site, game, 0, "path-rbl")
    answer = game.visitors[0].get(urls.game(game.slug, card="path-rbl", cell="B5"))
    text = answer.text
    parts = [
        "s your turn</h1>",
        "24 hours left",
        'id="mine"',
        'id="confirm"',
        'aria-label="Your hand"',
    ]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert places[-1] < min(text.index(part) for part in ("Since your last turn", ">Players<"))


def test_headline_says_who_broke_which_tool_and_tiles_what_that_means(
    site: Site, game: DealtGame
) -> None:
    alice, bob, carol = game.visitors
    set_hand(site, game, 0, "map")
    alice.send(alice.page(urls.game(game.slug, card="map", discard=1)).form_named("confirm"))
    set_hand(site, game, 1, "break-lantern")
    bob.send(bob.page(urls.game(game.slug, card="break-lantern", seat=0)).form_named("confirm"))
    set_hand(site, game, 2, "map")
    carol.send(carol.page(urls.game(game.slug, card="map", discard=1)).form_named("confirm"))
    set_hand(site, game, 0, "path-rl", "repair-lantern-cart", "repair-pickaxe")
    text = alice.page(urls.game(game.slug)).text
    assert "Bob broke your lantern. You can't lay path cards until it's repaired." in text
    assert "2 new turns. Carol discarded" in text
    assert "can't be played (lantern broken)" in text
    assert "repairs your lantern" in text
    assert "can't be played (nothing to repair)" in text
    assert "You can't lay path cards" not in bob.page(urls.game(game.slug)).text


def test_rockfall_without_a_tunnel_says_why_it_cannot_be_played(
    site: Site, game: DealtGame
) -> None:
    set_hand(site, game, 0, "rockfall")
    assert (
        "can't be played (no tunnel to remove)" in game.visitors[0].page(urls.game(game.slug)).text
    )


def test_cancelled_game_says_nothing_of_what_can_be_played(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    change_position(site, game, broken=(("cart",), (), ()))
    assert "You can't lay path cards" in alice.page(urls.game(game.slug)).text
    perform_act(site.database, game.slug, GameRight.CANCEL_GAME)
    text = alice.page(urls.game(game.slug)).text
    assert "This game was cancelled" in text
    assert "You can't lay path cards" not in text


def test_card_with_one_place_is_laid_there_at_once(site: Site, game: DealtGame) -> None:
    set_hand(site, game, 0, "path-trbl", "map")
    walls = {"-A5": "dead-r", "A4": "dead-b", "A6": "dead-t", "B5": "path-rl"}
    change_position(site, game, laid=walls)
    page = game.visitors[0].page(urls.game(game.slug, card="path-trbl"))
    assert page.form_named("confirm").fields["cell"] == "C5"
    assert page.links_of("discard")
    # A place that the rules refuse meanwhile is not replaced by another one.
    outdated_url = urls.game(game.slug, card="path-trbl", cell="A4")
    assert not game.visitors[0].page(outdated_url).has_form_named("confirm")


def test_card_with_one_target_is_played_on_it_at_once(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    set_hand(site, game, 0, "repair-cart")
    change_position(site, game, broken=((), ("cart",), ()))
    page = alice.page(urls.game(game.slug, card="repair-cart"))
    assert page.form_named("confirm").fields["seat"] == "1"
    [discard] = page.links_of("discard")
    assert alice.page(discard.href).form_named("confirm").fields["do"] == "discard"
