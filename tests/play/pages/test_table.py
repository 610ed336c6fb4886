"""The table page: what it shows, to whom, and what it offers to choose."""

import re

import pytest

from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.factories import play_bots, stored_game
from tests.support.html import Page
from tests.support.page_robot import seeded_random_below, take_turn
from tests.support.stored_positions import TUNNEL, change_position, set_hand
from tests.support.visitors import DealtGame, Site
from webapp.kernel import urls


@pytest.fixture
def game(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL)


def hand_of(site: Site, game: DealtGame, seat: int = 0) -> tuple[str, ...]:
    return stored_game(site.database, game.slug, game.guests[seat]).state.hands[seat]


def first_card(site: Site, game: DealtGame, kind: str) -> str:
    return next(card for card in hand_of(site, game) if card.startswith(kind))


def test_table_shows_hand_role_and_known_goals(site: Site, game: DealtGame) -> None:
    page = game.visitors[0].page(urls.game(game.slug))
    assert len(page.links_of("card-tile")) == 6
    assert "Your role and goals" in game.visitors[0].get(urls.game(game.slug)).text
    assert len(re.findall(r"You're a (gold-digger|saboteur): you win", page.text)) == 1
    assert len(re.findall(r"Goal I\d: face down", page.text)) == 3


def test_picked_card_shows_its_legal_places_only(site: Site, game: DealtGame) -> None:
    card = first_card(site, game, "path-")
    page = game.visitors[0].page(urls.game(game.slug, card=card))
    offered_hrefs = {link.href for link in page.links_of("mine__place")}
    cells = {re.findall(r"cell=([\w-]+)", href)[0] for href in offered_hrefs}
    assert cells <= {"-A5", "B5", "A4", "A6"}
    assert cells
    page_text = " ".join(link.text for link in page.links if link.href in offered_hrefs)
    assert "Lay it at" in page_text


def test_card_that_fits_both_ways_can_be_turned_and_laid(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    set_hand(site, game, 0, "path-rbl")
    page = alice.page(urls.game(game.slug, card="path-rbl", cell="B5"))
    assert page.form_named("confirm").fields["turned"] == "0"
    [turn] = page.links_of("turn")
    page = alice.page(turn.href)
    assert page.form_named("confirm").fields["turned"] == "1"
    assert alice.send(page.form_named("confirm")).status_code == 303
    laid = stored_game(site.database, game.slug, game.guests[0]).state.mine.laid
    assert laid["B5"] == "path-trl"


def test_card_that_fits_one_way_is_turned_automatically(site: Site, game: DealtGame) -> None:
    set_hand(site, game, 0, "path-trb")
    page = game.visitors[0].page(urls.game(game.slug, card="path-trb", cell="B5"))
    assert page.form_named("confirm").fields["turned"] == "1"
    assert not page.links_of("turn")


def test_path_card_can_only_be_discarded_with_a_broken_tool(site: Site, game: DealtGame) -> None:
    set_hand(site, game, 0, "path-rbl", "repair-lantern")
    change_position(site, game, broken=(("lantern",), (), ()))
    page = game.visitors[0].page(urls.game(game.slug))
    assert page.text.count("can't be played (lantern broken)") == 1
    page = game.visitors[0].page(urls.game(game.slug, card="path-rbl"))
    assert not page.links_of("mine__place")
    assert page.form_named("confirm").fields["do"] == "discard"


def test_tool_is_broken_and_repaired_by_picking_a_player(site: Site, game: DealtGame) -> None:
    alice, bob, _ = game.visitors
    set_hand(site, game, 0, "break-cart")
    options = alice.page(urls.game(game.slug, card="break-cart")).links_of("option")
    assert [option.text for option in options] == [
        "Break Bob's cart",
        "Break Carol's cart",
        "Break your own cart",
    ]
    alice.send(alice.page(options[0].href).form_named("confirm"))
    set_hand(site, game, 1, "repair-lantern-cart")
    page = bob.page(urls.game(game.slug, card="repair-lantern-cart"))
    assert "cart broken" in page.text
    assert not page.links_of("option")
    assert "Repair your cart" in page.text
    assert bob.send(page.form_named("confirm")).status_code == 303
    assert "cart broken" not in bob.page(urls.game(game.slug)).text


def test_rockfall_offers_every_laid_card_but_the_start(site: Site, game: DealtGame) -> None:
    set_hand(site, game, 0, "rockfall")
    change_position(site, game, laid=TUNNEL)
    alice = game.visitors[0]
    places = alice.page(urls.game(game.slug, card="rockfall")).links_of("mine__place")
    assert len(places) == len(TUNNEL)
    alice.send(alice.page(places[0].href).form_named("confirm"))
    assert "B5" not in stored_game(site.database, game.slug, game.guests[0]).state.mine.laid


def test_player_chooses_which_reached_goal_is_turned_over(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, rulebook="et-2007")
    set_hand(site, game, 0, "path-trb")
    change_position(site, game, laid=TUNNEL | {"G5": "path-rl", "H5": "path-tl", "H4": "path-rb"})
    alice, bob, _ = game.visitors
    page = alice.page(urls.game(game.slug, card="path-trb", cell="I4", turned=1))
    alice.send(page.form_named("confirm"))
    assert "Waiting for Alice to choose which goal" in bob.page(urls.game(game.slug)).text
    page = alice.page(urls.game(game.slug))
    assert "You reached several goals" in page.text
    assert "a goal is revealed at random" in page.text
    assert not page.has_form_named("confirm")
    places = page.links_of("mine__place")
    assert len(places) == 2
    form = alice.page(places[1].href).form_named("confirm")
    assert (form.fields["do"], form.fields["cell"]) == ("choosegoal", "I5")
    assert alice.send(form).status_code == 303
    assert stored_game(site.database, game.slug, game.guests[0]).state.choice is None


def test_player_chooses_how_a_misfit_stone_lies(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    set_hand(site, game, 0, "path-rl")
    goals = ("treasure", "stone-tl", "stone-tr")
    change_position(site, game, laid=TUNNEL | {"G5": "path-rl", "I4": "path-rl"}, goals=goals)
    alice = game.visitors[0]
    page = alice.page(urls.game(game.slug, card="path-rl", cell="H5"))
    alice.send(page.form_named("confirm"))
    page = alice.page(urls.game(game.slug))
    assert "Choose how the stone lies" in page.text
    assert "Choose which way to turn it" in page.text
    assert "turned to join the card just laid" in page.text
    options = page.links_of("option")
    assert len(options) == 2
    form = alice.page(options[1].href).form_named("confirm")
    assert (form.fields["do"], form.fields["turned"]) == ("turngoal", "1")
    assert alice.send(form).status_code == 303
    assert stored_game(site.database, game.slug, game.guests[0]).state.mine.laid["I5"] == "goal-rb"


def test_gold_choice_is_offered_to_its_player_only(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    alice, bob, _ = game.visitors
    alice.post(urls.profile(), name="Alice", language="en", zone="UTC")
    set_hand(site, game, 0, "path-rl")
    change_position(
        site,
        game,
        laid=TUNNEL | {"G5": "path-rl"},
        goals=("stone-tl", "treasure", "stone-tr"),
        roles=("digger", "digger", "saboteur"),
        pile=(1, 2, 3, *(1,) * 25),
    )
    page = alice.page(urls.game(game.slug, card="path-rl", cell="H5"))
    alice.send(page.form_named("confirm"))
    form = alice.page(urls.game(game.slug)).form_named("confirm")
    assert form.choices["nuggets"] == ["3", "2", "1"]
    page = bob.page(urls.game(game.slug))
    assert "Waiting for Alice to choose a gold card" in page.text
    assert "the most valuable gold card is kept" in page.text
    assert page.text.count("gold being shared") == 2
    assert page.text.count("no gold") == 1
    assert not page.has_form_named("confirm")
    assert alice.send(form, nuggets="2").status_code == 303
    stored_position = stored_game(site.database, game.slug, game.guests[0])
    assert 2 in stored_position.state.gold[0]
    assert stored_position.row.round == 2


def test_empty_hand_can_only_pass(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    change_position(site, game, hands=((), ("map",), ("map",)), deck=())
    alice = game.visitors[0]
    page = alice.page(urls.game(game.slug))
    assert "Your hand is empty" in page.text
    assert alice.send(page.form_named("confirm")).status_code == 303


def test_picking_changes_nothing_and_can_be_undone(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    earlier_text = alice.page(urls.game(game.slug)).text
    page = alice.page(urls.game(game.slug, card=first_card(site, game, "path-")))
    for link in page.links_of("mine__place"):
        assert alice.page(link.href).form_named("confirm").action == urls.turns(game.slug)
    assert alice.page(urls.game(game.slug)).text == earlier_text


@pytest.mark.parametrize(
    "choice",
    [
        {"card": "ace"},
        {"card": "\x00"},
        {"cell": "B5"},
        {"card": "map", "cell": "<script>"},
        {"card": "path-trb", "cell": "Z99", "turned": "9"},
        {"seat": "-1", "tool": "x", "discard": "1"},
        {"still": "x"},
    ],
)
def test_meaningless_selection_is_ignored(game: DealtGame, choice: dict[str, str]) -> None:
    answer = game.visitors[0].get(urls.game(game.slug, **choice))
    assert answer.status_code == 200
    assert "<script>" not in answer.text
    assert not Page(answer.text).has_form_named("confirm")


def test_every_card_can_be_discarded(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    set_hand(site, game, 0, "path-rbl", "map", "rockfall", "repair-cart", "break-cart")
    for card in hand_of(site, game):
        page = alice.page(urls.game(game.slug, card=card))
        # A card that can only be discarded needs no further choice.
        if not page.has_form_named("confirm"):
            [link] = page.links_of("discard")
            page = alice.page(link.href)
        form = page.form_named("confirm")
        assert (form.fields["do"], form.fields["card"]) == ("discard", card)


def test_waiting_player_sees_the_hand_without_links(game: DealtGame) -> None:
    bob = game.visitors[1]
    page = bob.page(urls.game(game.slug))
    assert "Waiting for Alice to play" in page.text
    assert "Deadline:" in page.text
    assert not page.links_of("card-tile")
    assert not page.has_form_named("confirm")


def test_page_says_how_it_is_updated_while_a_bot_is_to_play(site: Site) -> None:
    game = site.dealt_game(ALICE, starter=1)
    alice = game.visitors[0]
    page = alice.page(urls.game(game.slug))
    assert "Bots are playing." in page.text
    assert [link.href for link in page.links if link.text == "Refresh"] == [urls.game(game.slug)]
    play_bots(site.database)
    assert "Bots are playing" not in alice.page(urls.game(game.slug)).text


def test_no_page_of_a_game_reloads_itself(site: Site) -> None:
    game = site.dealt_game(ALICE, starter=1)
    assert "http-equiv" not in game.visitors[0].get(urls.game(game.slug)).text


def test_onlooker_sees_the_mine_but_no_hand_and_no_role(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, public=True)
    for visitor in (site.signed_out(), site.signed_in(MALLORY)):
        answer = visitor.get(urls.game(game.slug))
        page = Page(answer.text)
        assert answer.status_code == 200
        assert "Your hand" not in page.text
        assert "gold-digger" not in page.text
        assert not page.has_form(urls.turns(game.slug))


def test_table_shows_the_turns_since_the_viewers_own(site: Site, game: DealtGame) -> None:
    alice, bob, carol = game.visitors
    random_below = seeded_random_below("since")
    for visitor in (alice, bob, carol):
        take_turn(visitor, game.slug, random_below)
    page_text = alice.page(urls.game(game.slug)).text
    turns_text = page_text.partition("Since your last turn")[2].partition("Your hand")[0]
    assert "Bob" in turns_text
    assert "Carol" in turns_text
    assert turns_text.index("You") < turns_text.index("Bob") < turns_text.index("Carol")


def test_result_of_the_own_turn_is_shown_to_its_player_only(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, seed="a map")
    alice, bob, _ = game.visitors
    place = alice.page(urls.game(game.slug, card="map")).links_of("mine__place")[0]
    alice.send(alice.page(place.href).form_named("confirm"))
    assert "but you know it's" in alice.page(urls.game(game.slug)).text
    assert "You looked at" in alice.page(urls.game(game.slug)).text
    assert "but you know it's" not in bob.page(urls.game(game.slug)).text
