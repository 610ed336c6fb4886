"""The button with which players of a finished game play again."""

import pytest

from engine.rulebook import HouseRules
from tests.play.pages.test_game_end import play_to_end as play_pages_to_end
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import play_to_end
from tests.support.html import Page
from tests.support.visitors import DealtGame, Site, Visitor, table_link
from webapp.kernel import urls
from webapp.lobby.emails.invitation import InvitationContext


@pytest.fixture
def game(site: Site) -> DealtGame:
    """A finished game of Alice, Bob and Carol, which anyone may see."""
    game = site.dealt_game(ALICE, BOB, CAROL, house=HouseRules(rounds=1), public=True)
    play_to_end(site.database, game.slug, game.guests)
    site.deliver_emails()
    return game


def press(visitor: Visitor, slug: str) -> str:
    """Press the button of the finished game; return the address of the rematch."""
    answer = visitor.send(visitor.page(urls.game(slug)).form(urls.rematch(slug)))
    assert answer.status_code == 303, Page(answer.text).text
    return str(answer.location)


def test_one_press_opens_a_table_and_invites_the_others(site: Site, game: DealtGame) -> None:
    path = press(game.visitors[0], game.slug)
    page = game.visitors[0].page(path)
    assert "Alice's table" in page.text
    assert "Bob not used yet" in page.text
    emails = [email for email in site.deliver_emails() if isinstance(email, InvitationContext)]
    assert [(email.host, email.is_rematch) for email in emails] == [("Alice", True)] * 2


def test_finished_game_shows_the_others_who_is_waiting(site: Site, game: DealtGame) -> None:
    path = press(game.visitors[0], game.slug)
    page = game.visitors[1].page(urls.game(game.slug))
    assert "Rematch: Alice is waiting for you." in page.text
    assert press(game.visitors[1], game.slug) == path
    assert path in {link.href for link in game.visitors[1].page(urls.game(game.slug)).links}


def test_page_that_was_opened_before_joins_the_same_table(site: Site, game: DealtGame) -> None:
    alice, bob, _ = game.visitors
    form = bob.page(urls.game(game.slug)).form(urls.rematch(game.slug))
    path = press(alice, game.slug)
    assert bob.send(form).location == path
    assert bob.send(form).location == path
    assert "1 seat is still free" in bob.page(path).text


def test_onlookers_see_no_rematch(site: Site, game: DealtGame) -> None:
    path = press(game.visitors[0], game.slug)
    for onlooker in (site.signed_out(), site.signed_in(DAVE)):
        text = onlooker.get(urls.game(game.slug)).text
        assert "ematch" not in text
        assert path not in text


def test_full_rematch_is_explained_at_the_finished_game(site: Site, game: DealtGame) -> None:
    alice, bob, carol = game.visitors
    path = press(alice, game.slug)
    form = carol.page(urls.game(game.slug)).form(urls.rematch(game.slug))
    press(bob, game.slug)
    invitation = urls.invitation(table_link(alice, path.rpartition("/")[2]))
    dave = site.signed_in(DAVE)
    assert dave.send(dave.page(invitation).form(invitation)).status_code == 303
    answer = carol.send(form)
    assert answer.location == urls.game(game.slug)
    assert "All seats at this table are taken." in carol.page(answer.location).text


def test_emails_to_the_others_are_announced(site: Site, game: DealtGame) -> None:
    assert "We'll email the others" in game.visitors[0].page(urls.game(game.slug)).text


def test_rematch_against_bots_announces_no_emails(site: Site) -> None:
    game = site.dealt_game(ALICE, seats=3, house=HouseRules(rounds=1))
    play_pages_to_end(site, game)
    text = game.visitors[0].page(urls.game(game.slug)).text
    assert "Same bots, same rules, same pace." in text
    assert "email" not in text.partition("Same bots")[2][:100]
