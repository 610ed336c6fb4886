import pytest

from tests.support.cast import ALICE, BOB
from tests.support.factories import (
    Guest,
    confirm_ready,
    fill_with_bots,
    open_table,
    seat_guest,
    sign_in_guest,
    sign_in_guests,
    stored_game,
    table_settings,
)
from tests.support.game_pages import game_page
from tests.support.lobby_actions import denial_of, lobby_of, queued_emails, take_lobby_action
from tests.support.transactions import KEYS, NOON, read_only
from webapp.kernel.refusals import DenialReason, FieldErrors
from webapp.kernel.tx import Database
from webapp.play.views.table_page import TablePage


def test_host_alone_fills_the_table_with_bots_and_starts_the_game(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice, table_settings(seats=10))
    assert fill_with_bots(database, slug, alice)
    with read_only(database) as tx:
        page = game_page(tx, slug, alice.cookie, keys=KEYS, now=NOON)
    assert isinstance(page, TablePage)
    names = [seat.name for seat in page.seats]
    assert len(set(names)) == 10
    assert [seat.is_bot for seat in page.seats] == [False] + [True] * 9


@pytest.mark.parametrize("level", ["random", "brilliant", ""])
def test_level_that_is_not_offered_seats_no_bot(database: Database, level: str) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice)
    with pytest.raises(FieldErrors, match="level: unknown"):
        fill_with_bots(database, slug, alice, level=level)
    assert sum(seat.is_free for seat in lobby_of(database, slug, alice).seats) == 2


def test_filling_with_bots_waits_for_the_other_people(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice, table_settings(seats=5))
    seat_guest(database, slug, bob)
    assert not fill_with_bots(database, slug, alice)
    assert queued_emails(database, "ready-check") == [(bob.person.id, 1)]
    assert confirm_ready(database, slug, bob)


def test_bots_cannot_fill_a_table_without_people(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice)
    take_lobby_action(database, slug, alice, "leave_seat")
    assert denial_of(database, slug, alice, "fill_with_bots") is DenialReason.NOT_SEATED


def test_host_without_a_seat_may_fill_the_table_with_bots(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice)
    seat_guest(database, slug, bob)
    take_lobby_action(database, slug, alice, "leave_seat")
    assert not fill_with_bots(database, slug, alice)
    assert lobby_of(database, slug, bob).table.status == "ready-check"


def test_only_the_host_may_fill_cancel_and_choose_the_starter(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0], table_settings(seats=4))
    seat_guest(database, slug, guests[1])
    for action, options in (
        ("fill_with_bots", {}),
        ("cancel_table", {}),
        ("choose_starter", {"seat": 1}),
    ):
        assert denial_of(database, slug, guests[1], action, **options) is DenialReason.NOT_HOST


def test_changing_the_starter_asks_everyone_to_confirm_again(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0], table_settings(starter=None))
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    confirm_ready(database, slug, guests[1])
    take_lobby_action(database, slug, guests[0], "choose_starter", seat=None)
    assert lobby_of(database, slug, guests[0]).seats[1].is_ready
    take_lobby_action(database, slug, guests[0], "choose_starter", seat=2)
    assert not lobby_of(database, slug, guests[0]).seats[1].is_ready
    assert queued_emails(database, "ready-check")[3:] == [(guest.person.id, 2) for guest in guests]
    with pytest.raises(FieldErrors):
        take_lobby_action(database, slug, guests[0], "choose_starter", seat=3)
    for guest in guests:
        confirm_ready(database, slug, guest)
    assert stored_game(database, slug, guests[0]).row.awaiting == 2


def test_cancelled_table_permits_nothing(database: Database, guests: list[Guest]) -> None:
    slug = open_table(database, guests[0])
    take_lobby_action(database, slug, guests[0], "cancel_table")
    page = lobby_of(database, slug, guests[0])
    assert (page.table.status, page.permitted_actions, page.link_token) == (
        "cancelled",
        frozenset(),
        None,
    )
    assert denial_of(database, slug, guests[0], "cancel_table") is DenialReason.LOBBY_CLOSED
