"""A rewind takes back what the turns cost that it takes back: strikes, time from the bank, and missed turns of the players' record."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from tests.play.test_turn_events import PACE_WITH_BANK, bank_of, events_of, sweep_at
from tests.support.acts import perform_act
from tests.support.cast import DAVE
from tests.support.factories import (
    Guest,
    deal_game,
    play_turn,
    sign_in_guest,
    stored_game,
    table_settings,
)
from tests.support.late_games import (
    emails_of_kinds,
    make_public,
    miss_turn,
    set_late_rules,
    take_seat,
)
from tests.support.plans import make_plan
from tests.support.transactions import NOON, transaction
from webapp.clock.queries.reliability import Reliability
from webapp.clock.reliability import reliability_of
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.lobby.schema import Seat

HOUR = timedelta(hours=1)
TWO_DAYS = timedelta(days=2)
FIRST_DEADLINE = NOON + 16 * HOUR


@pytest.fixture
def slug_with_bank(database: Database, guests: list[Guest]) -> str:
    return deal_game(database, guests, table_settings(pace=PACE_WITH_BANK))


def strikes_of(database: Database, seat: int = 0) -> int:
    with transaction(database) as tx:
        return int(tx.execute(select(Seat.strikes).where(Seat.number == seat)).scalar_one())


def record_of(database: Database, guest: Guest, now: datetime) -> Reliability:
    with transaction(database, now) as tx:
        return reliability_of(tx, guest.person.id)


def rewind(database: Database, slug: str, turn: int, now: datetime) -> None:
    perform_act(database, slug, GameRight.REWIND, turn=turn, now=now)


def undone_turns(database: Database, slug: str) -> list[Any]:
    return [event.turn_seq for event in events_of(database, slug) if event.kind == "undone"]


def test_rewind_takes_back_the_strike_the_bank_and_the_record_of_a_missed_turn(
    database: Database, guests: list[Guest], slug_with_bank: str
) -> None:
    sweep_at(database, FIRST_DEADLINE)
    assert strikes_of(database) == 1
    assert bank_of(database, slug_with_bank, 0) == timedelta(0)
    assert record_of(database, guests[0], FIRST_DEADLINE).missed_day_count == 1

    rewound_at = FIRST_DEADLINE + HOUR
    rewind(database, slug_with_bank, 0, rewound_at)
    assert strikes_of(database) == 0
    assert bank_of(database, slug_with_bank, 0) is None
    assert record_of(database, guests[0], rewound_at) == Reliability()
    assert undone_turns(database, slug_with_bank) == [0, 1]
    assert events_of(database, slug_with_bank)[-1].deadline_at == rewound_at + 16 * HOUR


def test_turn_that_was_taken_back_is_not_taken_back_again(
    database: Database, guests: list[Guest], slug_with_bank: str
) -> None:
    sweep_at(database, FIRST_DEADLINE)
    rewind(database, slug_with_bank, 0, FIRST_DEADLINE)
    sweep_at(database, FIRST_DEADLINE + 16 * HOUR)
    with transaction(database) as tx:
        tx.execute(update(Seat).where(Seat.number == 0).values(strikes=5))
    rewind(database, slug_with_bank, 0, FIRST_DEADLINE + 17 * HOUR)
    assert strikes_of(database) == 4
    assert len(undone_turns(database, slug_with_bank)) == 4


def test_rewind_leaves_the_turns_before_alone(
    database: Database, guests: list[Guest], slug_with_bank: str
) -> None:
    sweep_at(database, FIRST_DEADLINE)
    play_turn(database, slug_with_bank, guests[1], now=FIRST_DEADLINE + 12 * HOUR)
    assert bank_of(database, slug_with_bank, 1) == 5 * HOUR
    rewind(database, slug_with_bank, 1, FIRST_DEADLINE + 13 * HOUR)
    assert strikes_of(database) == 1
    assert bank_of(database, slug_with_bank, 0) == timedelta(0)
    assert bank_of(database, slug_with_bank, 1) is None
    assert record_of(database, guests[0], FIRST_DEADLINE + TWO_DAYS).missed_day_count == 1


def test_rewind_takes_back_what_a_planned_turn_has_put_into_the_bank(
    database: Database, guests: list[Guest], slug_with_bank: str
) -> None:
    now = NOON + 12 * HOUR
    play_turn(database, slug_with_bank, guests[0])
    play_turn(database, slug_with_bank, guests[1], now=now)
    make_plan(database, slug_with_bank, guests[1], now=now)
    for guest in (guests[2], guests[0]):
        play_turn(database, slug_with_bank, guest, now=now)
    assert bank_of(database, slug_with_bank, 1) is None
    rewind(database, slug_with_bank, 4, now + HOUR)
    assert bank_of(database, slug_with_bank, 1) == 5 * HOUR


def test_substitute_loses_nothing_by_a_rewind_of_their_predecessors_turns(
    database: Database, guests: list[Guest], slug_with_bank: str
) -> None:
    sweep_at(database, FIRST_DEADLINE)
    perform_act(database, slug_with_bank, GameRight.SEAT_BOT, seat=0, now=FIRST_DEADLINE)
    rewind(database, slug_with_bank, 0, FIRST_DEADLINE + HOUR)
    assert strikes_of(database) == 0
    assert bank_of(database, slug_with_bank, 0) is None


def test_leaver_who_gets_the_seat_back_after_a_rewind_has_no_strike(
    database: Database, guests: list[Guest], slug_with_bank: str
) -> None:
    sweep_at(database, FIRST_DEADLINE)
    perform_act(database, slug_with_bank, GameRight.OPEN_SEAT, seat=0, now=FIRST_DEADLINE)
    rewind(database, slug_with_bank, 0, FIRST_DEADLINE + HOUR)
    assert strikes_of(database) == 0


def test_rewind_gives_the_seat_back_that_was_lost_by_a_missed_turn(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug)
    missed_at = miss_turn(database, slug, guests[0])
    assert stored_game(database, slug, guests[1]).row.seats[0].is_lost
    rewind(database, slug, 0, missed_at + HOUR)
    row = stored_game(database, slug, guests[0]).row
    seat = row.seats[0]
    assert (row.awaiting, seat.account_id, seat.strikes) == (0, guests[0].person.id, 0)
    assert (seat.is_lost, seat.leaver_id, seat.opened_at) == (False, None, None)
    assert emails_of_kinds(database, "your-turn")[-1][1] == guests[0].person.id
    play_turn(database, slug, guests[0], now=missed_at + HOUR)


def test_rewind_takes_no_seat_from_the_player_who_took_it_over(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug)
    make_public(database, slug)
    missed_at = miss_turn(database, slug, guests[0])
    dave = sign_in_guest(database, DAVE)
    take_seat(database, slug, dave, now=missed_at)
    rewind(database, slug, 0, missed_at + HOUR)
    assert stored_game(database, slug, guests[1]).row.seats[0].account_id == dave.person.id


def test_rewind_to_after_the_missed_turn_leaves_the_seat_open(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug)
    missed_at = miss_turn(database, slug, guests[0])
    play_turn(database, slug, guests[1], now=missed_at)
    rewind(database, slug, 1, missed_at + HOUR)
    assert stored_game(database, slug, guests[1]).row.seats[0].is_lost
