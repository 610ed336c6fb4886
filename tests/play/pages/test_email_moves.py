"""Moves by links in emails: two taps, signed in or not; links alone change nothing."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from engine.actions import Action, Lay
from engine.notation import write_action
from engine.view import legal_actions
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import stored_game
from tests.support.html import Page
from tests.support.transactions import transaction
from tests.support.visitors import DealtGame, Site
from webapp.accounts.schema import Account
from webapp.kernel import urls
from webapp.play.emails.turn_email import TurnContext


@pytest.fixture
def game(site: Site) -> DealtGame:
    """Alice, Bob and Carol; Alice is on turn."""
    return site.dealt_game(ALICE, BOB, CAROL)


@pytest.fixture
def token(site: Site, game: DealtGame) -> str:
    """What is in the links of the email about Alice's turn."""
    [context] = [each for each in site.deliver_emails() if isinstance(each, TurnContext)]
    assert context.envelope.move_token is not None
    return context.envelope.move_token


def seq_of(site: Site, game: DealtGame) -> int:
    return stored_game(site.database, game.slug, game.guests[0]).seq


def first_lay(site: Site, game: DealtGame) -> Action:
    view = stored_game(site.database, game.slug, game.guests[0]).view(0)
    return next(action for action in legal_actions(view) if isinstance(action, Lay))


def test_link_shows_the_move_and_plays_nothing(site: Site, game: DealtGame, token: str) -> None:
    before = seq_of(site, game)
    link = urls.move(token, do=write_action(first_lay(site, game)))
    for _ in range(2):
        answer = site.signed_out().get(link)
        assert answer.status_code == 200
        assert "Play this move" in answer.text
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert 'name="referrer"' not in answer.text
        assert answer.headers["Cache-Control"] == "no-store"
    assert seq_of(site, game) == before


def test_button_plays_the_move_signed_in_or_not(site: Site, game: DealtGame, token: str) -> None:
    before = seq_of(site, game)
    visitor = site.signed_out()
    action_text = write_action(first_lay(site, game))
    answer = visitor.send(visitor.page(urls.move(token, do=action_text)).form(urls.move(token)))
    assert answer.status_code == 200
    assert "Alice laid a" in answer.text
    assert seq_of(site, game) == before + 1


def test_second_press_plays_nothing_and_says_so(site: Site, game: DealtGame, token: str) -> None:
    visitor, action_text = site.signed_out(), write_action(first_lay(site, game))
    form = visitor.page(urls.move(token, do=action_text)).form(urls.move(token))
    visitor.send(form)
    before = seq_of(site, game)
    answer = visitor.send(form)
    assert answer.status_code == 409
    assert "This turn is over already" in answer.text
    assert seq_of(site, game) == before


def test_preview_shows_neither_hand_nor_role(site: Site, game: DealtGame, token: str) -> None:
    view = stored_game(site.database, game.slug, game.guests[0]).view(0)
    text = site.signed_out().page(urls.move(token, do=f"discard {view.hand[0]}")).text
    assert "gold-digger" not in text
    assert "saboteur:" not in text
    other_cards = set(view.hand) - {view.hand[0]}
    assert not [card for card in other_cards if f'"{card}"' in text]


def test_link_to_an_impossible_move_shows_the_position(
    site: Site, game: DealtGame, token: str
) -> None:
    page = site.signed_out().page(urls.move(token, do="gold 3"))
    assert "This move isn't possible now" in page.text
    assert "Play this move" not in page.text


@pytest.mark.parametrize("action_text", ["", "florp", "lay \N{SNOWMAN} D5", "x" * 2000])
def test_link_without_a_move_is_not_found(
    site: Site, game: DealtGame, token: str, action_text: str
) -> None:
    assert site.signed_out().get(urls.move(token, do=action_text)).status_code == 404


def test_unknown_token_is_not_found(site: Site, game: DealtGame) -> None:
    assert site.signed_out().get(urls.move("unknown", do="pass")).status_code == 404
    assert site.signed_out().post(urls.move("unknown"), do="pass").status_code == 404


def test_move_of_a_player_who_has_turns_held_is_held(
    site: Site, game: DealtGame, token: str
) -> None:
    alice = game.visitors[0]
    profile_form = alice.page(urls.profile()).form(urls.profile())
    alice.send(profile_form, hold_minutes="10")
    before = seq_of(site, game)
    visitor, action_text = site.signed_out(), write_action(first_lay(site, game))
    answer = visitor.send(visitor.page(urls.move(token, do=action_text)).form(urls.move(token)))
    assert "Your turn is set" in answer.text
    assert seq_of(site, game) == before


def test_move_says_that_it_replaces_a_held_turn_to_its_player_only(
    site: Site, game: DealtGame, token: str
) -> None:
    alice, bob, _ = game.visitors
    profile_form = alice.page(urls.profile()).form(urls.profile())
    alice.send(profile_form, hold_minutes="10")
    card = stored_game(site.database, game.slug, game.guests[0]).view(0).hand[0]
    link = urls.move(token, do=write_action(first_lay(site, game)))
    other_link = urls.move(token, do=f"discard {card}")
    alice.send(alice.page(link).form(urls.move(token)))
    page = alice.page(other_link)
    assert "You've already chosen your turn: Lay" in page.text
    assert "Your turn is set: Lay" in alice.page(link).text
    assert "replaces" not in alice.page(link).text
    for other in (site.signed_out(), bob):
        for each in (link, other_link):
            assert "already chosen" not in other.page(each).text
            assert "is set" not in other.page(each).text
    assert "Your turn is set: Discard" in alice.send(page.form(urls.move(token))).text


def test_player_can_ask_to_be_signed_in_first(site: Site, game: DealtGame, token: str) -> None:
    alice, bob = site.signed_in(ALICE), site.signed_in(BOB)
    before, action_text = seq_of(site, game), write_action(first_lay(site, game))
    link = urls.move(token, do=action_text)
    form = alice.page(link).form(urls.move(token))
    profile_form = alice.page(urls.profile()).form(urls.profile())
    profile_form.fields["moves_need_sign_in"] = "y"
    alice.send(profile_form)
    for visitor, sentence in (
        (site.signed_out(), "Please sign in to play this move."),
        (bob, "This link belongs to another player."),
    ):
        page = visitor.page(link)
        assert sentence in page.text
        assert "You've chosen" not in page.text
        assert "Round 1:" not in page.text
        # Not even whether a move is possible, which depends on the hand.
        impossible_link = urls.move(token, do="lay path-trbl B5")
        assert content_of(visitor.page(impossible_link)) == content_of(page)
        assert visitor.post(urls.move(token), do=action_text).status_code == 403
    assert seq_of(site, game) == before
    assert "You laid a" in alice.send(form).text
    assert seq_of(site, game) == before + 1


def content_of(page: Page) -> str:
    return page.text.partition("'s table ")[2]


def test_another_player_can_sign_in_with_the_account_of_the_link(
    site: Site, game: DealtGame, token: str
) -> None:
    with transaction(site.database) as tx:
        player = update(Account).where(Account.id == game.guests[0].person.id)
        tx.execute(player.values(moves_need_sign_in=True))
    bob = game.visitors[1]
    page = bob.page(urls.move(token, do=write_action(first_lay(site, game))))
    answer = bob.send(page.form(urls.sign_out()))
    assert answer.status_code == 303
    assert answer.headers["Location"] == urls.sign_in(return_path=urls.game(game.slug))
    assert "Six-digit code" not in bob.page(answer.headers["Location"]).text
    assert bob.get(urls.sign_in()).status_code == 200


def test_preview_says_whose_turn_it_plays(site: Site, game: DealtGame, token: str) -> None:
    alice, bob, _ = game.visitors
    link = urls.move(token, do=write_action(first_lay(site, game)))
    assert "It's Alice's turn." in site.signed_out().page(link).text
    assert "You're signed in as Bob, but this link plays Alice's turn." in bob.page(link).text
    own_page = alice.page(link)
    assert "Alice's turn" not in own_page.text
    assert "Play this move" in own_page.text


def test_what_was_played_is_worded_for_the_viewer(site: Site, game: DealtGame, token: str) -> None:
    bob = game.visitors[1]
    action_text = write_action(first_lay(site, game))
    answer = bob.send(bob.page(urls.move(token, do=action_text)).form(urls.move(token)))
    assert "Alice laid a" in answer.text


def test_banned_viewer_is_like_someone_who_is_not_signed_in(
    site: Site, game: DealtGame, token: str
) -> None:
    ban = update(Account).where(Account.id == game.guests[1].person.id)
    with transaction(site.database) as tx:
        tx.execute(ban.values(banned_until=site.clock() + timedelta(days=3)))
    link = urls.move(token, do=write_action(first_lay(site, game)))
    assert "It's Alice's turn." in game.visitors[1].page(link).text


def test_link_of_a_banned_player_shows_nothing_to_others(
    site: Site, game: DealtGame, token: str
) -> None:
    """The reason for the ban, its end and the link to appeal are for the banned player alone."""
    action_text = write_action(first_lay(site, game))
    ban = update(Account).where(Account.id == game.guests[0].person.id)
    with transaction(site.database) as tx:
        tx.execute(ban.values(banned_until=site.clock() + timedelta(days=3)))
    for visitor in (site.signed_out(), game.visitors[1]):
        assert visitor.get(urls.move(token, do=action_text)).status_code == 404
        assert visitor.post(urls.move(token), do=action_text).status_code == 404
