"""A signed-out visitor to a game URL: one page that asks to sign in, whether or not there is such a game."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.html import Page
from tests.support.visitors import TABLE_VERBS, DealtGame, Site, Visitor, open_table
from webapp.accounts.emails.sign_in import SignInContext
from webapp.kernel import urls
from webapp.play.emails.turn_email import TurnContext

GATE_HEADING = "Sign in to see this page"
URL_FUNCTIONS = (urls.game, urls.history, urls.fairness, urls.export)


@pytest.fixture
def game(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL)


def missing_slug_like(slug: str) -> str:
    """Return a slug that no game has."""
    return "".join(reversed(slug))


def sign_in_at_gate(site: Site, visitor: Visitor, path: str) -> str:
    """Sign Alice in with the form of the gate at this path; return where that leads."""
    form = visitor.page(path, status=401).form(urls.sign_in())
    assert visitor.send(form, address=ALICE.address).location == urls.sign_in_code()
    [code] = [email.code for email in site.deliver_emails() if isinstance(email, SignInContext)]
    answer = visitor.post(urls.sign_in_code(), code=code)
    assert answer.status_code == 303
    return str(answer.location)


def test_turn_email_opened_on_a_new_phone_leads_to_the_game_after_signing_in(
    site: Site, game: DealtGame
) -> None:
    assert any(isinstance(email, TurnContext) for email in site.deliver_emails())
    phone_visitor = site.signed_out()
    assert sign_in_at_gate(site, phone_visitor, urls.game(game.slug)) == urls.game(game.slug)
    assert "It's your turn" in phone_visitor.page(urls.game(game.slug)).text


@pytest.mark.parametrize(
    "path",
    [
        urls.game("SLUG", card="map"),
        urls.history("SLUG", until=0, seat=1),
        urls.fairness("SLUG"),
        urls.export("SLUG"),
    ],
)
def test_signing_in_at_the_gate_returns_to_the_same_url(
    site: Site, game: DealtGame, path: str
) -> None:
    path = path.replace("SLUG", game.slug)
    phone_visitor = site.signed_out()
    assert sign_in_at_gate(site, phone_visitor, path) == path
    assert phone_visitor.get(path).status_code == 200


def test_two_gates_in_one_browser_lead_to_their_own_games(site: Site, game: DealtGame) -> None:
    other_game = site.dealt_game(ALICE, BOB, CAROL, seed="other")
    phone_visitor = site.signed_out()
    form = phone_visitor.page(urls.game(game.slug), status=401).form(urls.sign_in())
    phone_visitor.page(urls.game(other_game.slug), status=401)
    phone_visitor.send(form, address=ALICE.address)
    [code] = [email.code for email in site.deliver_emails() if isinstance(email, SignInContext)]
    assert phone_visitor.post(urls.sign_in_code(), code=code).location == urls.game(game.slug)


@pytest.mark.parametrize("path", URL_FUNCTIONS)
def test_gate_is_the_same_for_private_and_missing_games(
    site: Site, game: DealtGame, path: Callable[[str], str]
) -> None:
    lobby = open_table(site.signed_in(ALICE))
    pages = []
    for slug in (game.slug, lobby, missing_slug_like(game.slug), "a.b", "x" * 40):
        answer = site.signed_out().get(path(slug))
        page = Page(answer.text)
        assert GATE_HEADING in page.text
        assert page.form(urls.sign_in()).fields["return_path"] == path(slug)
        pages.append((answer.status_code, page.text, answer.headers["WWW-Authenticate"]))
    assert pages[0][0] == 401
    assert len(set(pages)) == 1


def test_gate_names_no_player_and_no_game(site: Site, game: DealtGame) -> None:
    text = site.signed_out().get(urls.game(game.slug)).text
    for secret in ("Alice", "Bob", "Carol", "Round", "en-2004"):
        assert secret not in text


def test_refused_email_address_keeps_the_return_path(site: Site, game: DealtGame) -> None:
    phone_visitor = site.signed_out()
    form = phone_visitor.page(urls.history(game.slug), status=401).form(urls.sign_in())
    answer = phone_visitor.send(form, address="no-address")
    assert answer.status_code == 422
    phone_visitor.send(Page(answer.text).form(urls.sign_in()), address=ALICE.address)
    [code] = [email.code for email in site.deliver_emails() if isinstance(email, SignInContext)]
    assert phone_visitor.post(urls.sign_in_code(), code=code).location == urls.history(game.slug)


@pytest.mark.parametrize("path", ["//evil.example", "https://evil.example/", "/\\evil.example"])
def test_gate_form_returns_to_no_other_site(site: Site, game: DealtGame, path: str) -> None:
    phone_visitor = site.signed_out()
    form = phone_visitor.page(urls.game(game.slug), status=401).form(urls.sign_in())
    phone_visitor.send(form, address=ALICE.address, return_path=path)
    [code] = [email.code for email in site.deliver_emails() if isinstance(email, SignInContext)]
    assert phone_visitor.post(urls.sign_in_code(), code=code).location == urls.home()


@pytest.mark.parametrize("verb", TABLE_VERBS)
def test_post_of_a_signed_out_visitor_leads_to_signing_in_and_changes_nothing(
    site: Site, game: DealtGame, verb: str
) -> None:
    alice = game.visitors[0]
    public_slug = open_table(alice, audience="public")
    earlier_texts = [alice.page(urls.game(slug)).text for slug in (game.slug, public_slug)]
    answers = set()
    for slug in (game.slug, missing_slug_like(game.slug), public_slug):
        visitor = site.signed_out()
        fields = {"seq": "0", "do": "pass", "address": "x@example.test"}
        answer = visitor.post(urls.lobby_action(slug, verb), **fields)
        answers.add((answer.status_code, answer.location))
        with visitor.client.session_transaction() as session:
            assert session["return_path"] == urls.game(slug)
    assert answers == {(303, urls.sign_in())}
    assert [alice.page(urls.game(slug)).text for slug in (game.slug, public_slug)] == earlier_texts


def test_public_games_and_tables_stay_visible_without_signing_in(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, public=True)
    for path in URL_FUNCTIONS:
        assert site.signed_out().get(path(game.slug)).status_code == 200
    lobby = open_table(site.signed_in(ALICE), audience="public")
    assert site.signed_out().get(urls.game(lobby)).status_code == 200


def test_missing_part_of_a_public_game_is_not_found_instead_of_gated(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, public=True)
    lobby = open_table(site.signed_in(ALICE), audience="public")
    for path in (urls.history(game.slug, until=999), urls.history(lobby), urls.export(lobby)):
        assert site.signed_out().get(path).status_code == 404


def test_ended_session_gets_the_gate_and_is_dropped(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    site.clock.move(timedelta(days=181))
    assert GATE_HEADING in alice.page(urls.game(game.slug), status=401).text
    with alice.client.session_transaction() as session:
        assert "token" not in session


def test_signed_in_stranger_gets_the_one_page_for_what_does_not_exist(
    site: Site, game: DealtGame
) -> None:
    mallory = site.signed_in(MALLORY)
    for path in URL_FUNCTIONS:
        private_path, missing_path = (
            mallory.page(path(slug), status=404)
            for slug in (game.slug, missing_slug_like(game.slug))
        )
        assert private_path.text == missing_path.text
        assert GATE_HEADING not in private_path.text


def test_gate_works_by_keyboard_and_says_what_its_field_is(site: Site, game: DealtGame) -> None:
    text = site.signed_out().get(urls.game(game.slug)).text
    assert '<label class="field__label" for="address">' in text
    assert 'type="email"' in text
    assert 'autocomplete="email"' in text
    assert "autofocus" in text
    assert "<script" not in text
