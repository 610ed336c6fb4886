"""A browser still has the cookie of a session that has ended: it counts as signed out."""

from datetime import timedelta

import pytest
from werkzeug.test import TestResponse

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.html import Page
from tests.support.statements import recorded_statements
from tests.support.visitors import TABLE_VERBS, DealtGame, Site, Visitor
from webapp.kernel import urls

URL_FUNCTIONS = (urls.game, urls.history, urls.fairness, urls.export)
FORM_FIELDS = {"seq": "0", "do": "pass", "address": "x@example.test"}


@pytest.fixture
def game(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL)


@pytest.fixture
def alice(site: Site, game: DealtGame) -> Visitor:
    """Alice's browser half a year after she signed in."""
    alice = game.visitors[0]
    alice.token()
    site.clock.move(timedelta(days=181))
    return alice


def return_path(visitor: Visitor) -> str:
    """Return where the browser continues after signing in."""
    with visitor.client.session_transaction() as session:
        return str(session["return_path"])


def has_token(visitor: Visitor) -> bool:
    with visitor.client.session_transaction() as session:
        return "token" in session


def test_game_page_of_an_ended_session_asks_to_sign_in(alice: Visitor, game: DealtGame) -> None:
    page = alice.page(urls.game(game.slug), status=401)
    assert "Sign in to see this page" in page.text
    assert "Your account" not in page.text
    assert page.form(urls.sign_in()).fields["return_path"] == urls.game(game.slug)
    assert not has_token(alice)


def test_public_game_of_an_ended_session_offers_to_sign_in(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, public=True)
    site.clock.move(timedelta(days=181))
    for path in (urls.game, urls.history, urls.fairness):
        visitor = site.signed_out().with_session(game.guests[0].cookie)
        page_text = visitor.page(path(game.slug)).text
        assert "Sign in" in page_text
        assert "Your account" not in page_text


def test_home_page_of_an_ended_session_offers_to_sign_in(alice: Visitor) -> None:
    assert "Your account" not in alice.page(urls.home()).text


@pytest.mark.parametrize("verb", TABLE_VERBS)
def test_form_of_an_ended_session_redirects_to_sign_in_and_back(
    alice: Visitor, game: DealtGame, verb: str
) -> None:
    answer = send_form(alice, game.slug, verb)
    assert (answer.status_code, answer.location) == (303, urls.sign_in())
    assert return_path(alice) == urls.game(game.slug)
    assert "Please sign in first" in alice.page(urls.sign_in()).text


@pytest.mark.parametrize("verb", TABLE_VERBS)
def test_form_of_an_ended_session_at_a_public_game_redirects_to_sign_in(
    site: Site, verb: str
) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, public=True)
    alice = game.visitors[0]
    alice.token()
    site.clock.move(timedelta(days=181))
    assert send_form(alice, game.slug, verb).location == urls.sign_in()


def test_profile_form_of_an_ended_session_redirects_to_sign_in_and_back(alice: Visitor) -> None:
    fields = {"csrf_token": alice.token(), "name": "Alice", "language": "en", "zone": "UTC"}
    answer = alice.client.post(urls.profile(), data=fields)
    assert (answer.status_code, answer.location) == (303, urls.sign_in())
    assert return_path(alice) == urls.profile()


def test_session_that_another_browser_ended_asks_to_sign_in(site: Site, game: DealtGame) -> None:
    other_browser = site.signed_in(ALICE)
    other_browser.post(urls.other_sessions())
    page = game.visitors[0].page(urls.game(game.slug), status=401)
    assert "Sign in to see this page" in page.text


def test_ended_session_cannot_tell_private_games_from_missing_ones(
    site: Site, alice: Visitor, game: DealtGame
) -> None:
    missing_slug = "".join(reversed(game.slug))
    for path in URL_FUNCTIONS:
        assert answer_to_get(site, alice, game, path(game.slug)) == answer_to_get(
            site, alice, game, path(missing_slug)
        )
    for verb in TABLE_VERBS:
        assert answer_to_form(site, alice, game, game.slug, verb) == answer_to_form(
            site, alice, game, missing_slug, verb
        )


def test_missing_game_offers_no_sign_in_to_a_signed_in_player(site: Site, game: DealtGame) -> None:
    page = site.signed_in(ALICE).page(urls.game("".join(reversed(game.slug))), status=404)
    assert "Your account" in page.text
    assert "Sign in" not in page.text


def send_form(visitor: Visitor, slug: str, verb: str) -> TestResponse:
    return visitor.client.post(
        urls.lobby_action(slug, verb), data={"csrf_token": visitor.token(), **FORM_FIELDS}
    )


def answer_to_form(
    site: Site, visitor: Visitor, game: DealtGame, slug: str, verb: str
) -> tuple[object, ...]:
    """Return the answer to a form, and the database statements that it took."""
    csrf_token = visitor.token()
    visitor.with_session(game.guests[0].cookie)
    with recorded_statements(site.database) as statements:
        answer = visitor.client.post(
            urls.lobby_action(slug, verb), data={"csrf_token": csrf_token, **FORM_FIELDS}
        )
    return answer.status_code, answer.location, statements


def answer_to_get(site: Site, visitor: Visitor, game: DealtGame, path: str) -> tuple[object, ...]:
    visitor.with_session(game.guests[0].cookie)
    with recorded_statements(site.database) as statements:
        answer = visitor.get(path)
    return answer.status_code, Page(answer.text).text, statements
