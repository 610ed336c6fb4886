from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.view import view_for
from tests.support.acts import ledger_acts, perform_act, recipients, store_peek
from tests.support.cast import DAVE, ERIN, Character
from tests.support.factories import (
    DAY,
    Guest,
    open_table,
    play_turn,
    sign_in_guest,
    sign_in_guests,
    stored_game,
)
from tests.support.late_games import (
    emails_of_kinds,
    make_public,
    miss_turn,
    set_late_rules,
    take_seat,
)
from tests.support.seat_offers import accept_offered_seat, offer_seat
from tests.support.transactions import NOON, read_only, transaction, using
from webapp.accounts import blocks
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed, NotFound
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.lobby.open_seats import OpenSeatPage, open_seat_page
from webapp.play.access import SeatLost, game_for

LATER = NOON + DAY


@pytest.fixture
def open_slug(database: Database, guests: list[Guest], slug: str) -> str:
    """A public game in which Bob's seat is open for volunteers; Carol is on turn."""
    make_public(database, slug)
    set_late_rules(database, slug)
    play_turn(database, slug, guests[0])
    miss_turn(database, slug, guests[1])
    return slug


def _read_open_seat_page(database: Database, slug: str, guest: Guest) -> OpenSeatPage:
    with read_only(database, LATER) as tx:
        return open_seat_page(tx, slug, guest.cookie)


def _shown_denial(database: Database, slug: str, guest: Guest) -> DenialReason | None:
    refusal = _read_open_seat_page(database, slug, guest).refusal
    return None if refusal is None else refusal.reason


def _take_open_seat(database: Database, slug: str, guest: Guest) -> str | DenialReason:
    """Take the open seat, and return why not if that is refused."""
    try:
        take_seat(database, slug, guest)
    except NotAllowed as refusal:
        return refusal.reason
    return "taken"


def test_player_who_lost_the_seat_sees_only_the_public_state(
    database: Database, guests: list[Guest], open_slug: str
) -> None:
    page = _read_open_seat_page(database, open_slug, guests[1])
    assert (page.is_own, page.seat, page.strikes, page.refusal) == (True, 1, 1, None)
    assert page.view == view_for(stored_game(database, open_slug, guests[0]).state, None)
    with read_only(database, LATER) as tx:
        assert game_for(tx, open_slug, guests[1].cookie).seat is None


def test_player_who_lost_a_seat_at_a_private_table_cannot_see_its_game(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug)
    play_turn(database, slug, guests[0])
    miss_turn(database, slug, guests[1])
    with pytest.raises(SeatLost), read_only(database, LATER) as tx:
        game_for(tx, slug, guests[1].cookie)
    take_seat(database, slug, guests[1])
    with read_only(database, LATER) as tx:
        assert game_for(tx, slug, guests[1].cookie).seat == 1


def test_player_takes_the_seat_back_and_keeps_the_missed_turns(
    database: Database, guests: list[Guest], open_slug: str
) -> None:
    take_seat(database, open_slug, guests[1])
    take_seat(database, open_slug, guests[1])
    seat = stored_game(database, open_slug, guests[0]).row.seats[1]
    assert (seat.account_id, seat.strikes, seat.name) == (guests[1].person.id, 1, "Bob")
    assert ledger_acts(database) == ["open-seat", "seat-person"]
    assert recipients(database).count(guests[0].person.id) == 2
    for guest in (guests[2], guests[0]):
        play_turn(database, open_slug, guest, now=LATER)
    miss_turn(database, open_slug, guests[0])
    assert stored_game(database, open_slug, guests[0]).row.seats[1].is_free


def test_returned_player_is_called_and_reminded_again_if_it_is_their_turn(
    database: Database, guests: list[Guest], open_slug: str
) -> None:
    for guest in (guests[2], guests[0]):
        play_turn(database, open_slug, guest, now=LATER)
    row = stored_game(database, open_slug, guests[0]).row
    assert (row.awaiting, row.wake_at) == (1, row.deadline_at)
    take_seat(database, open_slug, guests[1])
    row = stored_game(database, open_slug, guests[0]).row
    assert row.wake_at == row.remind_at != row.deadline_at
    assert emails_of_kinds(database, "your-turn")[-1] == ("your-turn", guests[1].person.id, 0)


def test_volunteer_sees_exactly_what_the_seat_has_seen_and_starts_clean(
    database: Database, guests: list[Guest], open_slug: str
) -> None:
    dave = sign_in_guest(database, DAVE)
    page = _read_open_seat_page(database, open_slug, dave)
    assert (page.is_own, page.seat, page.refusal) == (False, 1, None)
    take_seat(database, open_slug, dave)
    take_seat(database, open_slug, dave)
    game = stored_game(database, open_slug, dave)
    seat = game.row.seats[1]
    assert (seat.account_id, seat.name, seat.strikes) == (dave.person.id, "Dave", 0)
    assert (seat.bank, seat.absence_used.total_seconds()) == (None, 0)
    with read_only(database, LATER) as tx:
        access = game_for(tx, open_slug, dave.cookie)
    assert access.game.view(access.seat).hand == game.state.hands[1]
    with read_only(database, LATER) as tx:
        assert game_for(tx, open_slug, guests[1].cookie).seat is None


def test_volunteer_in_as_many_games_as_possible_is_refused_and_the_returning_player_is_not(
    database: Database, guests: list[Guest], open_slug: str
) -> None:
    dave = sign_in_guest(database, DAVE)
    for guest in (dave, dave, dave, guests[1], guests[1], guests[1]):
        open_table(database, guest)
    assert _shown_denial(database, open_slug, dave) is DenialReason.TOO_MANY_GAMES
    assert _take_open_seat(database, open_slug, dave) == DenialReason.TOO_MANY_GAMES
    assert _take_open_seat(database, open_slug, guests[1]) == "taken"


def test_player_whose_seat_was_taken_gets_a_clear_message(
    database: Database, guests: list[Guest], open_slug: str
) -> None:
    take_seat(database, open_slug, sign_in_guest(database, DAVE))
    with pytest.raises(NotFound):
        _read_open_seat_page(database, open_slug, guests[1])
    assert _take_open_seat(database, open_slug, guests[1]) == DenialReason.OFFER_NO_LONGER_OPEN


def test_only_one_of_many_volunteers_gets_the_open_seat(
    database: Database, guests: list[Guest], open_slug: str
) -> None:
    people = [guests[1], *sign_in_guests(database, DAVE, ERIN)]
    people += [
        sign_in_guest(database, Character(name, f"{name.lower()}@example.org"))
        for name in ("Frida", "Greta", "Hanno")
    ]
    with ThreadPoolExecutor(len(people)) as pool:
        outcomes = list(pool.map(lambda guest: _take_open_seat(database, open_slug, guest), people))
    assert Counter(outcomes) == {
        "taken": 1,
        DenialReason.OFFER_NO_LONGER_OPEN: len(people) - 1,
    }
    winner = people[outcomes.index("taken")]
    seat = stored_game(database, open_slug, guests[0]).row.seats[1]
    assert seat.account_id == winner.person.id


def test_offer_and_return_never_both_succeed(
    database: Database, guests: list[Guest], open_slug: str
) -> None:
    dave = sign_in_guest(database, DAVE)
    token = offer_seat(database, open_slug, seat=1, now=LATER)

    def accept_offer(_: Guest) -> str | DenialReason:
        try:
            accept_offered_seat(database, token, dave, now=LATER)
        except NotAllowed as refusal:
            return refusal.reason
        return "taken"

    with ThreadPoolExecutor(2) as pool:
        acceptance = pool.submit(accept_offer, dave)
        return_to_seat = pool.submit(_take_open_seat, database, open_slug, guests[1])
    outcomes = {acceptance.result(), return_to_seat.result()}
    assert outcomes == {"taken", DenialReason.OFFER_NO_LONGER_OPEN}


def test_seat_that_a_moderator_opened_is_for_no_one_to_take(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug)
    perform_act(database, slug, GameRight.OPEN_SEAT, seat=1, now=NOON)
    for guest in (guests[1], sign_in_guest(database, DAVE)):
        with pytest.raises(NotFound):
            _read_open_seat_page(database, slug, guest)
        with pytest.raises(NotFound):
            take_seat(database, slug, guest)


def test_invited_tables_show_their_open_seat_to_its_player_alone(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug, replacement="invitation")
    play_turn(database, slug, guests[0])
    miss_turn(database, slug, guests[1])
    dave = sign_in_guest(database, DAVE)
    with pytest.raises(NotFound):
        _read_open_seat_page(database, slug, dave)
    with pytest.raises(NotFound):
        take_seat(database, slug, dave)
    assert _take_open_seat(database, slug, guests[1]) == "taken"


def test_people_who_know_cards_or_are_blocked_cannot_step_in(
    database: Database, guests: list[Guest], open_slug: str
) -> None:
    dave, erin = sign_in_guests(database, DAVE, ERIN)
    store_peek(database, open_slug, dave)
    assert _shown_denial(database, open_slug, dave) == DenialReason.PEEKED_AT_GAME
    assert _take_open_seat(database, open_slug, dave) == DenialReason.PEEKED_AT_GAME
    with transaction(database) as tx:
        blocks.block_account(
            using(tx, random_bytes=bytes),
            guests[0].person,
            erin.person.id,
            name="Erin",
        )
    assert _take_open_seat(database, open_slug, erin) == DenialReason.SEAT_REFUSED
    assert _shown_denial(database, open_slug, guests[2]) == DenialReason.ALREADY_SEATED


def test_volunteer_with_a_confusable_name_chooses_another(
    database: Database, guests: list[Guest], open_slug: str
) -> None:
    other_carol = sign_in_guest(database, Character("Carol", "carol2@example.org"))
    with pytest.raises(FieldErrors):
        take_seat(database, open_slug, other_carol)
    take_seat(database, open_slug, other_carol, name="Caroline")
    assert stored_game(database, open_slug, other_carol).row.seats[1].name == "Caroline"


def test_games_without_an_open_seat_have_no_open_seat_page(
    database: Database, guests: list[Guest], slug: str
) -> None:
    dave = sign_in_guest(database, DAVE)
    for path_part in ("zzzzzzzzzzzz", "nul\x00", slug):
        with pytest.raises(NotFound):
            take_seat(database, path_part, dave)
