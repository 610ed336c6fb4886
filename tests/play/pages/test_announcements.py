import pytest

from tests.support.acts import perform_act
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import play_turn
from tests.support.html import Form, Page
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.kernel import urls
from webapp.kernel.rights import GameRight

ANNOUNCEMENT_HEADING = "Message to the table"


@pytest.fixture
def game(site: Site) -> DealtGame:
    dealt = site.dealt_game(ALICE, BOB, CAROL)
    announce(site, dealt, "We move to a new server.")
    return dealt


def announce(site: Site, game: DealtGame, text: str) -> None:
    perform_act(site.database, game.slug, GameRight.ANNOUNCE_TO_TABLE, reason=text)


def table(visitor: Visitor, game: DealtGame) -> Page:
    return visitor.page(urls.game(game.slug))


def dismissal_form(visitor: Visitor, game: DealtGame) -> Form:
    return table(visitor, game).form(urls.seen_announcements(game.slug))


def test_new_announcement_stands_above_the_hand_until_the_player_has_seen_it(
    site: Site, game: DealtGame
) -> None:
    bob = game.visitors[1]
    text = table(bob, game).text
    assert ANNOUNCEMENT_HEADING in text
    assert text.index("We move to a new server.") < text.index("Your hand")
    assert ANNOUNCEMENT_HEADING in table(bob, game).text
    assert bob.send(dismissal_form(bob, game)).status_code == 303
    below = table(bob, game).text
    assert ANNOUNCEMENT_HEADING not in below
    assert "We move to a new server." in below
    announce(site, game, "Second thoughts.")
    text_after_reload = table(bob, game).text
    assert ANNOUNCEMENT_HEADING in text_after_reload
    assert text_after_reload.count("We move to a new server.") == 1


def test_announcement_seen_by_one_player_stays_new_for_another(game: DealtGame) -> None:
    alice, bob, _ = game.visitors
    alice.send(dismissal_form(alice, game))
    assert ANNOUNCEMENT_HEADING in table(bob, game).text


def test_player_who_has_played_since_has_seen_the_announcement(site: Site, game: DealtGame) -> None:
    alice, bob, _ = game.visitors
    play_turn(site.database, game.slug, game.guests[0])
    assert ANNOUNCEMENT_HEADING not in table(alice, game).text
    assert ANNOUNCEMENT_HEADING in table(bob, game).text


@pytest.mark.parametrize("newest", ["", "x", "-1", "9" * 5000])
def test_unreadable_number_of_an_announcement_is_refused(game: DealtGame, newest: str) -> None:
    bob = game.visitors[1]
    assert bob.send(dismissal_form(bob, game), newest=newest).status_code == 422
    assert ANNOUNCEMENT_HEADING in table(bob, game).text


def test_browser_keeps_what_was_seen_of_its_latest_games(site: Site, game: DealtGame) -> None:
    bob = game.visitors[1]
    with bob.client.session_transaction() as session:
        session["seen_announcements"] = [(f"game-{number}", number) for number in range(30)]
    bob.send(dismissal_form(bob, game))
    with bob.client.session_transaction() as session:
        seen_number = session["seen_announcements"]
    assert len(seen_number) == 20
    assert seen_number[-1][0] == game.slug
