"""After an outage of all workers every running deadline moves once, before anyone is played for."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import text

from tasks import deadlines, housekeeping
from tasks.context import WorkerContext
from tasks.heartbeats import Heartbeats
from tests.support.factories import DAY, Guest, deal_game, stored_game
from tests.support.fakes import FakeClock
from tests.support.outages import write_heartbeat
from tests.support.transactions import NOON, transaction
from webapp.kernel.tx import Database, Tx
from webapp.operations import maintenance, processes
from webapp.play.views.history_page import history_page

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)


def restarted_worker(worker: WorkerContext, name: str = "again:1") -> WorkerContext:
    return replace(worker, heartbeats=Heartbeats(name))


@pytest.fixture
def swept_worker(worker: WorkerContext, slug: str) -> WorkerContext:
    """A worker that has looked for deadlines and has said so; the game waits for Alice until tomorrow noon."""
    deadlines.sweep_deadlines(worker)
    write_heartbeat(worker)
    return worker


def note_sweep(worker: WorkerContext, database: Database, *, at: datetime) -> None:
    """Let this worker, and the others, have looked for deadlines at an instant."""
    worker.heartbeats.note_sweep(at)
    with transaction(database) as tx:
        processes.record_sweep(tx, swept_at=at)


def deadline_of(database: Database, slug: str, guest: Guest) -> datetime | None:
    return stored_game(database, slug, guest).row.deadline_at


def outages(database: Database) -> list[tuple[datetime, datetime]]:
    query = text("SELECT began_at, ended_at FROM maintenance WHERE cause = 'server' ORDER BY id")
    with transaction(database) as tx:
        return [tuple(row) for row in tx.execute(query)]


def test_no_one_times_out_after_an_outage_and_all_deadlines_move_by_its_length(
    swept_worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
) -> None:
    other_slug = deal_game(database, guests)
    clock.move(2 * DAY)
    worker = restarted_worker(swept_worker)
    write_heartbeat(worker)
    deadlines.sweep_deadlines(worker)
    for game_slug in (slug, other_slug):
        assert stored_game(database, game_slug, guests[0]).seq == 0
        assert deadline_of(database, game_slug, guests[0]) == NOON + 3 * DAY
    assert outages(database) == [(NOON, NOON + 2 * DAY)]


def test_outage_counts_once_for_several_workers_and_starts(
    swept_worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
) -> None:
    clock.move(6 * HOUR)
    for name in ("a:1", "b:2", "c:3"):
        deadlines.sweep_deadlines(restarted_worker(swept_worker, name))
    assert len(outages(database)) == 1
    assert deadline_of(database, slug, guests[0]) == NOON + DAY + 6 * HOUR


def test_outage_after_the_first_sweep_of_all_is_found(
    worker: WorkerContext, database: Database, clock: FakeClock
) -> None:
    deadlines.sweep_deadlines(worker)
    clock.move(HOUR)
    deadlines.sweep_deadlines(restarted_worker(worker))
    assert outages(database) == [(NOON, NOON + HOUR)]


def test_short_restart_is_no_outage(
    swept_worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
) -> None:
    clock.move(5 * MINUTE)
    deadlines.sweep_deadlines(restarted_worker(swept_worker))
    assert outages(database) == []
    assert deadline_of(database, slug, guests[0]) == NOON + DAY


def test_worker_that_died_while_shifting_repeats_nothing(
    swept_worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
) -> None:
    deal_game(database, guests)
    clock.move(2 * DAY)
    with transaction(database) as tx:
        maintenance.detect_outage(tx.at(clock()))
    with transaction(database) as tx:
        assert maintenance.shift_next_games(tx.at(clock()), limit=1)
    clock.move(3 * MINUTE)
    deadlines.sweep_deadlines(restarted_worker(swept_worker))
    with transaction(database) as tx:
        deadlines_now = list(tx.connection.scalars(text("SELECT deadline_at FROM game")))
    assert deadlines_now == [NOON + 3 * DAY] * 2


def test_suspended_worker_moves_deadlines_by_the_length_of_its_suspension(
    swept_worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
) -> None:
    clock.move(2 * DAY)
    deadlines.sweep_deadlines(swept_worker)
    assert deadline_of(database, slug, guests[0]) == NOON + 3 * DAY
    clock.move(MINUTE)
    deadlines.sweep_deadlines(swept_worker)
    assert len(outages(database)) == 1


def test_heartbeat_of_a_worker_that_stood_still_does_not_hide_the_outage(
    swept_worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
) -> None:
    clock.move(MINUTE)
    deadlines.sweep_deadlines(swept_worker)
    clock.move(2 * DAY)
    write_heartbeat(swept_worker)
    deadlines.sweep_deadlines(swept_worker)
    assert outages(database) == [(NOON + MINUTE, NOON + 2 * DAY + MINUTE)]
    assert stored_game(database, slug, guests[0]).seq == 0


def test_worker_that_stands_still_within_a_sweep_times_out_no_one(
    swept_worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
) -> None:
    note_sweep(swept_worker, database, at=NOON + 20 * HOUR)
    clock.now = NOON + 20 * HOUR

    def database_time_after_a_day(_: Tx) -> datetime:
        clock.move(DAY)
        return clock()

    deadlines.sweep_deadlines(replace(swept_worker, database_time=database_time_after_a_day))
    assert stored_game(database, slug, guests[0]).seq == 0
    deadlines.sweep_deadlines(swept_worker)
    assert deadline_of(database, slug, guests[0]) == NOON + 2 * DAY


def test_sweep_stops_while_another_worker_moves_the_deadlines(
    swept_worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
) -> None:
    clock.now = NOON + 2 * DAY
    note_sweep(swept_worker, database, at=clock())

    def database_time_after_another_worker_found_an_outage(tx: Tx) -> datetime:
        maintenance.record_outage(tx, cause="server", began_at=NOON, ended_at=clock())
        return clock()

    deadlines.sweep_deadlines(
        replace(swept_worker, database_time=database_time_after_another_worker_found_an_outage)
    )
    assert stored_game(database, slug, guests[0]).seq == 0


def test_outage_with_maintenance_moves_deadlines_once(
    swept_worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
) -> None:
    clock.move(2 * HOUR)
    with transaction(database) as tx:
        maintenance.begin(tx.at(clock()))
    clock.move(HOUR)
    worker = restarted_worker(swept_worker)
    deadlines.sweep_deadlines(worker)
    clock.move(HOUR)
    with transaction(database) as tx:
        maintenance.end(tx.at(clock()))
    deadlines.sweep_deadlines(worker)
    assert outages(database) == []
    assert deadline_of(database, slug, guests[0]) == NOON + DAY + 4 * HOUR


def test_outage_around_a_maintenance_gives_all_time_back(
    swept_worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
) -> None:
    clock.move(HOUR)
    with transaction(database) as tx:
        maintenance.begin(tx.at(clock()))
    clock.move(HOUR)
    with transaction(database) as tx:
        maintenance.end(tx.at(clock()))
    clock.move(MINUTE)
    deadlines.sweep_deadlines(restarted_worker(swept_worker))
    assert deadline_of(database, slug, guests[0]) == NOON + DAY + 2 * HOUR + MINUTE


def test_worker_with_a_wrong_clock_finds_no_outage_and_hides_none(
    swept_worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
) -> None:
    clock.move(3 * DAY)
    worker_with_wrong_clock = replace(
        restarted_worker(swept_worker), database_time=lambda _: clock() - 3 * DAY
    )
    deadlines.sweep_deadlines(worker_with_wrong_clock)
    write_heartbeat(worker_with_wrong_clock)
    assert outages(database) == []
    deadlines.sweep_deadlines(restarted_worker(swept_worker, "right:1"))
    assert outages(database) == [(NOON, NOON + 3 * DAY)]


def test_last_heartbeat_is_not_deleted_after_a_long_outage(
    swept_worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
) -> None:
    clock.move(20 * DAY)
    worker = restarted_worker(swept_worker)
    housekeeping.delete_expired(worker)
    deadlines.sweep_deadlines(worker)
    assert deadline_of(database, slug, guests[0]) == NOON + 21 * DAY


def test_outage_is_found_after_the_clock_of_the_database_was_ahead(
    swept_worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
) -> None:
    note_sweep(swept_worker, database, at=NOON + 3 * DAY)
    clock.move(MINUTE)
    deadlines.sweep_deadlines(swept_worker)
    clock.move(2 * HOUR)
    deadlines.sweep_deadlines(restarted_worker(swept_worker))
    assert deadline_of(database, slug, guests[0]) == NOON + DAY + 2 * HOUR


def test_history_shows_the_outage(
    swept_worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
) -> None:
    clock.move(HOUR)
    deadlines.sweep_deadlines(restarted_worker(swept_worker))
    with transaction(database) as tx:
        [period] = history_page(tx.at(clock()), slug, guests[0].cookie).maintenance
    assert (period.cause, period.began_at, period.ended_at) == ("server", NOON, NOON + HOUR)
