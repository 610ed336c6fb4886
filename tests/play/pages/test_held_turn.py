"""The held turn on the table page: when it enters, and the buttons with which it is changed, withdrawn and played."""

from collections.abc import Callable
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from engine.actions import ChooseGoal, Discard, Lay
from tests.support.acts import perform_act
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import stored_game
from tests.support.page_robot import discard_form, discard_href
from tests.support.stored_positions import TUNNEL, change_position, set_hand
from tests.support.transactions import transaction
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.clock.sweep import sweep
from webapp.kernel import urls
from webapp.kernel.rights import GameRight
from webapp.picture.palette import PAGE_PALETTE
from webapp.picture.places import Preview, draw_preview

TEN_MINUTES = timedelta(minutes=10)


@pytest.fixture
def game(site: Site) -> DealtGame:
    """Alice, Bob and Carol in seats 0, 1 and 2; Alice is on turn and has her turns held for ten minutes."""
    game = site.dealt_game(ALICE, BOB, CAROL)
    alice = game.visitors[0]
    form = alice.page(urls.profile()).form(urls.profile())
    assert alice.send(form, hold_minutes="10").status_code == 303
    return game


def seq_of(site: Site, game: DealtGame) -> int:
    return stored_game(site.database, game.slug, game.guests[0]).seq


def held_card(site: Site, game: DealtGame) -> str:
    held_turn = stored_game(site.database, game.slug, game.guests[0]).row.clock.held_turn
    assert held_turn is not None
    assert isinstance(held_turn.action, Discard)
    return held_turn.action.card


def page_version(visitor: Visitor, game: DealtGame) -> str | None:
    return visitor.get(urls.page_version(game.slug)).get_etag()[0]


def test_held_turn_is_shown_to_its_player_only(site: Site, game: DealtGame) -> None:
    alice, bob, _ = game.visitors
    earlier_page_text = bob.page(urls.game(game.slug)).text
    card_page = alice.page(discard_href(alice, game.slug))
    assert "The table reads it at once, also while your turn is held." in card_page.text
    assert "We'll play it within 10 minutes. Until then you can change it." in card_page.text
    answer = alice.send(discard_form(alice, game.slug))
    assert (answer.status_code, answer.location) == (303, urls.game(game.slug))
    assert seq_of(site, game) == 0
    due_at = (site.clock.now + TEN_MINUTES).astimezone(ZoneInfo(ALICE.zone))
    text = alice.page(urls.game(game.slug)).text
    assert "We'll play this for you on" in text
    assert f"{due_at:%H:%M}" in text
    assert "Discard" in text
    assert bob.page(urls.game(game.slug)).text == earlier_page_text


def test_held_card_lies_on_the_mine_of_its_player_only(site: Site, game: DealtGame) -> None:
    alice, bob, _ = game.visitors
    action = Lay("path-rl", "B5")
    preview = draw_preview(Preview(action.cell, action.card), PAGE_PALETTE)
    set_hand(site, game, 0, action.card, "map")
    table = urls.game(game.slug)
    assert preview not in alice.get(table).text
    alice.send(
        alice.page(f"{table}?card={action.card}&cell={action.cell}").form(urls.turns(game.slug))
    )
    assert preview in alice.get(table).text
    assert preview not in alice.get(f"{table}?card=map").text
    other_page = alice.page(f"{table}?card=map&cell=I3")
    assert "It replaces the turn you've chosen: Lay" in other_page.text
    assert table in {link.href for link in other_page.links if link.text == "Keep that"}
    assert preview not in bob.get(table).text


def test_held_card_that_is_picked_again_is_said_to_be_chosen_already(
    site: Site, game: DealtGame
) -> None:
    alice = game.visitors[0]
    alice.send(discard_form(alice, game.slug))
    text = alice.page(discard_href(alice, game.slug)).text
    assert "You've chosen this turn already." in text
    assert "It replaces" not in text


def test_held_pass_is_withdrawn_or_played_now(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    set_hand(site, game, 0)
    alice.send(alice.page(urls.game(game.slug)).form(urls.turns(game.slug)))
    page = alice.page(urls.game(game.slug))
    assert "Your turn: Pass" in page.text
    assert urls.turns(game.slug) not in {form.action for form in page.forms}
    assert page.form(urls.play_held_turn(game.slug))
    alice.send(page.form(urls.withdraw_turn(game.slug)))
    assert alice.page(urls.game(game.slug)).form(urls.turns(game.slug)).fields["do"] == "pass"


def test_held_choice_of_a_goal_is_changed_on_the_mine(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, rulebook="et-2007")
    alice, table = game.visitors[0], urls.game(game.slug)
    set_hand(site, game, 0, "path-trb")
    reached = TUNNEL | {"G5": "path-rl", "H5": "path-tl", "H4": "path-rb"}
    change_position(site, game, laid=reached)
    picked = alice.page(f"{table}?card=path-trb&cell=I4&turned=1")
    alice.send(picked.form(urls.turns(game.slug)))
    alice.send(alice.page(urls.profile()).form(urls.profile()), hold_minutes="10")
    alice.send(alice.page(f"{table}?cell=I3").form(urls.turns(game.slug)))
    assert "Your turn: " in alice.page(f"{table}?cell=I3").text
    other_page = alice.page(f"{table}?cell=I5")
    assert "It replaces the turn you've chosen" in other_page.text
    alice.send(other_page.form(urls.turns(game.slug)))
    held_turn = stored_game(site.database, game.slug, game.guests[0]).row.clock.held_turn
    assert held_turn is not None
    assert held_turn.action == ChooseGoal("I5")


def test_held_turn_is_changed_with_the_picker(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    alice.send(discard_form(alice, game.slug))
    other_form = discard_form(alice, game.slug, card=-1)
    assert alice.send(other_form).status_code == 303
    assert held_card(site, game) == other_form.fields["card"]
    assert seq_of(site, game) == 0


def test_held_and_changed_turns_change_the_version_of_their_player_s_page_only(
    site: Site, game: DealtGame
) -> None:
    alice, bob, _ = game.visitors
    alice_versions, bob_versions = {page_version(alice, game)}, {page_version(bob, game)}
    for card in (0, -1):
        alice.send(discard_form(alice, game.slug, card=card))
        alice_versions.add(page_version(alice, game))
        bob_versions.add(page_version(bob, game))
        site.clock.move(timedelta(minutes=1))
    assert (len(alice_versions), len(bob_versions)) == (3, 1)


def test_withdrawn_turn_is_gone_and_the_player_can_play(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    alice.send(discard_form(alice, game.slug))
    form = alice.page(urls.game(game.slug)).form(urls.withdraw_turn(game.slug))
    assert alice.send(form).status_code == 303
    page = alice.page(urls.game(game.slug))
    assert "Nothing was played. You hold no turn now." in page.text
    assert "We'll play this for you on" not in page.text
    assert alice.send(form).status_code == 303


def test_play_now_button_takes_the_held_turn_once(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    alice.send(discard_form(alice, game.slug))
    form = alice.page(urls.game(game.slug)).form(urls.play_held_turn(game.slug))
    assert alice.send(form).status_code == 303
    assert "Waiting for Bob" in alice.page(urls.game(game.slug)).text
    assert alice.send(form).status_code == 409
    assert seq_of(site, game) == 1


def test_withdrawal_after_the_turn_has_entered_says_so(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    alice.send(discard_form(alice, game.slug))
    form = alice.page(urls.game(game.slug)).form(urls.withdraw_turn(game.slug))
    with transaction(site.database, site.clock.now + TEN_MINUTES) as tx:
        sweep(tx)
    answer = alice.send(form)
    assert answer.status_code == 409
    assert "Waiting for Bob" in answer.text
    assert seq_of(site, game) == 1


@pytest.mark.parametrize("seq", ["", "x", "-1", "1e3", "99999999999999999999"])
@pytest.mark.parametrize("url", [urls.withdraw_turn, urls.play_held_turn])
def test_unreadable_held_turn_forms_are_refused(
    site: Site, game: DealtGame, url: Callable[[str], str], seq: str
) -> None:
    alice = game.visitors[0]
    alice.send(discard_form(alice, game.slug))
    assert alice.post(url(game.slug), seq=seq).status_code in {409, 422}
    assert held_card(site, game)


def test_dropped_turn_is_explained_to_its_player(site: Site, game: DealtGame) -> None:
    alice, bob, _ = game.visitors
    alice.send(discard_form(alice, game.slug))
    perform_act(site.database, game.slug, GameRight.PAUSE, now=site.clock.now)
    message = "Your held turn was dropped"
    assert message in alice.page(urls.game(game.slug)).text
    assert message not in bob.page(urls.game(game.slug)).text


def test_forged_hold_time_is_refused(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    form = alice.page(urls.profile()).form(urls.profile())
    assert form.fields["hold_minutes"] == "10"
    for minutes in ("11", "-1", "x", ""):
        assert alice.send(form, hold_minutes=minutes).status_code == 422
    assert alice.page(urls.profile()).form(urls.profile()).fields["hold_minutes"] == "10"


def test_profile_form_without_a_hold_time_leaves_it_unchanged(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    alice.post(urls.profile(), name="Alice", language="en", zone="UTC")
    assert alice.page(urls.profile()).form(urls.profile()).fields["hold_minutes"] == "10"
