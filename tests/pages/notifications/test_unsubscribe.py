"""RFC 8058: one press in the mail program, no cookie, no sign-in, as often as it likes."""

import pytest
from sqlalchemy import insert, update

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import NOON
from tests.support.visitors import Site, open_table
from webapp import urls
from webapp.services.notifications.email_context import TurnContext
from webapp.services.tx import transaction
from webapp.store.schema.notifications import OptOut
from webapp.store.schema.play import Game

ENCODINGS = ["application/x-www-form-urlencoded", "multipart/form-data"]


@pytest.fixture
def tokens(site: Site) -> dict[str, str]:
    """What Alice's turn letter carries, by what each ends."""
    site.dealt_game(ALICE, BOB, CAROL)
    [letter] = [letter for letter in site.deliver_emails() if isinstance(letter, TurnContext)]
    ends = letter.envelope.unsubscribe
    assert ends.game
    assert ends.reminders
    assert ends.everything
    return {"game": ends.game, "reminders": ends.reminders, "everything": ends.everything}


def is_done(site: Site, token: str) -> bool:
    return "You get no more" in site.signed_out().page(urls.unsubscribe(token)).words


@pytest.mark.parametrize("scope", ["game", "reminders", "everything"])
def test_looking_ends_nothing_and_says_what_would_end(
    site: Site, tokens: dict[str, str], scope: str
) -> None:
    path = urls.unsubscribe(tokens[scope])
    for _ in range(3):
        page = site.signed_out().page(path)
    assert page.has_form(path)
    assert not is_done(site, tokens[scope])


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_one_click_needs_no_cookie_and_no_mark_and_may_be_repeated(
    site: Site, tokens: dict[str, str], encoding: str
) -> None:
    path = urls.unsubscribe(tokens["game"])
    for _ in range(3):
        answer = site.signed_out().client.post(
            path, data={"List-Unsubscribe": "One-Click"}, content_type=encoding
        )
        assert answer.status_code == 200
        assert "Location" not in answer.headers
    assert is_done(site, tokens["game"])


def test_one_click_is_heard_without_a_body_too(site: Site, tokens: dict[str, str]) -> None:
    path = urls.unsubscribe(tokens["reminders"])
    assert site.signed_out().client.post(path).status_code == 200
    assert is_done(site, tokens["reminders"])


def test_a_person_presses_the_button_and_can_take_it_back(
    site: Site, tokens: dict[str, str]
) -> None:
    visitor = site.signed_out()
    path = urls.unsubscribe(tokens["everything"])
    visitor.send(visitor.page(path).form(path))
    back = urls.resubscribe(tokens["everything"])
    answer = visitor.send(visitor.page(path).form(back))
    assert answer.status_code == 200
    assert "You get these letters again" in answer.text
    assert not is_done(site, tokens["everything"])


def test_the_page_tells_nobody_whose_letters_they_are(site: Site, tokens: dict[str, str]) -> None:
    for token in tokens.values():
        assert ALICE.address not in site.signed_out().get(urls.unsubscribe(token)).text


STOPPED = {
    "game": "You have stopped the letters about Alice's table",
    "everything": "You have stopped all letters but those you sign in with",
    "reminders": "You have stopped the reminders",
}


@pytest.mark.parametrize("where", ["table", "profile"])
@pytest.mark.parametrize("scope", list(STOPPED))
def test_who_stopped_letters_reads_so_on_the_site_and_has_them_again_by_one_press(
    site: Site, scope: str, where: str
) -> None:
    seated = site.dealt_game(ALICE, BOB, CAROL)
    alice, bob, _ = seated.visitors
    [letter] = [letter for letter in site.deliver_emails() if isinstance(letter, TurnContext)]
    site.signed_out().client.post(urls.unsubscribe(getattr(letter.envelope.unsubscribe, scope)))
    path = urls.profile() if where == "profile" else urls.game(seated.slug)
    page = alice.page(path)
    if (scope, where) == ("reminders", "table"):
        assert "You have stopped" not in page.words
        return
    assert STOPPED[scope] in page.words
    assert "You have stopped" not in bob.page(path).words
    form = page.form(urls.profile_emails())
    assert alice.client.post(form.action, data=form.fields | {"csrf_token": ""}).status_code == 400
    answer = alice.send(form)
    assert (answer.status_code, answer.location) == (303, path)
    page = alice.page(path)
    assert "You get these letters again." in page.words
    assert "You have stopped" not in page.words
    assert not is_done(site, getattr(letter.envelope.unsubscribe, scope))


def test_at_another_table_and_once_a_table_is_over_nothing_is_said_of_its_letters(
    site: Site, tokens: dict[str, str]
) -> None:
    site.signed_out().client.post(urls.unsubscribe(tokens["game"]))
    other = site.dealt_game(ALICE, BOB, CAROL, luck="other")
    assert "You have stopped" not in other.visitors[0].page(urls.game(other.slug)).words
    assert "You have stopped" in other.visitors[0].page(urls.profile()).words
    with transaction(site.database) as tx:
        tx.connection.execute(update(Game).values(status="finished"))
    assert "You have stopped" not in other.visitors[0].page(urls.profile()).words


def test_it_is_read_before_the_deal_too(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice)
    with transaction(site.database) as tx:
        stopped = {"address": ALICE.address, "scope": "everything", "at": NOON}
        tx.connection.execute(insert(OptOut).values(stopped))
    assert STOPPED["everything"] in alice.page(urls.game(slug)).words


def test_letters_are_wanted_again_by_nobody_for_others_and_the_way_leads_nowhere_else(
    site: Site, tokens: dict[str, str]
) -> None:
    site.signed_out().client.post(urls.unsubscribe(tokens["everything"]))
    assert (
        site.signed_out().post(urls.profile_emails(), scope="everything").location == urls.sign_in()
    )
    bob = site.signed_in(BOB)
    answer = bob.post(urls.profile_emails(), scope="everything", then="//evil.test/")
    assert (answer.status_code, answer.location) == (303, urls.profile())
    assert is_done(site, tokens["everything"])
    for scope in ("", "all", "\x00"):
        assert bob.post(urls.profile_emails(), scope=scope).status_code == 422
    assert bob.post(urls.profile_emails(), scope="game", table="\x00\ud7ff").status_code == 303


def test_an_unknown_token_is_no_page(site: Site) -> None:
    visitor = site.signed_out()
    assert visitor.get(urls.unsubscribe("unknown")).status_code == 404
    assert visitor.client.post(urls.unsubscribe("unknown")).status_code == 404
