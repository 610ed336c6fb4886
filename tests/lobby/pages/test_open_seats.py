import re

import pytest

from tests.support.cast import ALICE, BOB, CAROL, DAVE, ERIN
from tests.support.factories import play_turn, stored_game
from tests.support.late_games import let_time_run_out, make_public, set_late_rules
from tests.support.visitors import DealtGame, Site, Visitor, open_table
from webapp.kernel import urls
from webapp.kernel.i18n import language_for
from webapp.moderation.emails.moderator_act import ModeratorActContext
from webapp.play.emails.seat_opened import SeatOpenedContext
from webapp.play.emails.turn_missed import TurnMissedContext
from webapp.wording.cards import card_name


@pytest.fixture
def private_game(site: Site) -> DealtGame:
    """A private game of Alice, Bob and Carol in which Bob's seat is open for volunteers."""
    dealt = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    set_late_rules(site.database, dealt.slug)
    play_turn(site.database, dealt.slug, dealt.guests[0], now=site.clock.now)
    let_time_run_out(site.database, dealt.slug, now=site.clock.now)
    return dealt


@pytest.fixture
def game(site: Site, private_game: DealtGame) -> DealtGame:
    """The same game at a public table."""
    make_public(site.database, private_game.slug)
    return private_game


def link_to_share(player: Visitor, slug: str) -> str:
    """Return the path of the link that the page of the open seat shows to people at the table."""
    address = "http://lodepost.test" + urls.open_seat(slug)
    [query] = re.findall(
        f'value="{re.escape(address)}([^"]*)"', player.get(urls.open_seat(slug)).text
    )
    return urls.open_seat(slug) + str(query)


def test_player_of_a_public_table_gets_a_link_to_share_and_the_way_back(game: DealtGame) -> None:
    carol = game.visitors[2]
    assert link_to_share(carol, game.slug) == urls.open_seat(game.slug)
    page = carol.page(urls.open_seat(game.slug))
    assert "Do you know someone who would play on in their place?" in page.text
    assert "already have a seat" not in page.text
    assert urls.game(game.slug) in {link.href for link in page.links_of("button")}


def test_former_player_presses_one_button_to_come_back(private_game: DealtGame) -> None:
    game, bob = private_game, private_game.visitors[1]
    answer = bob.get(urls.game(game.slug))
    assert (answer.status_code, answer.location) == (302, urls.open_seat(game.slug))
    page = bob.page(urls.open_seat(game.slug))
    assert "You missed 1 turn, so someone else may take your seat now." in page.text
    assert "You're a" not in page.text
    form = next(form for form in page.forms if form.action == urls.open_seat(game.slug))
    assert bob.send(form).location == urls.briefing(game.slug)
    assert bob.get(urls.game(game.slug)).status_code == 200
    assert bob.get(urls.history(game.slug)).status_code == 200


def test_former_player_sees_nothing_else_of_a_private_game(private_game: DealtGame) -> None:
    game, bob = private_game, private_game.visitors[1]
    for path in (urls.briefing, urls.history, urls.players, urls.fairness, urls.export):
        assert bob.get(path(game.slug)).status_code == 404


def test_substitute_signs_in_and_steps_in(site: Site, game: DealtGame) -> None:
    path = urls.open_seat(game.slug)
    seen_hrefs = {link.href for link in game.visitors[0].page(urls.game(game.slug)).links}
    assert path in seen_hrefs
    visitor = site.signed_out()
    page = visitor.page(path)
    assert "Bob, in seat 2, has missed too many turns." in page.text
    form = next(form for form in page.forms if form.action == path)
    assert visitor.send(form).location.startswith(urls.sign_in())
    dave = site.signed_in(DAVE)
    form = next(form for form in dave.page(path).forms if form.action == path)
    assert dave.send(form).location == urls.briefing(game.slug)
    assert "You're a" in dave.page(urls.game(game.slug)).text


def test_substitute_comes_to_a_private_table_with_a_link_from_its_players(
    site: Site, private_game: DealtGame
) -> None:
    slug, carol = private_game.slug, private_game.visitors[2]
    dave, path = site.signed_in(DAVE), urls.open_seat(private_game.slug)
    assert dave.get(path).status_code == 404
    link = link_to_share(carol, slug)
    visitor = site.signed_out()
    form = next(form for form in visitor.page(link).forms if form.action == link)
    assert visitor.send(form).location.startswith(urls.sign_in())
    form = next(form for form in dave.page(link).forms if form.action == link)
    assert dave.send(form).location == urls.briefing(slug)
    erin = site.signed_in(ERIN)
    assert erin.get(link).status_code == erin.get(urls.open_seat("zzzzzzzzzzzz")).status_code == 404


def test_invitation_to_a_game_that_needs_a_player_is_unknown_all_the_same(
    site: Site, private_game: DealtGame
) -> None:
    link = link_to_share(private_game.visitors[2], private_game.slug)
    dave = site.signed_in(DAVE)
    assert dave.get(urls.invitation(link.split("=")[1])).status_code == 404
    assert dave.get(link).status_code == 200


def test_briefing_says_what_the_seat_knows_and_who_sat_there(site: Site, game: DealtGame) -> None:
    dave = site.signed_in(DAVE)
    assert dave.get(urls.briefing(game.slug)).status_code == 404
    form = next(
        form
        for form in dave.page(urls.open_seat(game.slug)).forms
        if form.action == urls.open_seat(game.slug)
    )
    assert dave.send(form).status_code == 303
    view = stored_game(site.database, game.slug, game.guests[0]).view(1)
    text = dave.page(urls.briefing(game.slug)).text
    language = language_for("en")
    for card in view.hand:
        assert card_name(card, language) in text
    assert "You're a" in text
    assert "You're in seat 2." in text
    assert "Seat 2: Bob, until turn 2 (" in text
    # The clock has discarded one card of this seat, and only this seat knows which.
    assert "Nothing." not in text
    assert "Nothing." not in game.visitors[0].page(urls.briefing(game.slug)).text
    assert "Nothing." in game.visitors[2].page(urls.briefing(game.slug)).text


def test_players_page_shows_who_sat_in_each_seat_when(site: Site, game: DealtGame) -> None:
    path, dave = urls.open_seat(game.slug), site.signed_in(DAVE)
    alice = game.visitors[0]
    text = alice.page(urls.players(game.slug)).text
    assert "Seat 2: Bob, until turn 2 (" in text
    assert "Seat 2 is open now." in text
    dave.send(next(form for form in dave.page(path).forms if form.action == path))
    text = alice.page(urls.players(game.slug)).text
    assert "Seat 2: Dave, since then." in text
    assert "Seat 1" not in text


def test_person_who_claims_a_seat_too_late_reads_why(site: Site, game: DealtGame) -> None:
    path = urls.open_seat(game.slug)
    bob, dave = game.visitors[1], site.signed_in(DAVE)
    form = next(form for form in bob.page(path).forms if form.action == path)
    dave.send(next(form for form in dave.page(path).forms if form.action == path))
    answer = bob.send(form)
    assert answer.status_code == 409
    assert "someone else has the seat" in answer.text
    assert bob.get(path).status_code == 404


def test_host_without_a_seat_reads_at_the_table_that_it_is_open(site: Site) -> None:
    dealt = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    set_late_rules(site.database, dealt.slug, replacement="invitation")
    let_time_run_out(site.database, dealt.slug, now=site.clock.now)
    page = dealt.visitors[0].page(urls.game(dealt.slug))
    assert urls.open_seat(dealt.slug) in {link.href for link in page.links}
    assert "Take your seat back" not in dealt.visitors[1].page(urls.game(dealt.slug)).text


def test_emails_say_what_was_played_and_how_to_come_back(site: Site) -> None:
    dealt = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    set_late_rules(site.database, dealt.slug, limit=2)
    site.deliver_emails()
    let_time_run_out(site.database, dealt.slug, now=site.clock.now)
    [turn_missed_email] = [
        email for email in site.deliver_emails() if isinstance(email, TurnMissedContext)
    ]
    assert (
        turn_missed_email.envelope.name,
        turn_missed_email.strikes,
        turn_missed_email.strikes_until_open,
    ) == ("Alice", 1, 2)
    [entry] = turn_missed_email.entries
    assert [(line.key, line.card) for line in entry.lines] == [("discarded", None)]
    for guest in dealt.guests[1:]:
        play_turn(site.database, dealt.slug, guest, now=site.clock.now)
    let_time_run_out(site.database, dealt.slug, now=site.clock.now)
    emails = site.deliver_emails()
    [seat_opened_email] = [email for email in emails if isinstance(email, SeatOpenedContext)]
    assert (seat_opened_email.envelope.name, seat_opened_email.seat, seat_opened_email.strikes) == (
        "Alice",
        0,
        2,
    )
    informed_names = {
        email.envelope.name for email in emails if isinstance(email, ModeratorActContext)
    }
    assert informed_names == {"Bob", "Carol"}


def test_table_page_shows_its_rules_for_late_players(site: Site) -> None:
    alice = site.signed_in(ALICE)
    sentence = "After 2 missed turns, a bot takes over a player's seat."
    slug = open_table(alice, seats="3", strikes="2", replacement="bot")
    assert sentence in alice.page(urls.game(slug)).text
    slug = open_table(alice, seats="3", strikes="0")
    assert "No one loses their seat for missed turns." in alice.page(urls.game(slug)).text


@pytest.mark.parametrize("field, value", [("strikes", "4"), ("replacement", "no one")])
def test_unknown_rules_for_late_players_open_no_table(site: Site, field: str, value: str) -> None:
    alice = site.signed_in(ALICE)
    answer = alice.post(urls.tables(), **{"seats": "3", "strikes": "2", field: value})
    assert answer.status_code == 422
