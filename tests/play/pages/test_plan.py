"""The page on which a player plans their next turn."""

import pytest

from engine.actions import Discard, Lay
from engine.plans import CancelCondition
from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.factories import play_turn, stored_game
from tests.support.html import Page
from tests.support.plans import plans_by_seat, turns
from tests.support.stored_positions import change_position, set_hand
from tests.support.visitors import DealtGame, Site, Visitor, open_table
from webapp.kernel import urls

GOAL_REVEALED = CancelCondition.GOAL_REVEALED.value


@pytest.fixture
def game(site: Site) -> DealtGame:
    """Alice, Bob and Carol in seats 0, 1 and 2; Alice is on turn, and Bob holds two path cards and two others."""
    game = site.dealt_game(ALICE, BOB, CAROL)
    set_hand(site, game, 1, "path-rl", "path-trb", "map", "break-cart")
    return game


@pytest.fixture
def bob(game: DealtGame) -> Visitor:
    return game.visitors[1]


def plan_url(game: DealtGame, **selection: str | int) -> str:
    return urls.plan(game.slug, **selection)


def planned_actions(site: Site, game: DealtGame) -> tuple[object, ...]:
    """Return the actions that Bob has planned."""
    plan = plans_by_seat(site.database, game.slug, game.guests[0]).get(1)
    return () if plan is None or plan.plan is None else plan.plan.actions


def conditions(site: Site, game: DealtGame) -> tuple[CancelCondition, ...]:
    plan = plans_by_seat(site.database, game.slug, game.guests[0])[1].plan
    assert plan is not None
    return plan.conditions


def add_step(bob: Visitor, game: DealtGame, **selection: str | int) -> None:
    answer = bob.send(bob.page(plan_url(game, **selection)).form_named("confirm"))
    assert (answer.status_code, answer.location) == (303, plan_url(game))


def test_table_page_leads_to_the_plan_unless_it_is_the_viewer_s_turn(game: DealtGame) -> None:
    alice, bob, _ = game.visitors
    href = plan_url(game)
    assert href in [link.href for link in bob.page(urls.game(game.slug)).links]
    assert href not in [link.href for link in alice.page(urls.game(game.slug)).links]
    assert "It's your turn already" in alice.page(href).text


def test_plan_is_made_step_by_step_with_the_picker(
    site: Site, game: DealtGame, bob: Visitor
) -> None:
    page = bob.page(plan_url(game))
    card_href = next(link.href for link in page.links_of("card-tile") if "path-rl" in link.href)
    page = bob.page(card_href)
    place_href = next(link.href for link in page.links if "cell=B5" in link.href)
    assert bob.send(bob.page(place_href).form_named("confirm")).status_code == 303
    add_step(bob, game, card="path-trb", cell="C5", turned=1)
    add_step(bob, game, card="break-cart", seat=2)
    add_step(bob, game, card="map", discard=1)
    actions = planned_actions(site, game)
    assert actions[:2] == (Lay("path-rl", "B5"), Lay("path-trb", "C5", turned=True))
    assert actions[3] == Discard("map")
    assert conditions(site, game) == tuple(CancelCondition)
    text = bob.page(plan_url(game)).text
    assert "First choice: Lay a straight tunnel (left, right) at B5" in text
    assert "If that isn't possible: Break Carol's cart" in text
    assert "If that isn't possible: Break Carol's cart" in bob.page(urls.game(game.slug)).text


def test_steps_are_moved_and_removed_and_surprises_unticked(
    site: Site, game: DealtGame, bob: Visitor
) -> None:
    add_step(bob, game, card="path-rl", cell="B5")
    add_step(bob, game, card="map", discard=1)
    bob.send(bob.page(plan_url(game)).form_named("up-2"))
    assert planned_actions(site, game) == (Discard("map"), Lay("path-rl", "B5"))
    bob.send(bob.page(plan_url(game)).form_named("remove-1"))
    assert planned_actions(site, game) == (Lay("path-rl", "B5"),)
    page = bob.page(plan_url(game))
    assert not page.has_form_named("remove-1")
    form = page.form_named("conditions")
    del form.fields[GOAL_REVEALED]
    assert bob.send(form).status_code == 303
    assert CancelCondition.GOAL_REVEALED not in conditions(site, game)
    assert len(conditions(site, game)) == len(CancelCondition) - 1
    assert bob.send(page.form(urls.discard_plan(game.slug))).status_code == 303
    assert planned_actions(site, game) == ()
    assert "You have no plan now" in bob.page(plan_url(game)).text


def test_full_plan_offers_no_further_step(site: Site, game: DealtGame, bob: Visitor) -> None:
    set_hand(site, game, 1, "path-rl", "path-trb", "map", "break-cart", "rockfall", "path-tb")
    for card in ("path-rl", "path-trb", "map", "break-cart", "rockfall"):
        add_step(bob, game, card=card, discard=1)
    page = bob.page(plan_url(game, card="path-tb", discard=1))
    assert "A plan has at most 5 steps." in page.text
    assert not page.has_form_named("confirm")
    steps = "; ".join(f"discard {card}" for card in ("path-rl", "path-trb", "map", "break-cart"))
    answer = bob.post(plan_url(game), seq="0", steps=f"{steps}; discard rockfall; discard path-tb")
    assert answer.status_code == 422
    assert len(planned_actions(site, game)) == 5


def test_planned_turn_is_played_at_once_and_looks_like_any_other_to_others(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    _, bob, carol = game.visitors
    card = stored_game(site.database, game.slug, game.guests[0]).state.hands[1][0]
    add_step(bob, game, card=card, discard=1)
    play_turn(site.database, game.slug, game.guests[0])
    assert turns(site.database)[1:] == [(1, 0, "player"), (2, 1, "plan")]
    assert "by plan" in bob.page(urls.history(game.slug)).text
    for path in (urls.history(game.slug), urls.game(game.slug), urls.export(game.slug)):
        assert "by plan" not in carol.get(path).text


def test_plan_page_says_why_a_plan_ended(site: Site, game: DealtGame, bob: Visitor) -> None:
    set_hand(site, game, 0, "path-rl")
    add_step(bob, game, card="path-rl", cell="B5")
    play_turn(site.database, game.slug, game.guests[0], Lay("path-rl", "B5"))
    sentence = "Your plan was cancelled because the mine changed near a place in it."
    for path in (urls.game(game.slug), plan_url(game)):
        assert sentence in bob.page(path).text
    assert sentence not in game.visitors[2].page(urls.game(game.slug)).text


@pytest.mark.parametrize(
    "fields, status, sentence",
    [
        ({"steps": "discard rockfall"}, 409, ""),
        ({"steps": "lay path-rl A5"}, 409, ""),
        ({"steps": "lay path-rl Q5"}, 409, ""),
        ({"steps": "discard map; discard map"}, 422, "Two steps of this plan are the same"),
        ({"steps": "jump"}, 422, "can't be read"),
        ({"steps": "gold 3"}, 422, "can't be read"),
        ({"steps": ""}, 422, "needs at least one step"),
        ({"steps": "discard map", "seq": "7"}, 409, "this plan wasn't saved"),
        ({"steps": "discard map", "seq": "x"}, 422, "whole number"),
        ({"steps": "discard map\x00"}, 422, "characters we can't show"),
        ({"steps": "discard map; " * 500}, 422, ""),
    ],
)
def test_refused_plan_changes_nothing_and_is_shown_again(
    site: Site, game: DealtGame, bob: Visitor, fields: dict[str, str], status: int, sentence: str
) -> None:
    add_step(bob, game, card="map", discard=1)
    earlier_plans = plans_by_seat(site.database, game.slug, game.guests[0])
    answer = bob.post(plan_url(game), **{"seq": "0", **fields})
    assert answer.status_code == status
    assert sentence in Page(answer.text).text
    assert "That didn't work" in Page(answer.text).text or "You can't do that" in answer.text
    assert plans_by_seat(site.database, game.slug, game.guests[0]) == earlier_plans


def test_refused_steps_are_kept_to_be_saved_again(
    site: Site, game: DealtGame, bob: Visitor
) -> None:
    form = bob.page(plan_url(game, card="map", discard=1)).form_named("confirm")
    play_turn(site.database, game.slug, game.guests[0])
    play_turn(site.database, game.slug, game.guests[1])
    set_hand(site, game, 1, "map")
    answer = bob.send(form)
    page = Page(answer.text)
    assert answer.status_code == 409
    assert "This plan isn't saved." in page.text
    assert bob.send(page.form_named("conditions")).status_code == 303
    assert planned_actions(site, game) == (Discard("map"),)


def test_cell_that_vanished_is_refused(site: Site, game: DealtGame, bob: Visitor) -> None:
    change_position(site, game, laid={"B5": "path-rl", "C5": "path-rl"})
    form = bob.page(plan_url(game, card="path-rl", cell="E5")).form_named("confirm")
    change_position(site, game, laid={})
    assert bob.send(form).status_code == 409
    assert planned_actions(site, game) == ()


def test_turn_that_came_meanwhile_is_not_planned(site: Site, game: DealtGame, bob: Visitor) -> None:
    form = bob.page(plan_url(game, card="map", discard=1)).form_named("confirm")
    play_turn(site.database, game.slug, game.guests[0])
    answer = bob.send(form)
    assert answer.status_code == 409
    assert "It's your turn already" in Page(answer.text).text
    assert stored_game(site.database, game.slug, game.guests[0]).row.plans is None


def test_plan_of_another_player_is_not_found_for_a_stranger(site: Site, game: DealtGame) -> None:
    mallory = site.signed_in(MALLORY)
    assert mallory.get(plan_url(game)).status_code == 404
    assert mallory.post(plan_url(game), seq="0", steps="discard map").status_code == 404
    assert mallory.post(urls.discard_plan(game.slug)).status_code == 404


def test_tables_before_the_deal_have_no_plans(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice)
    assert alice.get(urls.plan(slug)).status_code == 404


def test_every_card_and_place_can_be_picked_without_an_error(game: DealtGame, bob: Visitor) -> None:
    hrefs = {link.href for link in bob.page(plan_url(game)).links_of("card-tile")}
    for href in sorted(hrefs):
        page = bob.page(href)
        own_hrefs = [link.href for link in page.links if link.href.startswith(plan_url(game))]
        for other in sorted(set(own_hrefs))[::3]:
            assert bob.get(other).status_code == 200
