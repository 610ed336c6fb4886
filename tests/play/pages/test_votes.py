"""Votes on the table page: the form under "Propose a vote", and the ballot above the hand until it is answered."""

import pytest

from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.factories import play_to_end, stored_game
from tests.support.html import Page
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.kernel import urls
from webapp.kernel.game_status import GameStatus

PROPOSAL = "Alice would like to pause the game."


@pytest.fixture
def game(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL)


def table(visitor: Visitor, game: DealtGame) -> Page:
    return visitor.page(urls.game(game.slug))


def propose(visitor: Visitor, game: DealtGame, kind: str) -> int:
    return visitor.send(table(visitor, game).form(urls.votes(game.slug)), kind=kind).status_code


def ballot_url(site: Site, game: DealtGame) -> str:
    with site.database.engine.begin() as connection:
        vote_id = connection.exec_driver_sql("SELECT max(id) FROM vote").scalar_one()
    return urls.vote(game.slug, vote_id)


def test_ballot_is_shown_above_the_hand_until_it_is_answered(site: Site, game: DealtGame) -> None:
    alice, bob, _ = game.visitors
    assert propose(alice, game, "pause") == 303
    page = table(bob, game)
    html = bob.get(urls.game(game.slug)).text
    assert html.index(PROPOSAL) < html.index('id="the-hand"')
    assert "Agreed so far: 1 of 3" in page.text
    answer_response = bob.send(page.form(ballot_url(site, game)), answer="yes")
    assert answer_response.status_code == 303
    page = table(bob, game)
    assert "Agreed so far: 2 of 3" in page.text
    assert ballot_url(site, game) not in {form.action for form in page.forms}


def test_only_person_at_a_table_reads_that_they_decide_at_once(site: Site) -> None:
    game = site.dealt_game(ALICE)
    [alice] = game.visitors
    assert "You're the only person at this table, so it happens at once" in table(alice, game).text
    assert propose(alice, game, "cancel") == 303
    page = table(alice, game)
    assert "You decide alone, as the only person at this table." in page.text
    assert "You ended it without a winner." in page.text
    assert "the others" not in page.text
    home = alice.page(urls.home())
    assert "Cancelled." in home.text
    assert "are you ready?" not in home.text
    assert urls.archive() not in {link.href for link in home.links}


def test_last_yes_pauses_the_game_and_the_page_says_why(site: Site, game: DealtGame) -> None:
    alice, *other_visitors = game.visitors
    propose(alice, game, "pause")
    for visitor in other_visitors:
        visitor.send(table(visitor, game).form(ballot_url(site, game)), answer="yes")
    assert stored_game(site.database, game.slug, game.guests[0]).status == GameStatus.PAUSED
    text = table(alice, game).text
    assert "A vote of all players" in text
    assert "Everyone who plays has agreed." in text
    assert "Resume the game" in text


def test_shortened_game_shows_its_last_round_and_the_agreement(site: Site, game: DealtGame) -> None:
    alice, *other_visitors = game.visitors
    propose(alice, game, "shorten")
    for visitor in other_visitors:
        visitor.send(table(visitor, game).form(ballot_url(site, game)), answer="yes")
    text = table(alice, game).text
    assert "Round 1 of 1" in text
    assert "The players agreed to end the game after round 1." in text
    play_to_end(site.database, game.slug, game.guests)
    assert "It was cut short: round 1 was the last one." in table(alice, game).text


@pytest.mark.parametrize("kind", ["", "win", "resume"])
def test_bad_proposal_gets_a_clear_message_and_changes_nothing(
    site: Site, game: DealtGame, kind: str
) -> None:
    assert propose(game.visitors[0], game, kind) in {409, 422}
    assert PROPOSAL not in table(game.visitors[1], game).text


def test_answer_to_an_unknown_or_finished_vote_gets_a_clear_message(
    site: Site, game: DealtGame
) -> None:
    alice, bob, carol = game.visitors
    propose(alice, game, "cancel")
    forms = [table(visitor, game).form(ballot_url(site, game)) for visitor in (bob, carol)]
    bob.send(forms[0], answer="no")
    answer = carol.send(forms[1], answer="yes")
    assert answer.status_code == 409
    assert "This vote is over. Nothing was changed." in answer.text
    assert carol.send(forms[1], answer="perhaps").status_code == 422


def test_onlooker_of_a_public_game_sees_no_vote(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, public=True)
    propose(game.visitors[0], game, "pause")
    mallory = site.signed_in(MALLORY)
    page = table(mallory, game)
    assert PROPOSAL not in page.text
    assert urls.votes(game.slug) not in {form.action for form in page.forms}
