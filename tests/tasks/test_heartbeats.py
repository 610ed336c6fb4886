"""Heartbeats of a worker: not more often than needed, sweeps counted over all threads, removed at the end."""

from dataclasses import replace
from datetime import timedelta

from sqlalchemy import select

from tasks import bot_turns, deadlines, housekeeping
from tasks.context import WorkerContext
from tasks.heartbeats import Heartbeats
from tests.support.fakes import FakeClock
from tests.support.outages import write_heartbeat
from tests.support.statements import recorded_statements
from tests.support.transactions import read_only
from webapp.operations.health import site_health
from webapp.operations.processes import ProcessStatus, process_status
from webapp.operations.schema import DailyStatistics


def recorded_signs_of_life(worker: WorkerContext) -> ProcessStatus:
    with read_only(worker.database) as tx:
        return process_status(tx.at(worker.now()))


def test_heartbeat_is_written_every_thirty_seconds(worker: WorkerContext, clock: FakeClock) -> None:
    write_heartbeat(worker)
    clock.move(timedelta(seconds=29))
    with recorded_statements(worker.database) as statements:
        write_heartbeat(worker)
    assert statements == []
    clock.move(timedelta(seconds=1))
    write_heartbeat(worker)
    assert recorded_signs_of_life(worker).worker_seen_at == worker.now()


def test_sweeps_are_written_with_the_next_heartbeat(
    worker: WorkerContext, clock: FakeClock
) -> None:
    deadlines.sweep_deadlines(worker)
    deadlines.sweep_deadlines(worker)
    write_heartbeat(worker)
    clock.move(timedelta(minutes=5))
    housekeeping.take_health_sample(worker)
    with read_only(worker.database) as tx:
        assert site_health(tx.at(worker.now())).sweeps.now == 2
    assert recorded_signs_of_life(worker).swept_at is not None


def test_heartbeat_says_when_deadlines_were_last_looked_for(
    worker: WorkerContext, clock: FakeClock
) -> None:
    deadlines.sweep_deadlines(worker)
    swept_at = clock()
    clock.move(timedelta(hours=1))
    write_heartbeat(worker)
    assert recorded_signs_of_life(worker).swept_at == swept_at


def test_sweep_of_a_clock_that_was_ahead_is_not_written(
    worker: WorkerContext, clock: FakeClock
) -> None:
    worker.heartbeats.note_sweep(clock() + timedelta(days=3))
    write_heartbeat(worker)
    assert recorded_signs_of_life(worker).swept_at is None


def test_heartbeat_of_a_worker_without_sweeps_shows_no_schedule(worker: WorkerContext) -> None:
    write_heartbeat(worker)
    assert recorded_signs_of_life(worker).swept_at is None


def test_heartbeat_mentions_bots_only_if_the_worker_plays_them(
    worker: WorkerContext, clock: FakeClock
) -> None:
    write_heartbeat(worker)
    assert recorded_signs_of_life(worker).bots_seen_at is None
    bot_turns.play_bots(worker)
    clock.move(timedelta(seconds=30))
    write_heartbeat(worker)
    assert recorded_signs_of_life(worker).bots_seen_at == worker.now()


def test_each_process_has_its_own_heartbeat(worker: WorkerContext) -> None:
    other = replace(worker, heartbeats=Heartbeats("elsewhere:7"))
    write_heartbeat(worker)
    write_heartbeat(other)
    assert len(recorded_signs_of_life(worker).running_workers) == 2
    other.close()
    [remaining] = recorded_signs_of_life(worker).running_workers
    assert remaining.instance != "elsewhere:7"


def test_statistics_of_today_are_counted(worker: WorkerContext, slug: str) -> None:
    housekeeping.count_statistics(worker)
    with read_only(worker.database) as tx:
        [day] = tx.execute(select(DailyStatistics.day)).scalars()
    assert day == worker.now().date()
