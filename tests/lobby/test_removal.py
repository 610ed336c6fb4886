"""The host removes people and bots before the deal: once, for all to read, and never anyone else than the form names."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.cast import ALICE, BOB, CAROL, DAVE
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
from tests.support.lobby_actions import denial_of, lobby_of, queued_emails, take_lobby_action
from tests.support.transactions import transaction
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed, NotFound
from webapp.kernel.tx import Database
from webapp.lobby.host_actions import RemovalRequest, remove_player
from webapp.lobby.invitations import accept_invitation
from webapp.lobby.seats import SeatWish
from webapp.play import access


@pytest.fixture
def full_slug(database: Database, guests: list[Guest]) -> str:
    """A public table where Alice, Bob and Carol are asked whether they are ready."""
    slug = open_table(database, guests[0], table_settings(public=True))
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    return slug


def request_for(database: Database, slug: str, host: Guest, seat: int) -> RemovalRequest:
    """Return what the form of a seat would send now."""
    seats = lobby_of(database, slug, host).removable_seats
    token = next((other.form_token for other in seats if other.number == seat), "")
    return RemovalRequest(seat=seat, form_token=token)


def remove(database: Database, slug: str, host: Guest, request: RemovalRequest) -> None:
    with transaction(database) as tx:
        game = access.game_for(tx, slug, host.cookie, mode="change").game
        remove_player(tx, game, host.person, request)


def denial_of_removal(
    database: Database, slug: str, host: Guest, request: RemovalRequest
) -> DenialReason:
    with pytest.raises(NotAllowed) as error_info:
        remove(database, slug, host, request)
    return error_info.value.reason


def test_removed_person_gets_one_email_and_everyone_confirms_again(
    database: Database, guests: list[Guest], full_slug: str
) -> None:
    confirm_ready(database, full_slug, guests[2])
    request = request_for(database, full_slug, guests[0], 1)
    for _ in range(2):
        remove(database, full_slug, guests[0], request)
    page = lobby_of(database, full_slug, guests[0])
    assert (page.table.status, page.seats[1].is_free, page.seats[2].is_ready) == (
        "open",
        True,
        False,
    )
    assert queued_emails(database, "player-removed") == [(guests[1].person.id, 1)]
    seat_guest(database, full_slug, sign_in_guest(database, DAVE))
    assert lobby_of(database, full_slug, guests[0]).table.status == "ready-check"


def test_form_that_is_sent_twice_at_once_removes_one_person(
    database: Database, guests: list[Guest], full_slug: str
) -> None:
    request = request_for(database, full_slug, guests[0], 1)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: remove(database, full_slug, guests[0], request), range(2)))
    assert len(queued_emails(database, "player-removed")) == 1
    assert lobby_of(database, full_slug, guests[0]).removals == 1


def test_only_the_host_can_remove_others_before_the_deal(
    database: Database, guests: list[Guest], full_slug: str
) -> None:
    request = request_for(database, full_slug, guests[0], 2)
    assert lobby_of(database, full_slug, guests[1]).removable_seats == ()
    assert denial_of_removal(database, full_slug, guests[1], request) is DenialReason.NOT_HOST
    own_seat = RemovalRequest(seat=0, form_token=request.form_token)
    assert denial_of_removal(database, full_slug, guests[0], own_seat) is DenialReason.REMOVES_HOST
    with pytest.raises(FieldErrors):
        remove(database, full_slug, guests[0], RemovalRequest(seat=3, form_token="x"))
    for guest in guests:
        confirm_ready(database, full_slug, guest)
    assert denial_of_removal(database, full_slug, guests[0], request) is DenialReason.LOBBY_CLOSED


def test_form_removes_no_one_who_has_sat_down_since(
    database: Database, guests: list[Guest], full_slug: str
) -> None:
    request = request_for(database, full_slug, guests[0], 1)
    take_lobby_action(database, full_slug, guests[1], "leave_seat")
    take_lobby_action(
        database, full_slug, sign_in_guest(database, DAVE), "take_seat", wish=SeatWish(number=1)
    )
    assert denial_of_removal(database, full_slug, guests[0], request) is DenialReason.SEATS_CHANGED


def test_removed_person_comes_back_only_with_a_page_that_shows_it(
    database: Database, guests: list[Guest], full_slug: str
) -> None:
    link, bob = lobby_of(database, full_slug, guests[0]).link_token, guests[1]
    assert link is not None
    request = request_for(database, full_slug, guests[0], 1)
    remove(database, full_slug, guests[0], request)
    old, new = SeatWish(seen_removals=0), SeatWish(seen_removals=1)
    denial = denial_of(database, full_slug, bob, "take_seat", wish=old)
    assert denial is DenialReason.SEATS_CHANGED
    with transaction(database) as tx, pytest.raises(NotAllowed, match="seats-changed"):
        accept_invitation(tx, link, bob.person, wish=old)
    assert take_lobby_action(database, full_slug, bob, "take_seat", wish=new) == 1
    # The host's form of before does not remove them again.
    assert denial_of_removal(database, full_slug, guests[0], request) is DenialReason.SEATS_CHANGED


def test_removed_bot_leaves_a_free_seat_and_no_email(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice, table_settings(seats=4, public=True))
    seat_guest(database, slug, bob)
    fill_with_bots(database, slug, alice)
    remove(database, slug, alice, request_for(database, slug, alice, 3))
    page = lobby_of(database, slug, alice)
    assert (page.seats[3].is_free, page.seats[2].is_bot, page.removals) == (True, True, 0)
    assert queued_emails(database, "player-removed") == []
    seat_guest(database, slug, sign_in_guest(database, CAROL))


def test_host_without_a_seat_can_remove_everyone(
    database: Database, guests: list[Guest], full_slug: str
) -> None:
    take_lobby_action(database, full_slug, guests[0], "leave_seat")
    for seat in (1, 2):
        request = request_for(database, full_slug, guests[0], seat)
        remove(database, full_slug, guests[0], request)
    assert all(seat.is_free for seat in lobby_of(database, full_slug, guests[0]).seats)


def test_last_answer_and_removal_at_once_deal_the_cards_or_remove(
    database: Database, guests: list[Guest], full_slug: str
) -> None:
    for guest in guests[:2]:
        confirm_ready(database, full_slug, guest)
    request = request_for(database, full_slug, guests[0], 2)

    def outcome_of(act: Callable[[], object]) -> str:
        try:
            act()
        except (NotAllowed, NotFound) as refusal:
            return str(refusal)
        return "done"

    acts: list[Callable[[], object]] = [
        lambda: confirm_ready(database, full_slug, guests[2]),
        lambda: remove(database, full_slug, guests[0], request),
    ]
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(outcome_of, acts))
    was_dealt = stored_game(database, full_slug, guests[0]).is_dealt
    assert outcomes == (["done", "lobby-closed"] if was_dealt else ["not-seated", "done"])
    assert len(queued_emails(database, "player-removed")) == (0 if was_dealt else 1)
