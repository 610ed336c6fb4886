"""How many of a person's latest turns were in time, on their account page and wherever others might join them."""

import io
import json
import zipfile
from datetime import timedelta

import pytest

from tests.support.acts import site_moderator
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.caused_emails import ref_of
from tests.support.factories import DAY, sign_in_guest
from tests.support.html import Page
from tests.support.late_games import let_time_run_out, set_late_rules
from tests.support.seat_offers import open_and_offer
from tests.support.turn_ends import store_turn_ends
from tests.support.visitors import Site, open_table, table_link
from webapp.kernel import urls


@pytest.mark.parametrize(
    "kinds, sentence",
    [
        (["played"] * 7, "New here: 7 of 7 turns on time."),
        (["late"], "New here: 0 of 1 turn on time."),
        (["late", "missed", *["played"] * 48], "96% of the last 50 turns on time."),
        (["played"] * 50 + ["missed"] * 20, "100% of the last 50 turns on time."),
    ],
)
def test_profile_shows_the_share_of_turns_in_time(
    site: Site, kinds: list[str], sentence: str
) -> None:
    store_turn_ends(site.database, ALICE, kinds)
    assert sentence in site.signed_in(ALICE).page(urls.profile()).text


def test_turns_missed_on_one_day_count_as_one(site: Site) -> None:
    store_turn_ends(site.database, ALICE, ["missed"] * 3, interval=timedelta(hours=1))
    store_turn_ends(site.database, ALICE, ["played"] * 9)
    assert "90% of the last 10 turns on time." in site.signed_in(ALICE).page(urls.profile()).text


def test_excused_and_old_turns_are_not_held_against_the_player(site: Site) -> None:
    store_turn_ends(site.database, ALICE, ["missed"], cause="away")
    store_turn_ends(site.database, ALICE, ["played"] * 10)
    store_turn_ends(site.database, ALICE, ["played", "missed"], interval=181 * DAY)
    text = site.signed_in(ALICE).page(urls.profile()).text
    assert "1 late or missed turn isn't counted" in text
    assert "100% of the last 11 turns on time." in text


def test_turn_that_a_moderator_played_does_not_count_for_the_player(site: Site) -> None:
    store_turn_ends(site.database, ALICE, ["played"] * 12, by="moderator")
    assert "No turns with other people yet." in site.signed_in(ALICE).page(urls.profile()).text


ALICE_SENTENCE = "90% of the last 10 turns on time."


@pytest.fixture
def reliable_alice(site: Site) -> None:
    store_turn_ends(site.database, ALICE, ["late", *["played"] * 9])


def assert_shown_to_signed_in_people_only(site: Site, path: str, *sentences: str) -> None:
    text = site.signed_in(DAVE).page(path).text
    assert all(sentence in text for sentence in sentences), text
    assert "on time." not in site.signed_out().page(path).text


@pytest.mark.usefixtures("reliable_alice")
def test_lobby_and_invitation_show_how_reliable_the_others_are(site: Site) -> None:
    alice, bob = site.signed_in(ALICE), site.signed_in(BOB)
    slug = open_table(alice, audience="public")
    bob.post(urls.lobby_action(slug, "sit"))
    for path in (urls.game(slug), urls.invitation(table_link(alice, slug))):
        assert_shown_to_signed_in_people_only(
            site, path, ALICE_SENTENCE, "No turns with other people yet."
        )


@pytest.mark.usefixtures("reliable_alice")
def test_page_of_players_shows_how_reliable_the_others_are(site: Site) -> None:
    game = site.dealt_game(BOB, ALICE, CAROL)
    bob = game.visitors[0]
    links = bob.page(urls.game(game.slug)).links
    [sheet_link] = [link for link in links if link.text.startswith("Alice's reliability")]
    page, anchor = sheet_link.href.split("#")
    assert ALICE_SENTENCE in bob.page(page).text
    assert anchor in bob.page(page).element_ids


@pytest.mark.usefixtures("reliable_alice")
def test_seat_offer_shows_how_reliable_the_others_are(site: Site) -> None:
    slug = site.dealt_game(ALICE, BOB, CAROL).slug
    path = urls.seat_offer(open_and_offer(site.database, slug))
    assert_shown_to_signed_in_people_only(site, path, ALICE_SENTENCE)


@pytest.mark.usefixtures("reliable_alice")
def test_open_seat_shows_how_reliable_the_others_are(site: Site) -> None:
    slug = site.dealt_game(BOB, ALICE, CAROL, starter=0, public=True).slug
    set_late_rules(site.database, slug)
    let_time_run_out(site.database, slug, now=site.clock.now)
    assert_shown_to_signed_in_people_only(site, urls.open_seat(slug), ALICE_SENTENCE)


@pytest.mark.usefixtures("reliable_alice")
def test_moderators_see_what_other_players_see(site: Site) -> None:
    alice = sign_in_guest(site.database, ALICE)
    mo = site.signed_out().with_session(site_moderator(site.database).cookie)
    page = mo.page(urls.moderated_person(ref_of(site.database, alice)))
    assert f"What other players see: {ALICE_SENTENCE}" in page.text


@pytest.mark.usefixtures("reliable_alice")
def test_download_contains_the_reliability(site: Site) -> None:
    alice = site.signed_in(ALICE)
    form = alice.page(urls.account_export()).form(urls.account_export())
    archive = zipfile.ZipFile(io.BytesIO(alice.send(form).data))
    assert json.loads(archive.read("reliability.json")) == {
        "on_time_count": 9,
        "late_count": 1,
        "missed_day_count": 0,
        "excused_count": 0,
        "percent": 90,
    }


@pytest.mark.usefixtures("reliable_alice")
def test_condition_is_chosen_shown_and_explained_on_refusal(site: Site) -> None:
    alice = site.signed_in(ALICE)
    store_turn_ends(site.database, BOB, ["late"] * 4 + ["played"] * 6)
    slug = open_table(alice, audience="public", lowest_reliability="80")
    bob = site.signed_in(BOB)
    for path in (urls.game(slug), urls.invitation(table_link(alice, slug))):
        page = bob.page(path)
        assert "Players need at least 80% of their turns in time. New players" in page.text
        answer = bob.send(next(form for form in page.forms if form.action in {path, sit_of(slug)}))
        assert answer.status_code == 409
        assert "at least 80% of their turns in time. You're at 60%." in Page(answer.text).text


@pytest.mark.usefixtures("reliable_alice")
def test_pages_of_free_seats_explain_why_a_person_cannot_take_them(site: Site) -> None:
    store_turn_ends(site.database, BOB, ["late"] * 4 + ["played"] * 6)
    slug = site.dealt_game(CAROL, ALICE, DAVE, starter=0, public=True).slug
    set_late_rules(site.database, slug, lowest_reliability=80)
    let_time_run_out(site.database, slug, now=site.clock.now)
    path = urls.open_seat(slug)
    assert "You're at 60%." in site.signed_in(BOB).page(path).text
    path = urls.seat_offer(open_and_offer(site.database, slug))
    assert "You're at 60%." in site.signed_in(BOB).page(path).text


@pytest.mark.usefixtures("reliable_alice")
def test_host_who_asks_for_more_than_they_reach_sees_why_not(site: Site) -> None:
    alice = site.signed_in(ALICE)
    form = alice.page(urls.new_game()).form(urls.tables())
    for share, reason in (
        ("95", "You take 90% of your turns in time, so you couldn't join this table yourself."),
        ("7", "Please pick one of the choices listed."),
        ("x" * 300, "Please pick one of the choices listed."),
    ):
        answer = alice.send(form, lowest_reliability=share)
        assert answer.status_code == 422
        assert reason in Page(answer.text).text


def sit_of(slug: str) -> str:
    return urls.lobby_action(slug, "sit")
