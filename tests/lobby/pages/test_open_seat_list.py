"""The list of games that need a player: seats of public tables for everyone, and of club tables for members."""

import pytest
from sqlalchemy import text

from tests.support.cast import ALICE, BOB, CAROL, DAVE, ERIN
from tests.support.clubs import found_club, join_club
from tests.support.factories import sign_in_guest
from tests.support.late_games import let_time_run_out, make_public, set_late_rules
from tests.support.transactions import transaction
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.kernel import urls


@pytest.fixture
def game(site: Site) -> DealtGame:
    """A private game of Alice, Bob and Carol in which Alice's seat is open for volunteers."""
    dealt = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    set_late_rules(site.database, dealt.slug)
    let_time_run_out(site.database, dealt.slug, now=site.clock.now)
    return dealt


def _is_listed(visitor: Visitor, game: DealtGame) -> bool:
    hrefs = {link.href for link in visitor.page(urls.open_seats()).links}
    return urls.open_seat(game.slug) in hrefs


def test_list_without_open_seats_says_so(site: Site) -> None:
    assert "No game needs a player right now." in site.signed_out().page(urls.open_seats()).text


def test_open_seat_of_a_public_table_is_listed_until_someone_takes_it(
    site: Site, game: DealtGame
) -> None:
    make_public(site.database, game.slug)
    dave, path = site.signed_in(DAVE), urls.open_seat(game.slug)
    visitors = (site.signed_out(), dave, site.signed_in(ERIN))
    assert all(_is_listed(visitor, game) for visitor in visitors)
    dave.send(next(form for form in dave.page(path).forms if form.action == path))
    assert not any(_is_listed(visitor, game) for visitor in visitors)


def test_players_of_a_game_do_not_see_its_open_seat_in_the_list(
    site: Site, game: DealtGame
) -> None:
    make_public(site.database, game.slug)
    assert not any(_is_listed(visitor, game) for visitor in game.visitors)


def test_open_seat_of_a_private_table_is_listed_for_no_one(site: Site, game: DealtGame) -> None:
    for visitor in (site.signed_out(), site.signed_in(DAVE)):
        assert not _is_listed(visitor, game)


def test_seat_that_the_host_gives_away_is_not_listed(site: Site, game: DealtGame) -> None:
    make_public(site.database, game.slug)
    set_late_rules(site.database, game.slug, replacement="invitation")
    assert not _is_listed(site.signed_in(DAVE), game)


def test_seat_of_a_club_table_is_listed_for_members_alone(site: Site, game: DealtGame) -> None:
    club = found_club(site.database, game.guests[1])
    with transaction(site.database) as tx:
        tx.execute(text("UPDATE game SET club_id = (SELECT id FROM club)"))
    guest = sign_in_guest(site.database, DAVE, now=site.clock.now)
    dave = site.signed_out().with_session(guest.cookie)
    assert not _is_listed(dave, game)
    join_club(site.database, club, guest, now=site.clock.now)
    assert _is_listed(dave, game)


def _stored_wish(visitor: Visitor) -> bool:
    form = visitor.page(urls.time_away()).form(urls.open_seat_emails())
    return "wants_open_seats" in form.fields


def test_emails_about_open_seats_are_off_until_the_account_page_turns_them_on(site: Site) -> None:
    dave = site.signed_in(DAVE)
    assert not _stored_wish(dave)
    form = dave.page(urls.time_away()).form(urls.open_seat_emails())
    answer = dave.send(form, wants_open_seats="y")
    assert (answer.status_code, answer.location) == (303, urls.time_away())
    assert _stored_wish(dave)
    form = dave.page(urls.time_away()).form(urls.open_seat_emails())
    form.fields.pop("wants_open_seats")
    dave.send(form)
    assert not _stored_wish(dave)


def test_list_of_open_seats_has_a_button_for_emails(site: Site) -> None:
    dave = site.signed_in(DAVE)
    for button, is_wanted in (("Tell me by email", True), ("Stop these emails", False)):
        page = dave.page(urls.open_seats())
        assert button in page.text
        answer = dave.send(page.form(urls.open_seats()))
        assert (answer.status_code, answer.location) == (303, urls.open_seats())
        assert _stored_wish(dave) == is_wanted
    assert "Tell me by email" in dave.page(urls.open_seats()).text


def test_signed_out_visitor_is_not_offered_emails(site: Site) -> None:
    visitor = site.signed_out()
    assert not visitor.page(urls.open_seats()).has_form(urls.open_seats())
    answer = visitor.post(urls.open_seats(), wants_open_seats="y")
    assert answer.location.startswith(urls.sign_in())
