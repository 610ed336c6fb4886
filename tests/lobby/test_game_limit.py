"""How many games one person may be in: three at first, one more for each finished game, up to the site's limit."""

from datetime import timedelta

import pytest

from tests.support.acts import perform_act
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.experience import finish_games
from tests.support.factories import (
    Guest,
    deal_game,
    fill_with_bots,
    open_table,
    seat_guest,
    sign_in_guest,
    sign_in_guests,
    table_settings,
)
from tests.support.lobby_actions import denial_of, lobby_of, take_lobby_action
from tests.support.seat_offers import accept_offered_seat, open_and_offer
from tests.support.transactions import NOON, transaction
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.lobby import new_table
from webapp.lobby.invitations import accept_invitation
from webapp.lobby.new_table import TableSettings
from webapp.lobby.offered_seats import seat_offer_page
from webapp.site.queries import settings

PUBLIC_TABLE_SETTINGS: TableSettings = table_settings(public=True)


def _set_game_limit(database: Database, most_games: int) -> None:
    with transaction(database) as tx:
        settings.store_values(tx, {"most_games": most_games})


def _open_tables(database: Database, host: Guest, count: int) -> list[str]:
    return [_open_table(database, host) for _ in range(count)]


def _open_table(database: Database, host: Guest) -> str:
    """Open a table as the page does it: a host without enough finished games is refused."""
    with transaction(database) as tx:
        return new_table.open_table(tx, host.person, PUBLIC_TABLE_SETTINGS)


def _fourth_game_is_refused(database: Database, guest: Guest) -> bool:
    with pytest.raises(NotAllowed) as error_info:
        _open_table(database, guest)
    return error_info.value.reason is DenialReason.TOO_MANY_GAMES


def test_new_player_may_open_three_tables(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    _open_tables(database, alice, 3)
    assert _fourth_game_is_refused(database, alice)


def test_new_player_with_three_games_can_take_no_seat(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice, PUBLIC_TABLE_SETTINGS)
    link = lobby_of(database, slug, alice).link_token
    assert link is not None
    _open_tables(database, bob, 3)
    assert denial_of(database, slug, bob, "take_seat") is DenialReason.TOO_MANY_GAMES
    with transaction(database) as tx, pytest.raises(NotAllowed, match="too-many-games"):
        accept_invitation(tx, link, bob.person)
    assert [seat.name for seat in lobby_of(database, slug, alice).seats][1:] == ["", ""]


def test_seats_of_games_under_way_count(database: Database) -> None:
    guests = sign_in_guests(database, ALICE, BOB, CAROL)
    for _ in range(3):
        deal_game(database, guests)
    assert all(_fourth_game_is_refused(database, guest) for guest in guests)


def test_offered_seat_is_refused_before_it_is_accepted(
    database: Database, guests: list[Guest], slug: str, dave: Guest
) -> None:
    token = open_and_offer(database, slug, by=guests[0], address=DAVE.address)
    first_table, *_ = _open_tables(database, dave, 3)
    with transaction(database, NOON + timedelta(hours=1)) as tx:
        page = seat_offer_page(tx, token, dave.person)
        assert page.refusal is not None
        assert page.refusal.reason is DenialReason.TOO_MANY_GAMES
    with pytest.raises(NotAllowed, match="too-many-games"):
        accept_offered_seat(database, token, dave)
    take_lobby_action(database, first_table, dave, "leave_seat")
    assert accept_offered_seat(database, token, dave) == slug


def test_operator_may_seat_someone_with_many_games(
    database: Database, slug: str, dave: Guest
) -> None:
    _open_tables(database, dave, 3)
    perform_act(database, slug, GameRight.OPEN_SEAT, seat=1)
    perform_act(database, slug, GameRight.SEAT_PERSON, seat=1, name=DAVE.name, address=DAVE.address)
    assert _fourth_game_is_refused(database, dave)


def test_tables_that_are_dealt_meanwhile_are_not_refused(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slugs = _open_tables(database, alice, 3)
    assert all(fill_with_bots(database, slug, alice) for slug in slugs)


@pytest.mark.parametrize("finished_count", [1, 4])
def test_each_finished_game_makes_room_for_one_more(
    database: Database, finished_count: int
) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    finish_games(database, alice.person, count=finished_count)
    _open_tables(database, alice, 3 + finished_count)
    assert _fourth_game_is_refused(database, alice)
    _open_tables(database, bob, 3)
    assert _fourth_game_is_refused(database, bob)


@pytest.mark.parametrize("most_games", [2, 4])
def test_no_one_is_in_more_games_than_the_site_allows(database: Database, most_games: int) -> None:
    alice = sign_in_guest(database, ALICE)
    finish_games(database, alice.person, count=10)
    _set_game_limit(database, most_games)
    _open_tables(database, alice, most_games)
    assert _fourth_game_is_refused(database, alice)


def test_cancelled_tables_and_left_seats_do_not_count(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    _, cancelled_slug, *_ = _open_tables(database, alice, 3)
    take_lobby_action(database, cancelled_slug, alice, "cancel_table")
    slug = _open_table(database, alice)
    seat_guest(database, slug, bob)
    _open_tables(database, bob, 2)
    assert _fourth_game_is_refused(database, bob)
    take_lobby_action(database, slug, bob, "leave_seat")
    _open_tables(database, bob, 1)


def test_games_with_bots_alone_make_no_room(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    finish_games(database, alice.person, count=4, is_alone_with_bots=True)
    _open_tables(database, alice, 3)
    assert _fourth_game_is_refused(database, alice)
    finish_games(database, alice.person, count=1)
    _open_tables(database, alice, 1)
