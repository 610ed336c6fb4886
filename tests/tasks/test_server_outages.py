"""After an outage of all workers every running deadline moves once, before anyone is played for."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import text

from tasks import deadlines, housekeeping
from tasks.context import WorkerContext
from tasks.heartbeats import Heartbeats
from tests.support.factories import DAY, NOON, Guest, deal_game, stored_game
from tests.support.fakes import FakeClock
from webapp.services.operations import maintenance
from webapp.services.play.history_page import history_page
from webapp.services.tx import Database, transaction

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)


def restarted(worker: WorkerContext, name: str = "again:1") -> WorkerContext:
    return replace(worker, heartbeats=Heartbeats(name))


def write_heartbeat(worker: WorkerContext) -> None:
    worker.heartbeats.write_if_due(
        worker.database, now=worker.now(), clock_difference=worker.clock_difference
    )


@pytest.fixture
def swept(worker: WorkerContext, slug: str) -> WorkerContext:
    """A worker that has looked for deadlines and has said so; the game waits for Alice until tomorrow noon."""
    deadlines.sweep_deadlines(worker)
    write_heartbeat(worker)
    return worker


def deadline_of(database: Database, slug: str, guest: Guest) -> datetime | None:
    return stored_game(database, slug, guest).row.deadline_at


def outages(database: Database) -> list[tuple[datetime, datetime]]:
    with transaction(database) as tx:
        rows = tx.connection.execute(
            text("SELECT began_at, ended_at FROM maintenance WHERE cause = 'outage' ORDER BY id")
        )
        return [tuple(row) for row in rows]


def test_no_one_is_defaulted_after_an_outage_and_all_deadlines_move_by_its_length(
    swept: WorkerContext, database: Database, guests: list[Guest], slug: str, clock: FakeClock
) -> None:
    other_slug = deal_game(database, guests)
    clock.move(2 * DAY)
    worker = restarted(swept)
    write_heartbeat(worker)
    deadlines.sweep_deadlines(worker)
    for game_slug in (slug, other_slug):
        assert stored_game(database, game_slug, guests[0]).seq == 0
        assert deadline_of(database, game_slug, guests[0]) == NOON + 3 * DAY
    assert outages(database) == [(NOON, NOON + 2 * DAY)]


def test_outage_counts_once_for_several_workers_and_starts(
    swept: WorkerContext, database: Database, guests: list[Guest], slug: str, clock: FakeClock
) -> None:
    clock.move(6 * HOUR)
    for name in ("a:1", "b:2", "c:3"):
        deadlines.sweep_deadlines(restarted(swept, name))
    assert len(outages(database)) == 1
    assert deadline_of(database, slug, guests[0]) == NOON + DAY + 6 * HOUR


def test_short_restart_is_no_outage(
    swept: WorkerContext, database: Database, guests: list[Guest], slug: str, clock: FakeClock
) -> None:
    clock.move(5 * MINUTE)
    deadlines.sweep_deadlines(restarted(swept))
    assert outages(database) == []
    assert deadline_of(database, slug, guests[0]) == NOON + DAY


def test_worker_that_died_while_shifting_repeats_nothing(
    swept: WorkerContext, database: Database, guests: list[Guest], slug: str, clock: FakeClock
) -> None:
    deal_game(database, guests)
    clock.move(2 * DAY)
    with transaction(database) as tx:
        maintenance.note_outage(tx, now=clock())
    with transaction(database) as tx:
        assert maintenance.shift_next_games(tx, now=clock(), limit=1)
    clock.move(3 * MINUTE)
    deadlines.sweep_deadlines(restarted(swept))
    with transaction(database) as tx:
        deadlines_now = list(tx.connection.scalars(text("SELECT deadline_at FROM game")))
    assert deadlines_now == [NOON + 3 * DAY] * 2


def test_process_that_stood_still_makes_up_for_it(
    swept: WorkerContext, database: Database, guests: list[Guest], slug: str, clock: FakeClock
) -> None:
    clock.move(2 * DAY)
    deadlines.sweep_deadlines(swept)
    assert deadline_of(database, slug, guests[0]) == NOON + 3 * DAY
    clock.move(MINUTE)
    deadlines.sweep_deadlines(swept)
    assert len(outages(database)) == 1


def test_maintenance_during_an_outage_covers_it(
    swept: WorkerContext, database: Database, guests: list[Guest], slug: str, clock: FakeClock
) -> None:
    clock.move(2 * HOUR)
    with transaction(database) as tx:
        maintenance.begin(tx, now=clock())
    clock.move(HOUR)
    worker = restarted(swept)
    deadlines.sweep_deadlines(worker)
    clock.move(HOUR)
    with transaction(database) as tx:
        maintenance.end(tx, now=clock())
    deadlines.sweep_deadlines(worker)
    assert outages(database) == []
    assert deadline_of(database, slug, guests[0]) == NOON + DAY + 4 * HOUR


def test_worker_with_a_wrong_clock_finds_no_outage_and_hides_none(
    swept: WorkerContext, database: Database, guests: list[Guest], slug: str, clock: FakeClock
) -> None:
    clock.move(3 * DAY)
    wrong = replace(restarted(swept), database_time=lambda _: clock() - 3 * DAY)
    deadlines.sweep_deadlines(wrong)
    write_heartbeat(wrong)
    assert outages(database) == []
    deadlines.sweep_deadlines(restarted(swept, "right:1"))
    assert outages(database) == [(NOON, NOON + 3 * DAY)]


def test_last_sign_of_life_outlives_a_long_outage(
    swept: WorkerContext, database: Database, guests: list[Guest], slug: str, clock: FakeClock
) -> None:
    clock.move(20 * DAY)
    worker = restarted(swept)
    housekeeping.delete_expired(worker)
    deadlines.sweep_deadlines(worker)
    assert deadline_of(database, slug, guests[0]) == NOON + 21 * DAY


def test_history_shows_the_outage(
    swept: WorkerContext, database: Database, guests: list[Guest], slug: str, clock: FakeClock
) -> None:
    clock.move(HOUR)
    deadlines.sweep_deadlines(restarted(swept))
    with transaction(database) as tx:
        [period] = history_page(tx, slug, guests[0].cookie, now=clock()).maintenance
    assert (period.cause, period.began_at, period.ended_at) == ("outage", NOON, NOON + HOUR)
