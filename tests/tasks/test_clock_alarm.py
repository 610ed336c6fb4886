"""A worker whose clock differs from the database's does nothing and says so."""

import logging
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from tasks import bot_turns, deadlines, delivery, housekeeping
from tasks.context import WorkerContext
from tests.support.calls import mark_calls_sent
from tests.support.factories import DAY, Guest, deal_game, stored_game, table_settings
from tests.support.fakes import FakeClock, Outbox, RecordingTransport
from tests.support.outages import write_heartbeat
from tests.support.transactions import read_only
from webapp.kernel.tx import Database, Tx
from webapp.operations.health import site_health
from webapp.operations.processes import process_status

SECOND = timedelta(seconds=1)


@pytest.fixture
def fast_worker(worker: WorkerContext, clock: FakeClock) -> WorkerContext:
    """A worker whose clock is three days ahead of the database's."""
    return replace(worker, database_time=lambda _: clock.now - 3 * DAY)


def worker_with_clock_ahead(
    worker: WorkerContext, clock: FakeClock, step: timedelta
) -> WorkerContext:
    return replace(worker, database_time=lambda _: clock.now - step)


def errors_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


def test_clock_three_days_fast_lets_no_turn_time_out(
    fast_worker: WorkerContext,
    database: Database,
    slug: str,
    guests: list[Guest],
    clock: FakeClock,
    outbox: Outbox,
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock.move(3 * DAY)
    deadlines.sweep_deadlines(fast_worker)
    assert stored_game(database, slug, guests[0]).seq == 0
    assert outbox.rows("reminder") == []
    (error,) = errors_in(caplog)
    assert "3 days, 0:00:00 ahead of the database's" in error


@pytest.mark.parametrize("seconds, turns", [(30, 1), (-30, 1), (31, 0), (-31, 0)])
def test_clock_difference_of_half_a_minute_is_tolerated(
    seconds: int,
    turns: int,
    worker: WorkerContext,
    database: Database,
    slug: str,
    guests: list[Guest],
    clock: FakeClock,
) -> None:
    mark_calls_sent(database)
    clock.move(2 * DAY)
    deadlines.sweep_deadlines(worker_with_clock_ahead(worker, clock, seconds * SECOND))
    assert stored_game(database, slug, guests[0]).seq == turns


def test_slow_answer_of_the_database_is_no_clock_difference(
    worker: WorkerContext, database: Database, slug: str, guests: list[Guest], clock: FakeClock
) -> None:
    def slow_database_time(_: Tx) -> datetime:
        clock.move(timedelta(minutes=1))
        return clock.now - 20 * SECOND

    mark_calls_sent(database)
    clock.move(2 * DAY)
    deadlines.sweep_deadlines(replace(worker, database_time=slow_database_time))
    assert stored_game(database, slug, guests[0]).seq == 1


def test_wrong_clock_sends_no_email_and_deletes_nothing(
    fast_worker: WorkerContext, slug: str, recording_transport: RecordingTransport, outbox: Outbox
) -> None:
    delivery.deliver(fast_worker)
    assert recording_transport.sent() == []
    assert all(row.lease_until is None for row in outbox.rows())
    outbox.execute(
        "UPDATE notification SET status = 'sent', settled_at = first_due_at - interval '9 years'"
    )
    housekeeping.delete_expired(fast_worker)
    assert outbox.rows()
    for job in (housekeeping.take_health_sample, housekeeping.count_statistics):
        job(fast_worker)
    assert (outbox.count("health_sample"), outbox.count("daily_statistics")) == (0, 0)


def test_wrong_clock_plays_no_bot(
    fast_worker: WorkerContext, database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests[:1], table_settings(seats=5, starter=1))
    bot_turns.play_bots(fast_worker)
    assert stored_game(database, slug, guests[0]).seq == 0


def test_clock_error_is_logged_once_an_hour_for_each_direction(
    worker: WorkerContext, slug: str, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    clock.move(2 * DAY)
    for job in (deadlines.sweep_deadlines, delivery.deliver, deadlines.sweep_deadlines):
        job(worker_with_clock_ahead(worker, clock, DAY))
    assert len(errors_in(caplog)) == 1
    deadlines.sweep_deadlines(worker_with_clock_ahead(worker, clock, -DAY))
    assert len(errors_in(caplog)) == 2
    clock.move(timedelta(hours=1))
    deadlines.sweep_deadlines(worker_with_clock_ahead(worker, clock, DAY))
    assert len(errors_in(caplog)) == 3


def test_heartbeat_contains_the_clock_difference_until_the_clock_is_right(
    fast_worker: WorkerContext, worker: WorkerContext, database: Database, clock: FakeClock
) -> None:
    write_heartbeat(fast_worker)
    true_time = clock.now - 3 * DAY
    with read_only(database, true_time) as tx:
        recorded_signs = process_status(tx)
        assert site_health(tx).clock_ahead == 3 * DAY
    assert recorded_signs.worker_seen_at == true_time
    assert [wrong_clock.clock_ahead for wrong_clock in recorded_signs.wrong_clocks] == [3 * DAY]
    clock.now = true_time + timedelta(minutes=1)
    write_heartbeat(worker)
    with read_only(database, clock.now) as tx:
        assert process_status(tx).wrong_clocks == ()
        assert site_health(tx).clock_ahead == timedelta(0)
