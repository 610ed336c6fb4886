"""Heartbeats of a worker: not more often than needed, sweeps counted over all threads, removed at the end."""

from dataclasses import replace
from datetime import timedelta

from sqlalchemy import select

from tasks import bot_turns, deadlines, housekeeping
from tasks.context import WorkerContext
from tasks.heartbeats import Heartbeats
from tests.support.fakes import FakeClock
from tests.support.statements import recorded_statements
from webapp.services.operations.site_health import SignsOfLife, signs_of_life, site_health
from webapp.services.tx import read_only
from webapp.store.schema.statistics import DailyStatistics


def write(worker: WorkerContext) -> None:
    worker.heartbeats.write_if_due(
        worker.database, now=worker.now(), clock_difference=worker.clock_difference
    )


def seen(worker: WorkerContext) -> SignsOfLife:
    with read_only(worker.database) as tx:
        return signs_of_life(tx, now=worker.now())


def test_heartbeat_is_written_every_thirty_seconds(worker: WorkerContext, clock: FakeClock) -> None:
    write(worker)
    clock.move(timedelta(seconds=29))
    with recorded_statements(worker.database) as statements:
        write(worker)
    assert statements == []
    clock.move(timedelta(seconds=1))
    write(worker)
    assert seen(worker).worker_seen_at == worker.now()


def test_sweeps_are_written_with_the_next_heartbeat(
    worker: WorkerContext, clock: FakeClock
) -> None:
    deadlines.sweep_deadlines(worker)
    deadlines.sweep_deadlines(worker)
    write(worker)
    clock.move(timedelta(minutes=5))
    housekeeping.take_health_sample(worker)
    with read_only(worker.database) as tx:
        assert site_health(tx, now=worker.now()).sweeps.now == 2
    assert seen(worker).beat_seen_at is not None


def test_worker_without_sweeps_says_nothing_about_the_schedule(worker: WorkerContext) -> None:
    write(worker)
    assert seen(worker).beat_seen_at is None


def test_only_a_worker_that_plays_bots_says_so(worker: WorkerContext, clock: FakeClock) -> None:
    write(worker)
    assert seen(worker).bots_seen_at is None
    bot_turns.play_bots(worker)
    clock.move(timedelta(seconds=30))
    write(worker)
    assert seen(worker).bots_seen_at == worker.now()


def test_each_process_has_its_own_heartbeat(worker: WorkerContext) -> None:
    other = replace(worker, heartbeats=Heartbeats("elsewhere:7"))
    write(worker)
    write(other)
    assert len(seen(worker).running_workers) == 2
    other.close()
    assert "elsewhere:7" not in seen(worker).running_workers


def test_statistics_of_today_are_counted(worker: WorkerContext, slug: str) -> None:
    housekeeping.count_statistics(worker)
    with read_only(worker.database) as tx:
        [day] = tx.connection.execute(select(DailyStatistics.day)).scalars()
    assert day == worker.now().date()
