"""From an invitation to the seat, for people who are signed out or new: one button, at most one email, a name."""

import re

import pytest
from werkzeug.test import TestResponse

from tests.lobby.pages.test_invitation import host_slug_and_invitation_path
from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.html import Page
from tests.support.visitors import Site, Visitor, open_table, table_link
from webapp.accounts.emails.sign_in import SignInContext
from webapp.kernel import urls


def _table_path(site: Site) -> tuple[Visitor, str, str]:
    """Return Alice, her table, and the path of its own link."""
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="3")
    return alice, slug, urls.invitation(table_link(alice, slug))


def _press(visitor: Visitor, invitation: str) -> TestResponse:
    return visitor.send(visitor.page(invitation).form(invitation))


def _request_email(site: Site, visitor: Visitor, address: str) -> SignInContext:
    visitor.send(visitor.page(urls.sign_in()).form(urls.sign_in()), address=address)
    [email] = site.deliver_emails()
    assert isinstance(email, SignInContext)
    return email


def _name(invitation: str) -> str:
    return f"{invitation}/name"


def test_invited_stranger_gets_the_seat_with_a_name_and_no_further_email(site: Site) -> None:
    alice, slug, invitation = host_slug_and_invitation_path(site)
    bob = site.signed_out()
    assert _press(bob, invitation).location == _name(invitation)
    answer = bob.send(bob.page(_name(invitation)).form(_name(invitation)), name="Bob")
    assert (answer.status_code, answer.location) == (303, urls.game(slug))
    assert "Bob" in alice.page(urls.game(slug)).text
    assert "Leave seat" in bob.page(urls.game(slug)).text
    assert site.deliver_emails() == []


def test_opened_name_page_creates_no_account(site: Site) -> None:
    _, _, invitation = host_slug_and_invitation_path(site)
    for _ in range(2):
        visitor = site.signed_out()
        _press(visitor, invitation)
        assert "What should we call you?" in visitor.page(_name(invitation)).text


def test_stranger_with_a_taken_name_gets_neither_account_nor_seat_yet(site: Site) -> None:
    alice, slug, invitation = host_slug_and_invitation_path(site)
    bob = site.signed_out()
    form = bob.page(_name(invitation)).form(_name(invitation))
    refused = bob.send(form, name="Alice")
    assert refused.status_code == 422
    assert Page(refused.text).form(_name(invitation)).fields["name"] == "Alice"
    assert bob.get(urls.game(slug)).status_code == 401
    assert bob.send(form, name="Bob").location == urls.game(slug)
    assert "Bob" in alice.page(urls.game(slug)).text


def test_invitation_signs_no_one_in_to_an_account_that_exists(site: Site) -> None:
    _, slug, invitation = host_slug_and_invitation_path(site)
    site.signed_in(BOB)
    thief = site.signed_out()
    assert _press(thief, invitation).location == urls.sign_in()
    assert thief.get(_name(invitation)).location == invitation
    answer = thief.post(_name(invitation), name="Mallory")
    assert answer.location == urls.sign_in()
    assert thief.get(urls.game(slug)).status_code == 401


def test_used_invitation_creates_no_second_account(site: Site) -> None:
    _, slug, invitation = host_slug_and_invitation_path(site)
    bob, mallory = site.signed_out(), site.signed_out()
    for visitor in (bob, mallory):
        visitor.page(_name(invitation))
    bob.post(_name(invitation), name="Bob")
    assert mallory.post(_name(invitation), name="Mallory").location == urls.sign_in()
    assert mallory.get(urls.game(slug)).status_code == 401
    assert "Have you taken a seat? Sign in" in mallory.page(invitation).text


def test_name_page_shows_only_a_masked_address(site: Site) -> None:
    _, _, invitation = host_slug_and_invitation_path(site)
    page = site.signed_out().page(_name(invitation))
    assert BOB.address not in page.text
    assert "b•••@example.test" in page.text


def test_invited_stranger_can_use_another_address(site: Site) -> None:
    alice, slug, invitation = host_slug_and_invitation_path(site)
    carol = site.signed_out()
    form = carol.page(_name(invitation)).form(invitation)
    assert carol.send(form).location == urls.sign_in()
    email = _request_email(site, carol, CAROL.address)
    assert carol.post(urls.sign_in_code(), code=email.code).location == _name(invitation)
    assert carol.post(_name(invitation), name="Carol").location == urls.game(slug)
    assert "Carol" in alice.page(urls.game(slug)).text


def test_table_link_seats_a_stranger_with_one_email_and_one_press(site: Site) -> None:
    alice, slug, link = _table_path(site)
    bob = site.signed_out()
    assert _press(bob, link).location == urls.sign_in()
    email = _request_email(site, bob, BOB.address)
    assert "Take your seat" in bob.get(urls.sign_in_code()).text
    assert bob.post(urls.sign_in_code(), code=email.code).location == _name(link)
    answer = bob.send(bob.page(_name(link)).form(_name(link)), name="Bob")
    assert answer.location == urls.game(slug)
    assert "Bob" in alice.page(urls.game(slug)).text


@pytest.mark.parametrize("way", ["code", "link"])
def test_table_link_seats_a_signed_out_player_on_signing_in(site: Site, way: str) -> None:
    alice, slug, link = _table_path(site)
    site.signed_in(BOB)
    bob = site.signed_out()
    _press(bob, link)
    email = _request_email(site, bob, BOB.address)
    if way == "code":
        answer = bob.post(urls.sign_in_code(), code=email.code)
    else:
        answer = bob.post(urls.sign_in_link(email.link_token))
    assert (answer.status_code, answer.location) == (303, urls.game(slug))
    assert "Bob" in alice.page(urls.game(slug)).text


def test_emailed_link_takes_the_seat_in_another_browser_where_the_address_is_typed(
    site: Site,
) -> None:
    _, slug, link = _table_path(site)
    computer, phone = site.signed_out(), site.signed_out()
    _press(computer, link)
    email = _request_email(site, computer, BOB.address)
    path = urls.sign_in_link(email.link_token)
    page = phone.page(path)
    assert "Sign in and take your seat" in page.text
    assert BOB.address not in page.text
    assert phone.send(page.form(path)).status_code == 409
    assert phone.send(page.form(path), address=MALLORY.address).status_code == 409
    assert phone.send(page.form(path), address=BOB.address).location == _name(link)
    assert phone.post(_name(link), name="Bob").location == urls.game(slug)


def test_sent_sign_in_link_signs_its_victim_in_to_no_other_account(site: Site) -> None:
    mallory, victim = site.signed_out(), site.signed_out()
    email = _request_email(site, mallory, MALLORY.address)
    path = urls.sign_in_link(email.link_token)
    answer = victim.send(victim.page(path).form(path), address=BOB.address)
    assert answer.status_code == 409
    assert victim.get(urls.profile()).location == urls.sign_in()


def test_five_wrong_addresses_use_up_a_link_in_other_browsers(site: Site) -> None:
    owner, other = site.signed_out(), site.signed_out()
    path = urls.sign_in_link(_request_email(site, owner, BOB.address).link_token)
    form = other.page(path).form(path)
    for _ in range(5):
        assert other.send(form, address=MALLORY.address).status_code == 409
    assert other.send(form, address=BOB.address).status_code == 409
    assert owner.post(path).location == urls.profile()


def test_address_to_sign_in_from_accepts_no_invitation(site: Site) -> None:
    _, slug, link = _table_path(site)
    site.signed_in(BOB)
    bob = site.signed_out()
    bob.get(urls.sign_in(return_path=link))
    email = _request_email(site, bob, BOB.address)
    assert bob.post(urls.sign_in_code(), code=email.code).location == link
    assert bob.get(urls.game(slug)).status_code == 404


def test_seat_is_not_taken_once_the_viewer_continues_elsewhere(site: Site) -> None:
    _, slug, link = _table_path(site)
    site.signed_in(BOB)
    bob = site.signed_out()
    _press(bob, link)
    bob.get(urls.sign_in(return_path=urls.clubs()))
    email = _request_email(site, bob, BOB.address)
    assert bob.post(urls.sign_in_code(), code=email.code).location == urls.clubs()
    assert bob.get(urls.game(slug)).status_code == 404


def test_table_that_fills_meanwhile_says_so_after_signing_in(site: Site) -> None:
    _, _, link = _table_path(site)
    site.signed_in(BOB)
    bob = site.signed_out()
    _press(bob, link)
    email = _request_email(site, bob, BOB.address)
    for other in (CAROL, MALLORY):
        site.signed_in(other).post(link)
    assert bob.post(urls.sign_in_code(), code=email.code).location == link
    text = bob.page(link).text
    assert "All seats at this table are taken" in text


def test_table_that_is_cancelled_meanwhile_is_gone_after_signing_in(site: Site) -> None:
    alice, slug, link = _table_path(site)
    site.signed_in(BOB)
    bob = site.signed_out()
    _press(bob, link)
    email = _request_email(site, bob, BOB.address)
    alice.post(urls.lobby_action(slug, "cancel"))
    assert bob.post(urls.sign_in_code(), code=email.code).location == link
    answer = bob.get(link)
    assert answer.status_code == 404
    assert "This invitation doesn't work any more" in answer.text


def test_full_table_is_refused_before_signing_in(site: Site) -> None:
    _, _, link = _table_path(site)
    visitor = site.signed_out()
    form = visitor.page(link).form(link)
    for other in (BOB, CAROL):
        site.signed_in(other).post(link)
    answer = visitor.send(form)
    assert answer.status_code == 409
    assert "The seats are filled. Ask Alice for the next table." in Page(answer.text).text


@pytest.mark.parametrize("path", ["", "/name"])
def test_unknown_invitation_says_what_may_have_happened(site: Site, path: str) -> None:
    answer = site.signed_out().get(urls.invitation("unknown-" + "x" * 35) + path)
    assert answer.status_code == 404
    assert "This invitation doesn't work any more" in answer.text


def test_seat_with_a_taken_name_asks_for_another_after_signing_in(site: Site) -> None:
    _, slug, link = _table_path(site)
    site.signed_in(BOB).post(urls.profile(), name="Alice", language="en", zone="UTC")
    bob = site.signed_out()
    _press(bob, link)
    email = _request_email(site, bob, BOB.address)
    assert bob.post(urls.sign_in_code(), code=email.code).location == _name(link)
    page = bob.page(_name(link))
    assert "Choose another name for this table" in page.text
    assert bob.send(page.form(_name(link)), name="Bobby").location == urls.game(slug)


def test_invitation_explains_the_game_and_shows_no_hexadecimal(site: Site) -> None:
    _, _, invitation = host_slug_and_invitation_path(site)
    page = site.signed_out().page(invitation)
    for text in ("some of you are secretly saboteurs", "Alice", "2 free seats", "1 day for each"):
        assert text in page.text
    assert re.findall(r"\b[0-9a-f]{32,}\b", page.text) == []
    assert page.text.count("Take a seat") == 1


@pytest.mark.parametrize(
    "browser_zone, languages, zone",
    [
        ("Europe/Riga", "en-GB", "Europe/Riga"),
        ("", "de-DE,de;q=0.9", "Europe/Berlin"),
        ("Nowhere/Land", "lv-LV", "Europe/Riga"),
        ("", "en-US", "UTC"),
        ("", "en", "UTC"),
    ],
)
def test_time_zone_of_a_newcomer_is_guessed(
    site: Site, browser_zone: str, languages: str, zone: str
) -> None:
    _, slug, invitation = host_slug_and_invitation_path(site)
    bob = site.signed_out()
    bob.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = languages
    bob.post(_name(invitation), name="Bob", zone=browser_zone)
    is_hinted = "Times are shown in UTC" in bob.get(urls.game(slug)).text
    assert bob.page(urls.profile()).form(urls.profile()).fields["zone"] == zone
    assert is_hinted == (zone == "UTC")
