"""A person who joins two games in the same moment stays within the number of games they may be in."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.blocked_requests import wait_until_blocked_or_done
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import (
    Guest,
    deal_game,
    open_table,
    sign_in_guest,
    sign_in_guests,
    table_settings,
)
from tests.support.late_games import miss_turn, set_late_rules, take_seat
from tests.support.lobby_actions import take_lobby_action
from tests.support.seat_offers import accept_offered_seat, open_and_offer
from tests.support.transactions import transaction
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.tx import Database
from webapp.lobby import seats
from webapp.play import access

Join = Callable[[Guest], object]


def _joining_a_table(database: Database) -> Join:
    host = sign_in_guest(database, ALICE)
    slug = open_table(database, host, table_settings(public=True))
    return lambda guest: take_lobby_action(database, slug, guest, "take_seat")


def _opening_a_table(database: Database) -> Join:
    return lambda guest: open_table(database, guest)


def _accepting_an_offer(database: Database) -> Join:
    slug = deal_game(database, sign_in_guests(database, ALICE, BOB, CAROL))
    token = open_and_offer(database, slug, address=DAVE.address)
    return lambda guest: accept_offered_seat(database, token, guest)


def _stepping_in(database: Database) -> Join:
    guests = sign_in_guests(database, ALICE, BOB, CAROL)
    slug = deal_game(database, guests, table_settings(public=True))
    set_late_rules(database, slug)
    missed_at = miss_turn(database, slug, guests[0])
    return lambda guest: take_seat(database, slug, guest, now=missed_at)


@pytest.mark.parametrize(
    "prepare_join", [_joining_a_table, _opening_a_table, _accepting_an_offer, _stepping_in]
)
def test_second_game_waits_for_the_first_and_is_refused(
    database: Database, prepare_join: Callable[[Database], Join]
) -> None:
    dave, host = sign_in_guests(database, DAVE, ALICE)
    join = prepare_join(database)
    first_slug = open_table(database, host, table_settings(public=True))
    for _ in range(2):
        open_table(database, dave)

    def outcome_of_join() -> str | DenialReason:
        try:
            join(dave)
        except NotAllowed as refusal:
            return refusal.reason
        return "joined"

    with ThreadPoolExecutor(1) as pool:
        with transaction(database) as tx:
            game = access.game_for(tx, first_slug, dave.cookie, mode="change").game
            seats.take_seat(tx, game, dave.person)
            future = pool.submit(outcome_of_join)
            wait_until_blocked_or_done(database, future)
        assert future.result() == DenialReason.TOO_MANY_GAMES
