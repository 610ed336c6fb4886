"""POST /games/<slug>/turns: what is taken, and what is refused with the present position."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.factories import play_bots, stored_game
from tests.support.html import Page
from tests.support.page_robot import discard_form, seeded_random_below, take_turn
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.kernel import urls


@pytest.fixture
def game(site: Site) -> DealtGame:
    """Alice, Bob and Carol in seats 0, 1 and 2; Alice is on turn."""
    return site.dealt_game(ALICE, BOB, CAROL)


def seq_of(site: Site, game: DealtGame) -> int:
    return stored_game(site.database, game.slug, game.guests[0]).seq


def hand_of(site: Site, game: DealtGame, seat: int = 0) -> tuple[str, ...]:
    return stored_game(site.database, game.slug, game.guests[seat]).state.hands[seat]


def send(visitor: Visitor, slug: str, **fields: Any) -> tuple[int, Page]:
    answer = visitor.post(urls.turns(slug), **fields)
    return answer.status_code, Page(answer.text)


def test_turn_is_taken_and_the_table_shows_who_is_next(site: Site, game: DealtGame) -> None:
    alice, bob, _ = game.visitors
    answer = alice.send(discard_form(alice, game.slug))
    assert (answer.status_code, answer.location) == (303, urls.game(game.slug))
    assert "Waiting for Bob" in alice.page(urls.game(game.slug)).text
    page = bob.page(urls.game(game.slug))
    assert "It's your turn" in page.text
    assert "Alice discarded a card face down." in page.text


def test_get_request_never_takes_a_turn(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    fields = discard_form(alice, game.slug).fields
    assert alice.get(urls.turns(game.slug), query_string=fields).status_code == 405
    assert alice.get(urls.game(game.slug, **fields)).status_code == 200
    assert seq_of(site, game) == 0


def test_form_sent_twice_takes_one_turn(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    form = discard_form(alice, game.slug)
    assert alice.send(form).status_code == 303
    answer = alice.send(form)
    page = Page(answer.text)
    assert answer.status_code == 409
    assert "Nothing was played twice" in page.text
    assert "Waiting for Bob" in page.text
    assert not page.has_form_named("confirm")
    assert seq_of(site, game) == 1


def test_simultaneous_forms_take_one_turn(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    form = discard_form(alice, game.slug)
    with alice.client.session_transaction() as session:
        session_values = dict(session)

    def submit_form(_: int) -> int:
        visitor = site.signed_out()
        with visitor.client.session_transaction() as session:
            session.update(session_values)
        return visitor.send(form).status_code

    with ThreadPoolExecutor(4) as thread_pool:
        answers = sorted(thread_pool.map(submit_form, range(4)))
    assert answers == [303, 409, 409, 409]
    assert seq_of(site, game) == 1


def test_outdated_tab_is_refused_with_a_message(site: Site, game: DealtGame) -> None:
    alice, bob, carol = game.visitors
    old_form = discard_form(alice, game.slug)
    for visitor in (alice, bob, carol):
        visitor.send(discard_form(visitor, game.slug))
    answer = alice.send(old_form)
    assert answer.status_code == 409
    assert "out of date" in answer.text
    assert seq_of(site, game) == 3


def test_turn_out_of_order_is_refused_with_a_link_to_the_rule(site: Site, game: DealtGame) -> None:
    bob = game.visitors[1]
    card = hand_of(site, game, 1)[0]
    status, page = send(bob, game.slug, do="discard", card=card, seq="0")
    assert status == 409
    assert "Waiting for Alice" in page.text
    assert any(link.href == urls.rulebook("en-2004") + "#R7" for link in page.links)
    assert seq_of(site, game) == 0


def test_turn_in_a_private_game_of_others_is_not_found(site: Site, game: DealtGame) -> None:
    for visitor, expected in ((site.signed_out(), 303), (site.signed_in(MALLORY), 404)):
        status, page = send(visitor, game.slug, do="discard", card="map", seq="0")
        assert status == expected
        assert "Alice" not in page.text
    status, _ = send(game.visitors[0], "abcdefgh2345", do="discard", card="map", seq="0")
    assert status == 404


def test_onlooker_of_a_public_game_cannot_take_a_turn(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, public=True)
    mallory = site.signed_in(MALLORY)
    assert "Waiting for Alice" in mallory.page(urls.game(game.slug)).text
    status, page = send(mallory, game.slug, do="discard", card="map", seq="0")
    assert status == 409
    assert "You don't have a seat at this table" in page.text
    answer = site.signed_out().post(urls.turns(game.slug), do="discard", card="map", seq="0")
    assert (answer.status_code, answer.location) == (303, urls.sign_in())


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_illegal_placement_links_to_a_rule_of_the_rulebook_in_force(
    site: Site, rulebook: str
) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, rulebook=rulebook)
    card = next(card for card in hand_of(site, game) if card.startswith("path-"))
    status, page = send(
        game.visitors[0], game.slug, do="lay", card=card, cell="Z9", turned="0", seq="0"
    )
    assert status == 409
    [link] = [link for link in page.links if link.href.startswith(urls.rulebook(rulebook) + "#")]
    rulebook_page = game.visitors[0].page(urls.rulebook(rulebook))
    assert link.href.partition("#")[2] in rulebook_page.element_ids
    assert "It's your turn" in page.text
    assert seq_of(site, game) == 0


def test_card_that_is_not_in_the_hand_is_refused(site: Site, game: DealtGame) -> None:
    hand = hand_of(site, game)
    card_not_in_hand = next(
        card for card in ("rockfall", "map", "dead-l", "break-cart") if card not in hand
    )
    status, page = send(game.visitors[0], game.slug, do="discard", card=card_not_in_hand, seq="0")
    assert status == 409
    assert "isn't in your hand" in page.text


MALFORMED_FORMS = [
    {},
    {"do": "discard"},
    {"do": "discard", "card": "ace-of-spades"},
    {"do": "win", "card": "map"},
    {"do": "lay", "card": "path-trb", "cell": "nowhere", "turned": "0"},
    {"do": "lay", "card": "path-trb", "cell": "B5", "turned": "sideways"},
    {"do": "lay", "card": "path-trb", "cell": "B5"},
    {"do": "break", "card": "break-cart", "seat": "x"},
    {"do": "break", "card": "break-cart", "seat": "-1"},
    {"do": "repair", "card": "repair-cart", "seat": "1", "tool": "spoon"},
    {"do": "rockfall", "cell": "B5; DROP TABLE game"},
    {"do": "look", "cell": "\x00"},
    {"do": "choosegoal", "cell": "I3" * 99},
    {"do": "turngoal", "turned": "2"},
    {"do": "takegold", "nuggets": "three"},
    {"do": "discard", "card": "map", "seq": "zero"},
    {"do": "discard", "card": "map", "seq": ""},
    {"do": "discard", "card": "map", "seq": "9" * 40},
    {"do": "discard", "card": "map\ud7ff\x1b", "seq": "0"},
]


@pytest.mark.parametrize("fields", MALFORMED_FORMS)
def test_malformed_turn_is_refused_with_the_current_position(
    site: Site, game: DealtGame, fields: dict[str, str]
) -> None:
    status, page = send(game.visitors[0], game.slug, **({"seq": "0"} | fields))
    assert status == 422
    assert "It's your turn" in page.text
    assert len(page.links_of("card-tile")) == 6
    assert seq_of(site, game) == 0


IMPOSSIBLE_FORMS = [
    {"do": "break", "card": "break-cart", "seat": "99"},
    {"do": "pass"},
    {"do": "choosegoal", "cell": "I3"},
    {"do": "turngoal", "turned": "1"},
    {"do": "break", "card": "break-cart", "seat": " 99"},
    {"do": "takegold", "nuggets": "3"},
    {"do": "takegold", "nuggets": "03"},
    {"do": "look", "cell": "A5"},
    {"do": "rockfall", "cell": "I5"},
    {"do": "repair", "card": "repair-cart", "seat": "0", "tool": "cart"},
]


@pytest.mark.parametrize("fields", IMPOSSIBLE_FORMS)
def test_illegal_turn_is_refused_with_a_link_to_the_rule(
    site: Site, game: DealtGame, fields: dict[str, str]
) -> None:
    status, page = send(game.visitors[0], game.slug, seq="0", **fields)
    assert status == 409
    assert any("#" in link.href and "/rules/" in link.href for link in page.links)
    assert seq_of(site, game) == 0


def test_refused_turn_keeps_the_picked_card(site: Site, game: DealtGame) -> None:
    hand = hand_of(site, game)
    card = next(card for card in hand if card.startswith("path-"))
    _, page = send(game.visitors[0], game.slug, do="lay", card=card, cell="Z9", turned="1", seq="0")
    [tile] = [link for link in page.links_of("card-tile") if link.is_current]
    assert f"card={card}" in tile.href
    assert page.links_of("mine__place")


def test_finished_game_takes_no_more_turns(site: Site) -> None:
    random_below = seeded_random_below("over")
    game = site.dealt_game(ALICE, rulebook="uk-2017", house=HouseRules(rounds=1))
    alice = game.visitors[0]
    play_bots(site.database, now=site.clock.now)
    while "The game is over" not in alice.page(urls.game(game.slug)).text:
        take_turn(alice, game.slug, random_below)
        play_bots(site.database, now=site.clock.now)
    seq = seq_of(site, game)
    status, page = send(alice, game.slug, do="discard", card="map", seq=str(seq))
    assert status == 409
    assert "This game is over" in page.text
    assert seq_of(site, game) == seq


def test_deadline_is_shown_in_the_viewers_zone_and_explained(site: Site, game: DealtGame) -> None:
    site.clock.move(timedelta(hours=23))
    page = game.visitors[0].page(urls.game(game.slug))
    assert "Play by Tue 3 Mar, 14:00 EET (60 minutes left)" in page.text
    assert "Time per turn at this table: 1 day" in page.text
    page = game.visitors[2].page(urls.game(game.slug))
    assert "Tue 3 Mar, 07:00 EST" in page.text
