import re

import pytest

from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.html import Page
from tests.support.visitors import Site, Visitor, open_table, table_link
from webapp import urls
from webapp.services.notifications.email_context import (
    DealtContext,
    InvitationContext,
    ReadyCheckContext,
    TurnContext,
)

VERBS = ("sit", "stand", "ready", "unready", "fill", "cancel", "starter", "invite")


def do(visitor: Visitor, slug: str, verb: str, **fields: str) -> str:
    """Press the button of the table's page; what the page then says."""
    page = visitor.page(urls.game(slug))
    answer = visitor.send(page.form(urls.lobby_action(slug, verb)), **fields)
    assert (answer.status_code, answer.location) == (303, urls.game(slug)), Page(answer.text).words
    return visitor.page(urls.game(slug)).words


def refused(visitor: Visitor, slug: str, verb: str, **fields: str) -> str:
    """Send what the page does not offer; what is said to that."""
    answer = visitor.post(urls.lobby_action(slug, verb), **fields)
    assert answer.status_code in {409, 422}, (verb, answer.status_code)
    return Page(answer.text).words


def full_table(site: Site) -> tuple[str, Visitor, Visitor, Visitor]:
    alice, bob, carol = (site.signed_in(who) for who in (ALICE, BOB, CAROL))
    slug = open_table(alice, seats="3", audience="public")
    do(bob, slug, "sit")
    do(carol, slug, "sit")
    return slug, alice, bob, carol


def test_three_people_sit_down_get_ready_and_are_dealt_cards(site: Site) -> None:
    slug, alice, bob, carol = full_table(site)
    assert [type(letter) for letter in site.deliver_emails()] == [ReadyCheckContext] * 3
    for visitor in (alice, bob):
        assert "as soon as the others are" in do(visitor, slug, "ready", salt="a grain")
    assert "Round 1 of 3" in do(carol, slug, "ready")
    kinds = [type(letter) for letter in site.deliver_emails()]
    assert kinds.count(DealtContext) == 3
    assert kinds.count(TurnContext) == 1


def test_a_seat_can_be_chosen_and_left(site: Site) -> None:
    alice, bob = site.signed_in(ALICE), site.signed_in(BOB)
    slug = open_table(alice, seats="4", audience="public")
    page = bob.page(urls.game(slug))
    sits = [form for form in page.forms if form.action == urls.lobby_action(slug, "sit")]
    assert [form.fields["seat"] for form in sits] == ["1", "2", "3"]
    assert "Free seat 2 Free seat 3 Free seat 4" in page.words
    bob.send(sits[2])
    assert "1 seat" not in bob.page(urls.game(slug)).words
    do(bob, slug, "stand")
    assert "3 seats are still free" in bob.page(urls.game(slug)).words


def test_readiness_can_be_taken_back(site: Site) -> None:
    slug, alice, *_ = full_table(site)
    do(alice, slug, "ready", salt="a grain")
    words = do(alice, slug, "unready")
    assert "Are you ready?" in words


def test_standing_up_asks_everybody_anew(site: Site) -> None:
    slug, alice, bob, _ = full_table(site)
    do(alice, slug, "ready")
    do(bob, slug, "stand")
    assert "1 seat is still free" in alice.page(urls.game(slug)).words


@pytest.mark.parametrize("audience", ["invited", "public"])
def test_who_stands_up_goes_where_one_may_still_look_and_may_press_twice(
    site: Site, audience: str
) -> None:
    alice, bob = site.signed_in(ALICE), site.signed_in(BOB)
    slug = open_table(alice, seats="4", audience=audience)
    bob.post(urls.invitation(table_link(alice, slug)))
    form = bob.page(urls.game(slug)).form(urls.lobby_action(slug, "stand"))
    there = urls.game(slug) if audience == "public" else urls.home()
    for _ in range(2):
        answer = bob.send(form)
        assert (answer.status_code, answer.location) == (303, there)
        assert "You have stood up." in bob.page(there).words
    assert "3 seats are still free" in alice.page(urls.game(slug)).words


def test_a_host_who_stood_up_goes_on_to_see_the_table(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="4")
    form = alice.page(urls.game(slug)).form(urls.lobby_action(slug, "stand"))
    assert [alice.send(form).location for _ in range(2)] == [urls.game(slug)] * 2


def test_the_mark_of_who_sat_there_is_of_no_use_to_others(site: Site) -> None:
    alice, mallory = site.signed_in(ALICE), site.signed_in(MALLORY)
    slug = open_table(alice)
    form = alice.page(urls.game(slug)).form(urls.lobby_action(slug, "stand"))
    assert mallory.post(form.action, mark=form.fields["mark"]).status_code == 404


def test_bots_take_the_free_seats_and_the_cards_are_dealt(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="10")
    assert "Round 1 of 3" in do(alice, slug, "fill")


def test_the_host_says_who_starts(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="3")
    assert "Chance decides." in alice.page(urls.game(slug)).words
    do(alice, slug, "starter", starter="1")
    assert "Seat 1 begins." in alice.page(urls.game(slug)).words
    do(alice, slug, "fill")
    assert "It is your turn" in alice.page(urls.game(slug)).words


def test_a_cancelled_table_stays_to_be_looked_at_with_its_secrets_open(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice)
    words = do(alice, slug, "cancel")
    assert "The host has cancelled this table" in words
    assert not any(
        alice.page(urls.game(slug)).has_form(urls.lobby_action(slug, verb)) for verb in VERBS
    )
    page = alice.page(urls.fairness(slug))
    assert len(set(re.findall(r"\b[0-9a-f]{64}\b", page.words))) == 8


def test_an_invitation_goes_out_and_is_listed_for_those_at_the_table(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, audience="public")
    words = do(alice, slug, "invite", address="bob@example.test")
    assert "The invitation is on its way." in words
    assert "bob@example.test" in words
    [letter] = site.deliver_emails()
    assert isinstance(letter, InvitationContext)
    assert "bob@example.test" not in site.signed_out().page(urls.game(slug)).words


def test_who_has_no_name_yet_is_not_told_that_an_invitation_went_out(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE), audience="public")
    bob = site.newcomer(BOB)
    assert bob.post(urls.lobby_action(slug, "invite"), address="x@example.test").status_code == 303
    assert "on its way" not in bob.page(urls.profile()).words


@pytest.mark.parametrize(
    "address",
    [
        "",
        "nobody",
        "b@example.test\r\nBcc: c@example.test",
        "b@exam\x00ple.test",
        "<b@example.test>",
    ],
)
def test_an_invitation_to_no_address_is_refused_and_what_was_typed_stays(
    site: Site, address: str
) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice)
    answer = alice.post(urls.lobby_action(slug, "invite"), address=address)
    assert answer.status_code == 422
    assert 'id="address"' in answer.text
    assert 'aria-invalid="true"' in answer.text
    assert site.deliver_emails() == []


def test_nobody_is_invited_twice(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice)
    do(alice, slug, "invite", address="bob@example.test")
    assert "was invited before" in refused(alice, slug, "invite", address="BOB@example.test")


@pytest.mark.parametrize("salt", ["x" * 65, "ж" * 33, "a\x00b", "a\nb", "\x1b[31m"])
def test_salt_that_no_record_can_hold_is_refused(site: Site, salt: str) -> None:
    slug, alice, *_ = full_table(site)
    answer = alice.post(urls.lobby_action(slug, "ready"), salt=salt)
    assert answer.status_code == 422
    assert "not ready yet" in alice.page(urls.game(slug)).words


def test_what_is_only_for_the_host_is_refused_to_others(site: Site) -> None:
    slug, _, bob, _ = full_table(site)
    page = bob.page(urls.game(slug))
    for verb in ("fill", "cancel", "starter"):
        assert not page.has_form(urls.lobby_action(slug, verb))
        assert "Only the host" in refused(bob, slug, verb, starter="1")


def test_what_is_only_for_those_at_the_table_is_refused_to_others(site: Site) -> None:
    slug, *_ = full_table(site)
    mallory = site.signed_in(MALLORY)
    page = mallory.page(urls.game(slug))
    assert not any(page.has_form(urls.lobby_action(slug, verb)) for verb in VERBS)
    for verb in ("stand", "ready", "unready", "invite"):
        assert "You do not sit" in refused(mallory, slug, verb, address="x@example.test")
    assert "taken" in refused(mallory, slug, "sit")


def test_private_table_does_not_exist_for_a_signed_in_stranger(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE))
    mallory = site.signed_in(MALLORY)
    for path in (urls.game(slug), urls.history(slug), urls.fairness(slug), urls.export(slug)):
        assert mallory.get(path).status_code == 404
    for verb in VERBS:
        answer = mallory.post(urls.lobby_action(slug, verb), address="x@example.test", starter="1")
        assert answer.status_code == 404, verb


def test_a_stranger_at_a_public_table_is_led_to_signing_in_and_back(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE), audience="public")
    visitor = site.signed_out()
    answer = visitor.post(urls.lobby_action(slug, "sit"))
    assert (answer.status_code, answer.location) == (303, urls.sign_in())
    with visitor.client.session_transaction() as session:
        assert session["return_path"] == urls.game(slug)


@pytest.mark.parametrize("seat", ["0", "9", "99999999999", "-1", "x", "\x00"])
def test_a_seat_that_is_taken_or_not_there_is_refused(site: Site, seat: str) -> None:
    slug = open_table(site.signed_in(ALICE), seats="3", audience="public")
    refused(site.signed_in(BOB), slug, "sit", seat=seat)


def test_sitting_down_twice_is_sitting_once(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE), seats="4", audience="public")
    bob = site.signed_in(BOB)
    do(bob, slug, "sit")
    assert "You sit at this table already" in refused(bob, slug, "sit")
    assert "2 seats are still free" in bob.page(urls.game(slug)).words


@pytest.mark.parametrize("verb", VERBS)
def test_lobby_form_of_a_game_that_has_begun_redirects_to_the_table_with_a_message(
    site: Site, verb: str
) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="3", bots="1")
    answer = alice.post(urls.lobby_action(slug, verb), address="x@example.test", starter="1")
    assert (answer.status_code, answer.location) == (303, urls.game(slug))
    first, second = (alice.page(urls.game(slug)).words for _ in range(2))
    assert "Round 1 of 3" in first
    assert "its seats are settled" in first or "You sit at this table already" in first
    assert "its seats are settled" not in second


def test_lobby_form_of_an_onlooker_redirects_to_the_table_with_a_message(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE), seats="3", bots="1", audience="public")
    mallory = site.signed_in(MALLORY)
    assert mallory.post(urls.lobby_action(slug, "fill")).location == urls.game(slug)
    words = mallory.page(urls.game(slug)).words
    assert "Round 1 of 3" in words
    assert "Only the host" in words


def test_names_at_a_table_are_escaped(site: Site) -> None:
    alice = site.signed_in(ALICE)
    alice.post(urls.profile(), name="<i>Al</i>", language="en", zone="UTC")
    slug = open_table(alice, seats="3", audience="public")
    for path in (urls.game(slug), urls.home(), urls.fairness(slug)):
        assert "<i>" not in site.signed_out().get(path).text
    do(alice, slug, "fill")
    for path in (urls.game(slug), urls.history(slug)):
        answer = alice.get(path).text
        assert "<i>" not in answer
        assert "&lt;i&gt;" in answer


def called_alice(site: Site, slug: str) -> Visitor:
    """Bob, who is called Alice too, and is refused a seat for it."""
    bob = site.signed_in(BOB)
    bob.post(urls.profile(), name="alice", language="en", zone="UTC")
    return bob


def test_whose_name_is_taken_chooses_another_on_the_same_page(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE), seats="4", audience="public")
    bob = called_alice(site, slug)
    sits = [form for form in bob.page(urls.game(slug)).forms if "/sit" in form.action]
    answer = bob.send(sits[1])
    assert answer.status_code == 422
    page = Page(answer.text)
    assert "Somebody at this table is called Alice" in page.words
    [form] = [form for form in page.forms if form.action == urls.lobby_action(slug, "sit")]
    assert (form.fields["seat"], form.fields["name"]) == ("2", "alice")
    assert bob.send(form, name="Bob").status_code == 303
    page = bob.page(urls.game(slug))
    assert "Bob you" in page.words
    assert "Somebody at this table" not in page.words


def test_a_name_that_is_wrong_again_is_asked_for_again(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE), seats="4", audience="public")
    bob = called_alice(site, slug)
    for typed, said in (
        ("A1ice", "is called Alice"),
        ("Bob (bot)", "leave out brackets"),
        ("a\x00b", "cannot be shown"),
        ("<i>" * 11, "too long"),
    ):
        answer = bob.post(urls.lobby_action(slug, "sit"), seat="1", name=typed)
        assert answer.status_code == 422
        page = Page(answer.text)
        assert said in page.words
        assert page.form(urls.lobby_action(slug, "sit")).fields["seat"] == "1"
        assert "<i>" not in answer.text


def test_everybody_sees_the_commitments_before_any_salt(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE), audience="public")
    page = site.signed_out().page(urls.game(slug))
    assert len(set(re.findall(r"\b[0-9a-f]{64}\b", page.words))) == 4
