import re

import pytest

from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.html import Form, Page
from tests.support.lobby_forms import LOBBY_VERBS, refused_lobby_form, send_lobby_form
from tests.support.visitors import Site, Visitor, open_table, table_link
from webapp.kernel import urls
from webapp.lobby.emails.ready_check import ReadyCheckContext
from webapp.play.emails.dealt import DealtContext
from webapp.play.emails.turn_email import TurnContext


def full_table(site: Site) -> tuple[str, Visitor, Visitor, Visitor]:
    alice, bob, carol = (site.signed_in(character) for character in (ALICE, BOB, CAROL))
    slug = open_table(alice, seats="3", audience="public")
    send_lobby_form(bob, slug, "sit")
    send_lobby_form(carol, slug, "sit")
    return slug, alice, bob, carol


def test_cards_are_dealt_once_three_seated_players_are_ready(site: Site) -> None:
    slug, alice, bob, carol = full_table(site)
    assert [type(email) for email in site.deliver_emails()] == [ReadyCheckContext] * 3
    for visitor in (alice, bob):
        assert "The cards are dealt once everyone else is ready" in send_lobby_form(
            visitor, slug, "ready", salt="a grain"
        )
    assert "Round 1 of 3" in send_lobby_form(carol, slug, "ready")
    kinds = [type(email) for email in site.deliver_emails()]
    assert kinds.count(DealtContext) == 2
    assert kinds.count(TurnContext) == 1


def test_player_takes_a_chosen_seat_and_leaves_it(site: Site) -> None:
    alice, bob = site.signed_in(ALICE), site.signed_in(BOB)
    slug = open_table(alice, seats="4", audience="public")
    page = bob.page(urls.game(slug))
    sit_forms = [form for form in page.forms if form.action == urls.lobby_action(slug, "sit")]
    assert [form.fields["seat"] for form in sit_forms] == ["1", "2", "3"]
    assert "Free seat 2 Free seat 3 Free seat 4" in page.text
    bob.send(sit_forms[2])
    assert "1 seat" not in bob.page(urls.game(slug)).text
    send_lobby_form(bob, slug, "leave")
    assert "3 seats are still free" in bob.page(urls.game(slug)).text


def test_player_can_withdraw_readiness(site: Site) -> None:
    slug, alice, *_ = full_table(site)
    send_lobby_form(alice, slug, "ready", salt="a grain")
    page_text = send_lobby_form(alice, slug, "unready")
    assert "Are you ready?" in page_text


def test_leaving_a_seat_reopens_the_table(site: Site) -> None:
    slug, alice, bob, _ = full_table(site)
    send_lobby_form(alice, slug, "ready")
    send_lobby_form(bob, slug, "leave")
    assert "1 seat is still free" in alice.page(urls.game(slug)).text


@pytest.mark.parametrize("audience", ["invited", "public"])
def test_leaving_a_seat_redirects_to_a_visible_page_also_when_sent_twice(
    site: Site, audience: str
) -> None:
    alice, bob = site.signed_in(ALICE), site.signed_in(BOB)
    slug = open_table(alice, seats="4", audience=audience)
    bob.post(urls.invitation(table_link(alice, slug)))
    form = bob.page(urls.game(slug)).form(urls.lobby_action(slug, "leave"))
    expected_url = urls.game(slug) if audience == "public" else urls.home()
    for _ in range(2):
        answer = bob.send(form)
        assert (answer.status_code, answer.location) == (303, expected_url)
        assert "You've left your seat." in bob.page(expected_url).text
    assert "3 seats are still free" in alice.page(urls.game(slug)).text


def test_host_without_a_seat_still_sees_the_table(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="4")
    form = alice.page(urls.game(slug)).form(urls.lobby_action(slug, "leave"))
    assert [alice.send(form).location for _ in range(2)] == [urls.game(slug)] * 2


def test_leave_token_of_one_player_does_not_work_for_another(site: Site) -> None:
    alice, mallory = site.signed_in(ALICE), site.signed_in(MALLORY)
    slug = open_table(alice)
    form = alice.page(urls.game(slug)).form(urls.lobby_action(slug, "leave"))
    assert mallory.post(form.action, form_token=form.fields["form_token"]).status_code == 404


def test_bots_take_the_free_seats_and_cards_are_dealt(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="10")
    assert "Round 1 of 3" in send_lobby_form(alice, slug, "fill")


def test_bots_have_the_level_that_the_host_chooses(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="3")
    page_text = send_lobby_form(alice, slug, "fill", level="easy")
    assert page_text.count(" bot, easy ") == 2


@pytest.mark.parametrize("level", ["random", "brilliant", ""])
def test_level_that_is_not_offered_is_refused(site: Site, level: str) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="3")
    form = alice.page(urls.game(slug)).form(urls.lobby_action(slug, "fill"))
    answer = alice.send(form, level=level)
    assert answer.status_code == 422
    assert "Please choose how the bots play: easy, steady or keen." in Page(answer.text).text
    assert "2 seats are still free" in alice.page(urls.game(slug)).text


def test_host_sets_the_starting_player(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="3")
    assert "Chosen at random." in alice.page(urls.game(slug)).text
    send_lobby_form(alice, slug, "starter", starter="1")
    assert "Seat 1 goes first." in alice.page(urls.game(slug)).text
    send_lobby_form(alice, slug, "fill")
    assert "It's your turn" in alice.page(urls.game(slug)).text


def test_cancelled_table_stays_visible_with_its_secrets(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice)
    page_text = send_lobby_form(alice, slug, "cancel")
    assert "The host cancelled this table" in page_text
    assert not any(
        alice.page(urls.game(slug)).has_form(urls.lobby_action(slug, verb)) for verb in LOBBY_VERBS
    )
    page = alice.page(urls.fairness(slug))
    assert len(set(re.findall(r"\b[0-9a-f]{64}\b", page.text))) == 8


@pytest.mark.parametrize("salt", ["x" * 65, "ж" * 33, "a\x00b", "a\nb", "\x1b[31m"])
def test_salt_that_the_record_cannot_hold_is_refused(site: Site, salt: str) -> None:
    slug, alice, *_ = full_table(site)
    answer = alice.post(urls.lobby_action(slug, "ready"), salt=salt)
    assert answer.status_code == 422
    assert "not ready yet" in alice.page(urls.game(slug)).text


def ready_form(visitor: Visitor, slug: str) -> Form:
    return visitor.page(urls.game(slug)).form(urls.lobby_action(slug, "ready"))


def test_random_words_are_filled_in_already(site: Site) -> None:
    slug, alice, bob, _ = full_table(site)
    suggestions = [ready_form(visitor, slug).fields["salt"] for visitor in (alice, alice, bob)]
    assert suggestions[0] == suggestions[1] != suggestions[2]
    assert all(re.fullmatch(r"([a-z]{5} ){7}[a-z]{5}", words) for words in suggestions)


@pytest.mark.parametrize("salt", ["", "   "])
def test_no_one_adds_no_words(site: Site, salt: str) -> None:
    slug, alice, *_ = full_table(site)
    suggestion = ready_form(alice, slug).fields["salt"]
    answer = alice.post(urls.lobby_action(slug, "ready"), salt=salt)
    assert answer.status_code == 422
    assert "Please keep the suggested words" in answer.text
    assert f'value="{suggestion}"' in answer.text
    assert "not ready yet" in alice.page(urls.game(slug)).text


def test_player_of_a_game_with_bots_adds_the_suggested_words(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice)
    send_lobby_form(alice, slug, "fill")
    page_text = alice.page(urls.fairness(slug)).text
    assert re.search(r"Alice\s+([a-z]{5} ){7}[a-z]{5}\b", page_text)


def test_host_actions_are_refused_to_other_players(site: Site) -> None:
    slug, _, bob, _ = full_table(site)
    page = bob.page(urls.game(slug))
    for verb in ("fill", "cancel", "starter", "remove"):
        assert not page.has_form(urls.lobby_action(slug, verb))
        assert "Only the host" in refused_lobby_form(bob, slug, verb, starter="1", seat="1")


def test_actions_of_seated_players_are_refused_to_others(site: Site) -> None:
    slug, *_ = full_table(site)
    mallory = site.signed_in(MALLORY)
    page = mallory.page(urls.game(slug))
    assert not any(page.has_form(urls.lobby_action(slug, verb)) for verb in LOBBY_VERBS)
    for verb in ("leave", "ready", "unready", "invite"):
        assert "You don't have a seat" in refused_lobby_form(
            mallory, slug, verb, address="x@example.test"
        )
    assert "taken" in refused_lobby_form(mallory, slug, "sit")


def test_private_table_does_not_exist_for_a_signed_in_stranger(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE))
    mallory = site.signed_in(MALLORY)
    for path in (urls.game(slug), urls.history(slug), urls.fairness(slug), urls.export(slug)):
        assert mallory.get(path).status_code == 404
    for verb in LOBBY_VERBS:
        answer = mallory.post(
            urls.lobby_action(slug, verb), address="x@example.test", starter="1", seat="1"
        )
        assert answer.status_code == 404, verb


def test_signed_out_visitor_at_a_public_table_is_redirected_to_sign_in(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE), audience="public")
    visitor = site.signed_out()
    answer = visitor.post(urls.lobby_action(slug, "sit"))
    assert (answer.status_code, answer.location) == (303, urls.sign_in())
    with visitor.client.session_transaction() as session:
        assert session["return_path"] == urls.game(slug)


@pytest.mark.parametrize("seat", ["0", "9", "99999999999", "-1", "x", "\x00"])
def test_taken_or_missing_seat_is_refused(site: Site, seat: str) -> None:
    slug = open_table(site.signed_in(ALICE), seats="3", audience="public")
    refused_lobby_form(site.signed_in(BOB), slug, "sit", seat=seat)


def test_sitting_down_twice_takes_one_seat(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE), seats="4", audience="public")
    bob = site.signed_in(BOB)
    send_lobby_form(bob, slug, "sit")
    assert "You already have a seat at this table" in refused_lobby_form(bob, slug, "sit")
    assert "2 seats are still free" in bob.page(urls.game(slug)).text


@pytest.mark.parametrize("verb", LOBBY_VERBS)
def test_lobby_form_of_a_game_that_has_begun_redirects_to_the_table_with_a_message(
    site: Site, verb: str
) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="3", bots="1")
    answer = alice.post(
        urls.lobby_action(slug, verb), address="x@example.test", starter="1", seat="1"
    )
    assert (answer.status_code, answer.location) == (303, urls.game(slug))
    first_text, second_text = (alice.page(urls.game(slug)).text for _ in range(2))
    assert "Round 1 of 3" in first_text
    assert (
        "its seats can't change" in first_text
        or "You already have a seat at this table" in first_text
    )
    assert "its seats can't change" not in second_text


def test_lobby_form_of_an_onlooker_redirects_to_the_table_with_a_message(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE), seats="3", bots="1", audience="public")
    mallory = site.signed_in(MALLORY)
    assert mallory.post(urls.lobby_action(slug, "fill")).location == urls.game(slug)
    page_text = mallory.page(urls.game(slug)).text
    assert "Round 1 of 3" in page_text
    assert "Only the host" in page_text


def test_commitments_are_public_before_any_salt(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE), audience="public")
    page = site.signed_out().page(urls.fairness(slug))
    assert len(set(re.findall(r"\b[0-9a-f]{64}\b", page.text))) == 4


def test_lobby_shows_no_hexadecimal(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="3", audience="public")
    for visitor in (alice, site.signed_out()):
        assert re.findall(r"\b[0-9a-f]{32,}\b", visitor.page(urls.game(slug)).text) == []


def test_lobby_offers_to_invite_before_bots(site: Site) -> None:
    alice = site.signed_in(ALICE)
    text = alice.get(urls.game(open_table(alice, seats="3"))).text
    assert text.index('id="invite"') < text.index('id="bots"')


def test_bots_wait_for_people_whom_the_host_has_invited(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="3")
    early_form = alice.page(urls.game(slug)).form(urls.lobby_action(slug, "fill"))
    send_lobby_form(alice, slug, "invite", address=BOB.address)
    assert "1 person you invited hasn't answered yet" in alice.page(urls.game(slug)).text
    refused = alice.send(early_form)
    assert refused.status_code == 409
    assert "Bots take the seats only if you confirm that" in Page(refused.text).text
    assert "Round 1 of 3" in send_lobby_form(alice, slug, "fill")
