"""The pages of clubs: founding one, its page, its tables, leaving it and closing it."""

import msgspec
import pytest

from engine.rulebook import HouseRules
from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.clubs import club_profile, found_club, join_club
from tests.support.factories import (
    Guest,
    deal_game,
    open_table,
    play_to_end,
    sign_in_guests,
    table_settings,
)
from tests.support.html import Page
from tests.support.statements import recorded_statements, without_begin_and_commit
from tests.support.visitors import Site, Visitor
from webapp.kernel import urls
from webapp.kernel.tx import Database


def found_a_club(visitor: Visitor, **fields: str) -> str:
    """Found a club with its form and return its slug."""
    form = visitor.page(urls.new_club()).form(urls.clubs())
    answer = visitor.send(form, **({"name": "Night shift"} | fields))
    assert answer.status_code == 303, Page(answer.text).text
    return str(answer.location.split("/")[2])


@pytest.fixture
def guests(database: Database) -> list[Guest]:
    return sign_in_guests(database, ALICE, BOB, CAROL)


@pytest.fixture
def busy_club(database: Database, guests: list[Guest]) -> str:
    """A public club of Alice and Bob with a finished game, a running one and an open table."""
    slug = found_club(database, guests[0], club_profile(is_public=True))
    join_club(database, slug, guests[1])
    settings = msgspec.structs.replace(table_settings(house=HouseRules(rounds=1)), club=slug)
    for count in range(2):
        game = deal_game(database, guests, settings)
        if not count:
            play_to_end(database, game, guests)
    open_table(database, guests[0], msgspec.structs.replace(settings, seats=4))
    return slug


def visitor_of(site: Site, guest: Guest) -> Visitor:
    return site.signed_out().with_session(guest.cookie)


def test_founder_sees_every_page_of_a_new_club(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = found_a_club(alice, description="We dig on Tuesdays.\nBring a lantern.")
    assert "Night shift" in alice.page(urls.clubs()).text
    page = alice.page(urls.club(slug))
    assert "We dig on Tuesdays." in page.text
    assert "private club" in page.text
    assert "1 member" in page.text
    assert "No game of the club has ended yet" in page.text
    assert "Finished games" not in page.text
    assert "See which games are stuck" not in page.text
    assert "You're alone here so far" in alice.page(urls.club_members(slug)).text
    assert "Close the club" in alice.page(urls.club_settings(slug)).text


def test_form_sent_twice_founds_one_club(site: Site) -> None:
    alice = site.signed_in(ALICE)
    form = alice.page(urls.new_club()).form(urls.clubs())
    answers = [alice.send(form, name="Night shift") for _ in range(2)]
    assert answers[0].location == answers[1].location
    assert alice.page(urls.clubs()).text.count("Night shift") == 1


@pytest.mark.parametrize(
    "fields, sentence",
    [
        ({"name": ""}, "Please fill this in"),
        ({"name": "x" * 61}, "at most 60 characters"),
        ({"name": "Night\u202eshift"}, "characters we can't show"),
        ({"name": "Club [1]"}, "can't contain brackets"),
        ({"description": "x" * 1001}, "at most 1000 characters"),
        ({"description": "a\nb\n" * 40}, "at most 40 lines"),
        ({"description": "e" + "\u0301" * 9}, "use plain text"),
        ({"rulebook": "none-such"}, "pick one"),
        ({"pace": "custom", "allowance": "0"}, "five minutes to thirty days"),
    ],
)
def test_impossible_club_is_refused_with_a_sentence_and_kept_input(
    site: Site, fields: dict[str, str], sentence: str
) -> None:
    alice = site.signed_in(ALICE)
    form = alice.page(urls.new_club()).form(urls.clubs())
    answer = alice.send(form, **({"name": "Night shift"} | fields))
    assert answer.status_code == 422
    assert sentence in Page(answer.text).text
    assert "<script" not in answer.text


def test_hostile_texts_are_shown_as_text(site: Site) -> None:
    alice = site.signed_in(ALICE)
    hostile_name = "<script>alert(1)</script> {{ 7*7 }} %(x)s"
    slug = found_a_club(alice, name="<b>Dig<b> %s", description=hostile_name)
    for path in (urls.clubs(), urls.club(slug), urls.club_members(slug), urls.club_settings(slug)):
        answer = alice.get(path)
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        assert "<b>Dig" not in answer.text


def test_private_club_looks_like_a_missing_one(site: Site) -> None:
    slug = found_a_club(site.signed_in(ALICE))
    mallory, visitor = site.signed_in(MALLORY), site.signed_out()
    for suffix in ("", "/members", "/settings"):
        answers = []
        for club in (slug, "zzzzzzzzzzzz"):
            with recorded_statements(site.database) as statements:
                answer = mallory.get(urls.club(club) + suffix)
            answers.append((answer.status_code, Page(answer.text).text, len(statements)))
        assert answers[0] == answers[1]
        assert answers[0][0] == 404
        statuses = [visitor.get(urls.club(club) + suffix).status_code for club in (slug, "zzzz")]
        assert statuses == [401, 401]
    for verb in ("ask", "leave", "announce", "invite", "link", "seasons", "settings", "close"):
        assert mallory.post(urls.club_action(slug, verb)).status_code in {404, 422}


def test_member_joins_a_table_of_the_club_without_an_invitation(
    site: Site, guests: list[Guest]
) -> None:
    alice, bob, carol = (visitor_of(site, guest) for guest in guests)
    slug = found_a_club(alice)
    join_club(site.database, slug, guests[1])
    form = alice.page(urls.new_game(club=slug)).form(urls.tables())
    assert form.fields["club"] == slug
    game = alice.send(form).location.rpartition("/")[2]
    assert "Night shift" in bob.page(urls.game(game)).text
    assert "free seat" in bob.page(urls.club(slug)).text
    assert "Alice's table" in bob.page(urls.home()).text
    assert (
        bob.send(bob.page(urls.game(game)).form(urls.lobby_action(game, "sit"))).status_code == 303
    )
    assert carol.get(urls.game(game)).status_code == 404


def test_new_table_begins_with_the_defaults_of_the_club(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = found_a_club(
        alice,
        rulebook="uk-2017",
        rounds="2",
        pace="custom",
        allowance="5",
        unit="hours",
        open_gold="y",
    )
    fields = alice.page(urls.new_game(club=slug)).form(urls.tables()).fields
    chosen_fields = {name: fields[name] for name in ("rulebook", "rounds", "allowance", "unit")}
    assert chosen_fields == {
        "rulebook": "uk-2017",
        "rounds": "2",
        "allowance": "5",
        "unit": "hours",
    }
    assert "open_gold" in fields
    assert alice.page(urls.new_game()).form(urls.tables()).fields["rulebook"] == "en-2004"


def test_new_table_begins_with_what_the_club_does_about_late_players(site: Site) -> None:
    alice = site.signed_in(ALICE)
    late_rules = {
        "absence": "stop",
        "absence_days": "7",
        "strikes": "5",
        "replacement": "bot",
    }
    slug = found_a_club(alice, **late_rules)
    fields = alice.page(urls.new_game(club=slug)).form(urls.tables()).fields
    assert {name: fields[name] for name in late_rules} == late_rules

    settings_form = alice.page(urls.club_settings(slug)).form(urls.club_action(slug, "settings"))
    assert {name: settings_form.fields[name] for name in late_rules} == late_rules
    alice.send(settings_form, absence="neutral", strikes="0")
    fields = alice.page(urls.new_game(club=slug)).form(urls.tables()).fields
    assert (fields["absence"], fields["strikes"]) == ("neutral", "0")


def test_only_those_whom_the_club_allows_open_tables_there(site: Site, guests: list[Guest]) -> None:
    alice, bob, carol = (visitor_of(site, guest) for guest in guests)
    slug = found_a_club(alice, who_may_open="moderators")
    join_club(site.database, slug, guests[1])
    form = alice.page(urls.new_game()).form(urls.tables())
    for visitor in (bob, carol):
        answer = visitor.post(
            urls.tables(), **(form.fields | {"club": slug, "csrf_token": visitor.token()})
        )
        assert answer.status_code == 422
        assert "can't open tables in that club" in Page(answer.text).text
    assert "Open a table in this club" not in bob.page(urls.club(slug)).text
    assert alice.send(form, club=slug).status_code == 303


def test_busy_club_shows_games_and_standings(
    site: Site, guests: list[Guest], busy_club: str
) -> None:
    page = visitor_of(site, guests[1]).page(urls.club(busy_club))
    assert "Wins of the leading players" in page.text
    assert "A shared win counts for each winner" in page.text
    assert "waiting for" in page.text
    assert " won." in page.text
    stranger_page = site.signed_out().page(urls.club(busy_club))
    assert "1 is shown only to members." in stranger_page.text
    assert "Sign in to ask" in stranger_page.text


def test_bot_on_turn_is_listed_by_its_name(site: Site, guests: list[Guest]) -> None:
    slug = found_club(site.database, guests[0], club_profile(is_public=True))
    settings = msgspec.structs.replace(table_settings(starter=1), club=slug)
    deal_game(site.database, guests[:1], settings)
    page_text = visitor_of(site, guests[0]).page(urls.club(slug)).text
    assert "Round 1: waiting for Agate." in page_text


@pytest.mark.parametrize("reader", [0, 1, 2, None])
def test_pages_of_a_club_take_at_most_three_statements(
    site: Site, guests: list[Guest], busy_club: str, reader: int | None
) -> None:
    visitor = site.signed_out() if reader is None else visitor_of(site, guests[reader])
    paths = [urls.club(busy_club), urls.clubs()]
    paths += [urls.club_members(busy_club), urls.club_settings(busy_club)] if reader == 0 else []
    for path in paths:
        with recorded_statements(site.database) as statements:
            assert visitor.get(path).status_code == 200
        assert len(without_begin_and_commit(statements)) <= 3, path
        assert "BEGIN" not in statements


def test_closed_club_stays_readable_for_its_members(
    site: Site, guests: list[Guest], busy_club: str
) -> None:
    alice, bob, carol = (visitor_of(site, guest) for guest in guests)
    answer = alice.send(
        alice.page(urls.club_settings(busy_club)).form(urls.club_action(busy_club, "close"))
    )
    assert answer.status_code == 303
    text = bob.page(urls.club(busy_club)).text
    assert "This club is closed" in text
    assert "New tables start with" not in text
    assert carol.get(urls.club(busy_club)).status_code == 404
    assert "Night shift" not in alice.page(urls.clubs()).text
