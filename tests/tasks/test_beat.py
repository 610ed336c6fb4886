"""A beat says in the database that it runs, each under a name of its own, until it ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from tasks.beat import BeatHeartbeats, VisibleScheduler
from tests.support.redis import settings, wait_until
from tests.support.transactions import read_only
from tests.tasks.test_celery import celery_for
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database
from webapp.operations.processes import ProcessStatus, process_status


def status(database: Database) -> ProcessStatus:
    with read_only(database) as tx:
        return process_status(tx.at(utc_now()))


@contextmanager
def running_beat(url: str, **options: timedelta) -> Iterator[VisibleScheduler]:
    """Run the heartbeats of a beat whose schedule starts nothing."""
    heartbeats = BeatHeartbeats(lambda: Database(url, pool_size=1), **options)  # type: ignore[arg-type]
    scheduler = VisibleScheduler(celery_for(settings()), heartbeats=heartbeats, lazy=True)
    scheduler.tick()
    try:
        yield scheduler
    finally:
        scheduler.close()


def test_two_beats_are_seen_while_they_run(database: Database, database_url: str) -> None:
    with running_beat(database_url):
        wait_until(lambda: len(status(database).running_beats) == 1)
        with running_beat(database_url, interval=timedelta(milliseconds=20)):
            wait_until(lambda: len(status(database).running_beats) == 1)
            with running_beat(database_url, interval=timedelta(milliseconds=20)):
                wait_until(lambda: len(status(database).running_beats) == 2)
    assert status(database).running_beats == ()
    assert status(database).beat_seen_at is None


def test_beat_without_a_database_starts_jobs_and_ends() -> None:
    with running_beat("postgresql+psycopg://lode@127.0.0.1:9/none") as scheduler:
        assert scheduler.tick() > 0


def test_closed_beat_ends_at_its_next_tick() -> None:
    with running_beat("postgresql+psycopg://lode@127.0.0.1:9/none") as scheduler:
        scheduler.close()
        with pytest.raises(SystemExit):
            scheduler.tick()
