"""Time in which the database took no changes counts as an outage: no one could play, although workers could read all deadlines."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from tasks import deadlines
from tasks.context import WorkerContext
from tests.support.factories import DAY, Guest, stored_game
from tests.support.fakes import FakeClock
from tests.support.outages import write_heartbeat
from tests.support.postgres import make_read_only, make_writable
from tests.support.transactions import NOON, transaction
from webapp.kernel.refusals import Unavailable
from webapp.kernel.tx import Database

MINUTE = timedelta(minutes=1)


def work_for(worker: WorkerContext, clock: FakeClock, time: timedelta) -> int:
    """Let a worker sweep every minute; return how often the database refused to be written to."""
    refused_count = 0
    for _ in range(time // MINUTE):
        clock.move(MINUTE)
        for job in (write_heartbeat, deadlines.sweep_deadlines):
            try:
                job(worker)
            except Unavailable:
                refused_count += 1
    return refused_count


@pytest.mark.own_database
@pytest.mark.usefixtures("slug")
def test_deadlines_move_by_the_time_in_which_the_database_was_read_only(
    worker: WorkerContext, database: Database, guests: list[Guest], slug: str, clock: FakeClock
) -> None:
    work_for(worker, clock, 10 * MINUTE)
    make_read_only(database)
    assert work_for(worker, clock, 120 * MINUTE) >= 120
    make_writable(database)
    assert work_for(worker, clock, 10 * MINUTE) == 0
    moved_by = stored_game(database, slug, guests[0]).row.deadline_at - (NOON + DAY)
    assert 120 * MINUTE <= moved_by <= 122 * MINUTE


@pytest.mark.own_database
def test_connections_from_while_a_database_was_read_only_are_replaced(database: Database) -> None:
    make_read_only(database)
    with pytest.raises(Unavailable):
        change_something(database)
    make_writable(database)
    change_something(database)


def change_something(database: Database) -> None:
    with transaction(database) as tx:
        tx.execute(text("DELETE FROM heartbeat"))
