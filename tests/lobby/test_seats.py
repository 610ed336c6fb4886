from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.acts import store_peek
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import (
    Guest,
    confirm_ready,
    open_table,
    seat_guest,
    sign_in_guest,
    sign_in_guests,
    table_settings,
)
from tests.support.lobby_actions import denial_of, lobby_of, queued_emails, take_lobby_action
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed
from webapp.kernel.tx import Database
from webapp.lobby.seats import SeatWish


def test_concurrent_requests_for_the_last_seat_give_it_to_one_person(database: Database) -> None:
    alice, *other_guests = sign_in_guests(database, ALICE, BOB, CAROL, DAVE)
    slug = open_table(database, alice)
    seat_guest(database, slug, other_guests[0])

    def try_to_sit(guest: Guest) -> str:
        try:
            seat_guest(database, slug, guest)
        except NotAllowed as refusal:
            return refusal.reason.code
        return "seated"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(try_to_sit, other_guests[1:])) == ["seated", "table-full"]


def test_taken_seat_is_refused(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice, table_settings(public=True))
    assert (
        denial_of(database, slug, bob, "take_seat", wish=SeatWish(number=0))
        is DenialReason.SEAT_TAKEN
    )
    assert take_lobby_action(database, slug, bob, "take_seat", wish=SeatWish(number=2)) == 2
    assert (
        denial_of(database, slug, bob, "take_seat", wish=SeatWish(number=1))
        is DenialReason.ALREADY_SEATED
    )
    with pytest.raises(FieldErrors):
        take_lobby_action(
            database, slug, sign_in_guest(database, CAROL), "take_seat", wish=SeatWish(number=3)
        )


def test_person_who_peeked_is_refused_with_a_reason(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice, table_settings(public=True))
    store_peek(database, slug, bob)
    assert denial_of(database, slug, bob, "take_seat") is DenialReason.PEEKED_AT_GAME


def test_leaving_a_seat_reopens_the_table_and_resets_readiness(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    confirm_ready(database, slug, guests[0], salt="pepper")
    take_lobby_action(database, slug, guests[2], "leave_seat")
    page = lobby_of(database, slug, guests[0])
    assert page.table.status == "open"
    assert [seat.is_ready for seat in page.seats] == [False, False, False]
    assert page.my_salt == "pepper"
    seat_guest(database, slug, guests[2])
    assert queued_emails(database, "ready-check")[3:] == [(guest.person.id, 2) for guest in guests]


def test_leaving_a_seat_removes_its_salt(database: Database, guests: list[Guest]) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    confirm_ready(database, slug, guests[2], salt="mine")
    take_lobby_action(database, slug, guests[2], "leave_seat")
    dave = sign_in_guest(database, DAVE)
    assert seat_guest(database, slug, dave) == 2
    page = lobby_of(database, slug, dave)
    assert page.my_salt != "mine"
    assert not page.seats[2].has_salt


def test_lobby_actions_are_refused_after_the_deal(
    database: Database, guests: list[Guest], slug: str
) -> None:
    for action, options in (
        ("leave_seat", {}),
        ("confirm_ready", {}),
        ("withdraw_ready", {}),
        ("fill_with_bots", {}),
        ("cancel_table", {}),
        ("choose_starter", {"seat": 1}),
        ("take_seat", {}),
    ):
        assert denial_of(database, slug, guests[0], action, **options) is DenialReason.LOBBY_CLOSED
