"""Unsubscribing without signing in, by the button and by RFC 8058, and resubscribing."""

import pytest
from sqlalchemy import insert, update

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.transactions import NOON, transaction
from tests.support.visitors import Site, open_table
from webapp.kernel import urls
from webapp.mail.schema import OptOut
from webapp.play.emails.turn_email import TurnContext
from webapp.play.schema import Game

FORM_CONTENT_TYPES = ["application/x-www-form-urlencoded", "multipart/form-data"]


@pytest.fixture
def tokens(site: Site) -> dict[str, str]:
    """What Alice's turn email carries, by what each ends."""
    site.dealt_game(ALICE, BOB, CAROL)
    [email] = [email for email in site.deliver_emails() if isinstance(email, TurnContext)]
    ends = email.envelope.unsubscribe
    assert ends.game
    assert ends.reminders
    assert ends.everything
    return {"game": ends.game, "reminders": ends.reminders, "everything": ends.everything}


def is_unsubscribed(site: Site, token: str) -> bool:
    return "We won't send you these emails" in site.signed_out().page(urls.unsubscribe(token)).text


@pytest.mark.parametrize("scope", ["game", "reminders", "everything"])
def test_opening_the_link_changes_nothing_and_names_the_emails(
    site: Site, tokens: dict[str, str], scope: str
) -> None:
    path = urls.unsubscribe(tokens[scope])
    for _ in range(3):
        page = site.signed_out().page(path)
    assert page.has_form(path)
    assert not is_unsubscribed(site, tokens[scope])


@pytest.mark.parametrize("encoding", FORM_CONTENT_TYPES)
def test_one_click_post_needs_no_cookie_and_no_token_and_may_repeat(
    site: Site, tokens: dict[str, str], encoding: str
) -> None:
    path = urls.unsubscribe(tokens["game"])
    for _ in range(3):
        answer = site.signed_out().client.post(
            path, data={"List-Unsubscribe": "One-Click"}, content_type=encoding
        )
        assert answer.status_code == 200
        assert "Location" not in answer.headers
    assert is_unsubscribed(site, tokens["game"])


def test_one_click_post_works_without_a_body(site: Site, tokens: dict[str, str]) -> None:
    path = urls.unsubscribe(tokens["reminders"])
    assert site.signed_out().client.post(path).status_code == 200
    assert is_unsubscribed(site, tokens["reminders"])


def test_button_unsubscribes_and_another_resubscribes(site: Site, tokens: dict[str, str]) -> None:
    visitor = site.signed_out()
    path = urls.unsubscribe(tokens["everything"])
    visitor.send(visitor.page(path).form(path))
    resubscribe_path = urls.resubscribe(tokens["everything"])
    answer = visitor.send(visitor.page(path).form(resubscribe_path))
    assert answer.status_code == 200
    assert "get these emails again" in answer.text
    assert not is_unsubscribed(site, tokens["everything"])


def test_unsubscribe_page_does_not_show_the_recipient(site: Site, tokens: dict[str, str]) -> None:
    for token in tokens.values():
        assert ALICE.address not in site.signed_out().get(urls.unsubscribe(token)).text


STOPPED_SENTENCES = {
    "game": "You've stopped emails about Alice's table",
    "everything": "You've stopped all email except sign-in links",
    "reminders": "You've stopped reminders",
}


@pytest.mark.parametrize("page_with_button", ["table", "profile"])
@pytest.mark.parametrize("scope", list(STOPPED_SENTENCES))
def test_opt_out_is_shown_on_the_site_with_a_button_to_resubscribe(
    site: Site, scope: str, page_with_button: str
) -> None:
    dealt_game = site.dealt_game(ALICE, BOB, CAROL)
    alice, bob, _ = dealt_game.visitors
    [email] = [email for email in site.deliver_emails() if isinstance(email, TurnContext)]
    site.signed_out().client.post(urls.unsubscribe(getattr(email.envelope.unsubscribe, scope)))
    path = urls.profile() if page_with_button == "profile" else urls.game(dealt_game.slug)
    page = alice.page(path)
    if (scope, page_with_button) == ("reminders", "table"):
        assert "You've stopped" not in page.text
        return
    assert STOPPED_SENTENCES[scope] in page.text
    assert "You've stopped" not in bob.page(path).text
    form = page.form(urls.profile_emails())
    assert alice.client.post(form.action, data=form.fields | {"csrf_token": ""}).status_code == 400
    answer = alice.send(form)
    assert (answer.status_code, answer.location) == (303, path)
    page = alice.page(path)
    assert "You'll get these emails again." in page.text
    assert "You've stopped" not in page.text
    assert not is_unsubscribed(site, getattr(email.envelope.unsubscribe, scope))


def test_opt_out_of_a_game_is_not_shown_at_other_or_finished_games(
    site: Site, tokens: dict[str, str]
) -> None:
    site.signed_out().client.post(urls.unsubscribe(tokens["game"]))
    other = site.dealt_game(ALICE, BOB, CAROL, seed="other")
    assert "You've stopped" not in other.visitors[0].page(urls.game(other.slug)).text
    assert "You've stopped" in other.visitors[0].page(urls.profile()).text
    with transaction(site.database) as tx:
        tx.execute(update(Game).values(status="finished"))
    assert "You've stopped" not in other.visitors[0].page(urls.profile()).text


def test_opt_out_is_shown_in_the_lobby(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice)
    with transaction(site.database) as tx:
        stopped_fields = {"address": ALICE.address, "scope": "everything", "at": NOON}
        tx.execute(insert(OptOut).values(stopped_fields))
    assert STOPPED_SENTENCES["everything"] in alice.page(urls.game(slug)).text


def test_player_resubscribes_only_themselves_and_stays_on_this_site(
    site: Site, tokens: dict[str, str]
) -> None:
    site.signed_out().client.post(urls.unsubscribe(tokens["everything"]))
    assert (
        site.signed_out().post(urls.profile_emails(), scope="everything").location == urls.sign_in()
    )
    bob = site.signed_in(BOB)
    answer = bob.post(urls.profile_emails(), scope="everything", return_path="//evil.test/")
    assert (answer.status_code, answer.location) == (303, urls.profile())
    assert is_unsubscribed(site, tokens["everything"])
    for scope in ("", "all", "\x00"):
        assert bob.post(urls.profile_emails(), scope=scope).status_code == 422
    assert bob.post(urls.profile_emails(), scope="game", table="\x00\ud7ff").status_code == 303


def test_unknown_token_is_not_found(site: Site) -> None:
    visitor = site.signed_out()
    assert visitor.get(urls.unsubscribe("unknown")).status_code == 404
    assert visitor.client.post(urls.unsubscribe("unknown")).status_code == 404
