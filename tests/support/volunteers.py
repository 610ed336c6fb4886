"""Volunteers: people who want emails about open seats, and what housekeeping queues for them."""

from collections.abc import Sequence
from datetime import datetime

from tests.support.cast import Character
from tests.support.experience import make_room_for_game
from tests.support.factories import Guest, deal_game, sign_in_guest
from tests.support.late_games import let_time_run_out, make_public, set_late_rules
from tests.support.transactions import NOON, transaction
from webapp.kernel.tx import Database
from webapp.lobby.volunteers import change_volunteer, games_to_announce, inform_volunteers


def sign_in_volunteer(database: Database, character: Character) -> Guest:
    """Sign someone in who wants emails about open seats."""
    guest = sign_in_guest(database, character)
    want_open_seats(database, guest)
    return guest


def want_open_seats(database: Database, guest: Guest, *, wants_open_seats: bool = True) -> None:
    with transaction(database) as tx:
        change_volunteer(tx, guest.person, wants_open_seats=wants_open_seats)


def game_with_open_seat(
    database: Database,
    guests: Sequence[Guest],
    *,
    now: datetime = NOON,
    lowest_reliability: int = 0,
) -> str:
    """Deal a game at a public table, and let the first player lose their seat."""
    slug = deal_game(database, guests)
    set_late_rules(database, slug, lowest_reliability=lowest_reliability)
    make_public(database, slug)
    let_time_run_out(database, slug, now=now)
    return slug


def inform_all_volunteers(database: Database, *, now: datetime = NOON) -> None:
    """Do what housekeeping does."""
    with transaction(database, now) as tx:
        game_ids = games_to_announce(tx)
    for game_id in game_ids:
        with transaction(database, now) as tx:
            inform_volunteers(tx, game_id)


def cause_open_seats_email(database: Database, volunteer: Guest, guests: Sequence[Guest]) -> None:
    """Let a seat open in another game of these guests, about which a volunteer is informed."""
    make_room_for_game(database, volunteer.person)
    want_open_seats(database, volunteer)
    game_with_open_seat(database, guests)
    inform_all_volunteers(database)
