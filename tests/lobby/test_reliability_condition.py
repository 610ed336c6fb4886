"""A table may ask that its players take a share of their turns in time; people who are new can join nevertheless."""

from collections.abc import Callable

import msgspec
import pytest

from tests.support.cast import ALICE, BOB, CAROL, DAVE, Character
from tests.support.factories import (
    Guest,
    deal_game,
    open_table,
    sign_in_guest,
    sign_in_guests,
    stored_game,
    table_settings,
)
from tests.support.late_games import miss_turn, set_late_rules, take_seat
from tests.support.lobby_actions import lobby_of, take_lobby_action
from tests.support.seat_offers import accept_offered_seat, open_and_offer
from tests.support.transactions import transaction
from tests.support.turn_ends import store_turn_ends
from webapp.clock.pace.pace import LateRules
from webapp.kernel.refusals import FieldErrors, ReliabilityTooLow
from webapp.kernel.tx import Database
from webapp.lobby.invitations import accept_invitation
from webapp.lobby.new_table import TableSettings

NEEDED_PERCENT = 80
Join = Callable[[Guest], object]
PreparedTable = tuple[str, Join]


def settings_with_condition(percent: int) -> TableSettings:
    rules = LateRules(lowest_reliability=percent)
    return msgspec.structs.replace(table_settings(public=True), late_rules=rules)


def _at_a_public_table(database: Database) -> PreparedTable:
    slug = open_table(
        database, sign_in_guest(database, ALICE), settings_with_condition(NEEDED_PERCENT)
    )
    return slug, lambda guest: take_lobby_action(database, slug, guest, "take_seat")


def _by_the_link_of_a_table(database: Database) -> PreparedTable:
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice, settings_with_condition(NEEDED_PERCENT))
    link = lobby_of(database, slug, alice).link_token
    assert link is not None

    def join(guest: Guest) -> None:
        with transaction(database) as tx:
            accept_invitation(tx, link, guest.person)

    return slug, join


def _by_an_offer(database: Database) -> PreparedTable:
    slug = deal_game(database, sign_in_guests(database, ALICE, BOB, CAROL))
    set_late_rules(database, slug, lowest_reliability=NEEDED_PERCENT)
    token = open_and_offer(database, slug)
    return slug, lambda guest: accept_offered_seat(database, token, guest)


def _by_stepping_in(database: Database) -> PreparedTable:
    guests = sign_in_guests(database, ALICE, BOB, CAROL)
    slug = deal_game(database, guests, table_settings(public=True))
    set_late_rules(database, slug, lowest_reliability=NEEDED_PERCENT)
    missed_at = miss_turn(database, slug, guests[0])
    return slug, lambda guest: take_seat(database, slug, guest, now=missed_at)


every_way = pytest.mark.parametrize(
    "prepare", [_at_a_public_table, _by_the_link_of_a_table, _by_an_offer, _by_stepping_in]
)


def store_turns(database: Database, character: Character, *, late: int, played: int) -> None:
    store_turn_ends(database, character, [*["late"] * late, *["played"] * played])


@every_way
def test_less_reliable_person_is_refused_and_nothing_changes(
    database: Database, prepare: Callable[[Database], PreparedTable]
) -> None:
    slug, join = prepare(database)
    store_turns(database, DAVE, late=3, played=11)
    alice, dave = sign_in_guests(database, ALICE, DAVE)
    seats_before = stored_game(database, slug, alice).row.seats
    with pytest.raises(ReliabilityTooLow) as error_info:
        join(dave)
    assert error_info.value.params == {"percent": 78, "needed": NEEDED_PERCENT}
    assert stored_game(database, slug, alice).row.seats == seats_before


@every_way
@pytest.mark.parametrize("late, played", [(2, 8), (9, 0), (0, 0)])
def test_reliable_and_new_people_are_let_in(
    database: Database, prepare: Callable[[Database], PreparedTable], late: int, played: int
) -> None:
    slug, join = prepare(database)
    store_turns(database, DAVE, late=late, played=played)
    alice, dave = sign_in_guests(database, ALICE, DAVE)
    join(dave)
    assert stored_game(database, slug, alice).row.seat_of(dave.person.id) is not None


def test_player_who_lost_their_seat_takes_it_back_whatever_the_condition(
    database: Database,
) -> None:
    guests = sign_in_guests(database, ALICE, BOB, CAROL)
    slug = deal_game(database, guests)
    set_late_rules(database, slug, lowest_reliability=NEEDED_PERCENT)
    missed_at = miss_turn(database, slug, guests[0])
    store_turns(database, ALICE, late=10, played=0)
    take_seat(database, slug, guests[0], now=missed_at)
    assert stored_game(database, slug, guests[1]).row.seat_of(guests[0].person.id) is not None


def test_host_must_meet_the_condition_of_a_new_table(database: Database) -> None:
    store_turns(database, ALICE, late=5, played=15)
    alice = sign_in_guest(database, ALICE)
    with pytest.raises(FieldErrors) as error_info:
        open_table(database, alice, settings_with_condition(NEEDED_PERCENT))
    [error] = error_info.value.errors
    assert (error.field, error.code, error.params) == (
        "lowest_reliability",
        "above-own",
        {"percent": 75, "needed": NEEDED_PERCENT},
    )
    assert open_table(database, alice, settings_with_condition(75))


@pytest.mark.parametrize("percent", [-1, 101, 10**12])
def test_impossible_share_is_refused(database: Database, percent: int) -> None:
    settings = settings_with_condition(percent)
    with pytest.raises(FieldErrors, match="lowest_reliability: out-of-range"):
        open_table(database, sign_in_guest(database, ALICE), settings)
