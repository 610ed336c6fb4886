"""An offered seat, from the form of the host to the seat of the person who accepts."""

import re

import pytest

from tests.support.acts import perform_act, store_peek
from tests.support.cast import ALICE, BOB, CAROL, DAVE, MALLORY
from tests.support.factories import sign_in_guest, stored_game
from tests.support.html import Page
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.accounts.emails.sign_in import SignInContext
from webapp.kernel import urls
from webapp.kernel.rights import GameRight
from webapp.lobby.emails.seat_offer import SeatOfferContext
from webapp.moderation.emails.moderator_act import ModeratorActContext

OFFER = GameRight.OFFER_SEAT


@pytest.fixture
def game(site: Site) -> DealtGame:
    """A private game of Alice, who hosts it, Bob and Carol; Bob's seat was opened."""
    dealt = site.dealt_game(ALICE, BOB, CAROL)
    perform_act(site.database, dealt.slug, GameRight.OPEN_SEAT, seat=1, now=site.clock.now)
    site.deliver_emails()
    return dealt


def _press_offer_button(visitor: Visitor, slug: str, **to: str) -> Page:
    """Offer the open seat as the page of the act does; return the page that follows."""
    shown_page = visitor.page(urls.moderated_act(slug, OFFER, seat=2, **to))
    form = next(
        form for form in shown_page.forms if "reason" in form.fields or form.method == "post"
    )
    answer = visitor.send(form, reason="Bob has no time")
    assert answer.status_code == 303, Page(answer.text).text
    return Page(visitor.get(answer.location).text)


def _seat_offer_link(visitor: Visitor, slug: str) -> str:
    """Offer the seat by link and return its path."""
    _press_offer_button(visitor, slug)
    html = visitor.get(urls.moderated_act(slug, OFFER)).text
    [token] = re.findall(r"/seat-offers/([\w=-]+)", html)
    return urls.seat_offer(token)


def _emailed_path(site: Site) -> str:
    [email] = [
        email_context
        for email_context in site.deliver_emails()
        if isinstance(email_context, SeatOfferContext)
    ]
    return urls.seat_offer(email.token)


def test_newcomer_signs_in_and_takes_the_seat(site: Site, game: DealtGame) -> None:
    page = _press_offer_button(game.visitors[0], game.slug, address=DAVE.address)
    assert "Seat 2, to dave@example.test waiting for an answer" in page.text
    path = _emailed_path(site)
    dave = site.signed_out()
    shown_page = dave.page(path)
    assert "You're asked to take over Bob's seat" in shown_page.text
    assert "Alice offers you seat 2 at Alice's table." in shown_page.text
    assert "cards in hand" in shown_page.text
    assert dave.send(shown_page.form(path)).location == urls.sign_in()
    dave.send(dave.page(urls.sign_in()).form(urls.sign_in()), address=DAVE.address)
    [email] = site.deliver_emails()
    assert isinstance(email, SignInContext)
    assert dave.post(urls.sign_in_code(), code=email.code).location == urls.profile()
    answer = dave.send(dave.page(urls.profile()).form(urls.profile()), name="Dave")
    assert answer.location == path
    answer = dave.send(dave.page(path).form(path))
    assert (answer.status_code, answer.location) == (303, urls.briefing(game.slug))
    sentence = "Dave takes over seat 2. It was offered by Alice."
    assert sentence in dave.page(urls.game(game.slug)).text
    assert "Dave, who was asked to join" in game.visitors[2].page(urls.game(game.slug)).text
    emails = [
        email_context
        for email_context in site.deliver_emails()
        if isinstance(email_context, ModeratorActContext)
    ]
    assert len(emails) == 3
    assert "accepted" in game.visitors[0].page(urls.moderated_act(game.slug, OFFER)).text
    assert "You've accepted this offer." in dave.page(path).text


def test_opening_the_offer_link_accepts_nothing(site: Site, game: DealtGame) -> None:
    path = _seat_offer_link(game.visitors[0], game.slug)
    for visitor in (site.signed_out(), site.signed_in(DAVE)):
        visitor.page(path)
    assert stored_game(site.database, game.slug, game.guests[0]).row.seats[1].account_id is None


def test_accept_button_pressed_twice_seats_once(site: Site, game: DealtGame) -> None:
    path, dave = _seat_offer_link(game.visitors[0], game.slug), site.signed_in(DAVE)
    form = dave.page(path).form(path)
    for _ in range(2):
        assert dave.send(form).location == urls.briefing(game.slug)


def test_second_person_with_the_link_reads_that_the_seat_is_gone(
    site: Site, game: DealtGame
) -> None:
    path = _seat_offer_link(game.visitors[0], game.slug)
    dave, mallory = site.signed_in(DAVE), site.signed_in(MALLORY)
    form = mallory.page(path).form(path)
    dave.send(dave.page(path).form(path))
    answer = mallory.send(form)
    assert answer.status_code == 409
    assert "This seat isn't open to you any more" in Page(answer.text).text
    assert mallory.get(urls.game(game.slug)).status_code == 404


def test_host_can_not_take_the_seat_they_offer(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    path = _seat_offer_link(alice, game.slug)
    page = alice.page(path)
    assert "You already have a seat at this table." in page.text
    assert not [form for form in page.forms if form.action == path]


def test_moderator_who_peeked_reads_why_and_the_host_does_not(site: Site, game: DealtGame) -> None:
    store_peek(site.database, game.slug, sign_in_guest(site.database, DAVE))
    text_for_known_address = _press_offer_button(
        game.visitors[0], game.slug, address=DAVE.address
    ).text
    assert [
        email_context
        for email_context in site.deliver_emails()
        if isinstance(email_context, SeatOfferContext)
    ] == []
    text_for_unknown_address = _press_offer_button(
        game.visitors[0], game.slug, address="new@example.test"
    ).text
    assert "to dave@example.test waiting for an answer" in text_for_known_address
    assert "to new@example.test waiting for an answer" in text_for_unknown_address
    path, dave = _seat_offer_link(game.visitors[0], game.slug), site.signed_in(DAVE)
    assert "looked at the roles and cards" in dave.page(path).text


def test_declining_a_seat_offer_needs_no_account(site: Site, game: DealtGame) -> None:
    _press_offer_button(game.visitors[0], game.slug, address=DAVE.address)
    path, signed_out_visitor = _emailed_path(site), site.signed_out()
    decline_path = f"{path}/decline"
    assert (
        signed_out_visitor.send(signed_out_visitor.page(path).form(decline_path)).location == path
    )
    assert "You've declined this offer." in signed_out_visitor.page(path).text
    assert "declined" in game.visitors[0].page(urls.moderated_act(game.slug, OFFER)).text


def test_offer_is_withdrawn_from_the_list(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    path = _seat_offer_link(alice, game.slug)
    withdraw_page = alice.page(urls.moderated_act(game.slug, GameRight.WITHDRAW_OFFER))
    assert "The offer of seat 2 is withdrawn." in withdraw_page.text
    form = next(
        form for form in withdraw_page.forms if form.method == "post" and "seat" in form.fields
    )
    assert alice.send(form, reason="found someone").status_code == 303
    page = site.signed_in(DAVE).page(path)
    assert "This seat isn't open to you any more" in page.text


@pytest.mark.parametrize(
    "to",
    [
        {"address": "<script>alert(1)</script>"},
        {"address": "a\r\nBcc: all@example.test"},
        {"name": "\u202eevaD"},
        {"name": "Dave", "address": DAVE.address},
        {"address": "x" * 5000 + "@example.test"},
        {"seat": "99", "address": DAVE.address},
        {"seat": "x"},
    ],
)
def test_hostile_input_of_a_seat_offer_is_explained(
    site: Site, game: DealtGame, to: dict[str, str]
) -> None:
    alice = game.visitors[0]
    shown_page = alice.page(urls.moderated_act(game.slug, OFFER, seat="2"))
    form = next(
        form for form in shown_page.forms if form.method == "post" and "seat" in form.fields
    )
    answer = alice.send(form, **{"seat": "2", "reason": "hm"} | to)
    assert answer.status_code == 422
    assert "<script>alert" not in answer.text
    assert site.deliver_emails() == []


def test_link_shows_nothing_of_a_private_game_once_the_offer_is_over(
    site: Site, game: DealtGame
) -> None:
    path = _seat_offer_link(game.visitors[0], game.slug)
    perform_act(site.database, game.slug, GameRight.CANCEL_GAME, now=site.clock.now)
    page = site.signed_out().page(path)
    assert "This seat isn't open to you any more" in page.text
    for text in ("Bob", "Carol", "cards in hand", "Gold-digger"):
        assert text not in page.text


def test_two_names_that_look_alike_are_not_seated_together(site: Site, game: DealtGame) -> None:
    path = _seat_offer_link(game.visitors[0], game.slug)
    other = site.signed_in(ALICE._replace(address="alice@elsewhere.test"))
    answer = other.send(other.page(path).form(path))
    assert answer.status_code == 422
    form = Page(answer.text).form(path)
    assert other.send(form, name="Agatha").status_code == 303
