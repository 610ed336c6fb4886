"""Turns that players take while no worker runs: they are in time if their deadline would have been moved."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from tests.support.factories import DAY, Guest, deal_game, play_turn, table_settings
from tests.support.transactions import NOON, transaction
from webapp.clock.pace.pace import Pace
from webapp.clock.schema import DeadlineEvent
from webapp.kernel.tx import Database
from webapp.lobby.schema import Seat
from webapp.operations import maintenance, processes

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)


def record_last_sweep(database: Database, at: datetime) -> None:
    with transaction(database) as tx:
        processes.record_sweep(tx, swept_at=at)


def kinds_of_ended_turns(database: Database) -> list[str]:
    with transaction(database) as tx:
        query = select(DeadlineEvent.kind).where(DeadlineEvent.kind.in_(("played", "late")))
        return list(tx.connection.scalars(query.order_by(DeadlineEvent.id)))


@pytest.mark.parametrize(
    "last_sweep_at, kind",
    [
        (NOON + DAY - HOUR, "played"),
        (NOON + DAY - MINUTE, "played"),
        (NOON + DAY + MINUTE, "late"),
        (NOON + DAY + 110 * MINUTE, "late"),
        (NOON + 2 * DAY, "late"),
    ],
)
def test_turn_is_in_time_if_workers_stopped_before_its_deadline(
    database: Database, guests: list[Guest], slug: str, last_sweep_at: datetime, kind: str
) -> None:
    record_last_sweep(database, last_sweep_at)
    play_turn(database, slug, guests[0], now=NOON + DAY + 2 * HOUR)
    assert kinds_of_ended_turns(database) == [kind]


def test_turn_a_moment_after_its_deadline_is_late_while_workers_run(
    database: Database, guests: list[Guest], slug: str
) -> None:
    record_last_sweep(database, NOON + DAY - timedelta(seconds=30))
    play_turn(database, slug, guests[0], now=NOON + DAY + timedelta(seconds=5))
    assert kinds_of_ended_turns(database) == ["late"]


def test_time_without_workers_costs_nothing_of_the_time_bank(
    database: Database, guests: list[Guest]
) -> None:
    pace = Pace(time_per_turn=DAY, bank=10 * HOUR)
    slug = deal_game(database, guests, table_settings(pace=pace))
    record_last_sweep(database, NOON + 23 * HOUR)
    play_turn(database, slug, guests[0], now=NOON + 40 * HOUR)
    with transaction(database) as tx:
        # None is a full bank.
        assert tx.connection.scalars(select(Seat.bank).where(Seat.number == 0)).one() is None


def test_next_turn_gets_back_what_it_lost_before_workers_return(
    database: Database, guests: list[Guest], slug: str
) -> None:
    record_last_sweep(database, NOON + 23 * HOUR)
    play_turn(database, slug, guests[0], now=NOON + 26 * HOUR)
    with transaction(database, NOON + 28 * HOUR) as tx:
        assert maintenance.detect_outage(tx)
        maintenance.shift_next_games(tx)
    with transaction(database) as tx:
        event = tx.execute(
            select(DeadlineEvent.seat, DeadlineEvent.deadline_at, DeadlineEvent.cause).where(
                DeadlineEvent.kind == "shifted"
            )
        ).one()
    assert tuple(event) == (1, NOON + 52 * HOUR, "server")
