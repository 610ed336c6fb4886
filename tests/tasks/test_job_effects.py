"""Jobs log what they have done, by counts, and nothing if they found nothing to do."""

import logging

import pytest

from tasks import deadlines, housekeeping
from tasks.context import WorkerContext
from tests.support.calls import mark_calls_sent
from tests.support.factories import DAY, Guest
from tests.support.fakes import FakeClock, Outbox
from tests.support.outages import write_heartbeat
from tests.support.transactions import transaction
from webapp.kernel.tx import Database
from webapp.logs.fields import FIELDS_ATTRIBUTE
from webapp.operations import maintenance

JOBS = (
    deadlines.sweep_deadlines,
    housekeeping.end_votes,
    housekeeping.close_unfilled_tables,
    housekeeping.inform_volunteers,
    housekeeping.delete_expired,
)


def effects_in(caplog: pytest.LogCaptureFixture) -> list[dict[str, object]]:
    all_fields = [getattr(record, FIELDS_ATTRIBUTE, {}) for record in caplog.records]
    return [fields for fields in all_fields if fields.get("event") == "job-effect"]


def test_jobs_that_find_nothing_to_do_log_nothing(
    worker: WorkerContext, slug: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    for job in JOBS:
        job(worker)
    assert slug
    assert caplog.records == []


def test_sweep_logs_how_many_turns_it_played(
    worker: WorkerContext,
    database: Database,
    slug: str,
    clock: FakeClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    mark_calls_sent(database)
    clock.move(4 * DAY)
    write_heartbeat(worker)
    worker.heartbeats.note_sweep(clock.now)
    deadlines.sweep_deadlines(worker)
    assert {"event": "job-effect", "job": "deadlines", "played": 1, "reminded": 0, "failed": 0} in (
        effects_in(caplog)
    )
    assert slug not in caplog.text


def test_shifted_clocks_and_deleted_rows_are_logged(
    worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    outbox: Outbox,
    clock: FakeClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    assert guests
    assert slug
    with transaction(database, clock.now) as tx:
        maintenance.begin(tx)
    clock.move(DAY)
    with transaction(database, clock.now) as tx:
        maintenance.end(tx)
    deadlines.sweep_deadlines(worker)
    outbox.execute("UPDATE session SET created_at = created_at - interval '1 year'")
    housekeeping.delete_expired(worker)
    effects = effects_in(caplog)
    assert {"event": "job-effect", "job": "lost-time", "shifted": 1} in effects
    (deletion,) = [effect for effect in effects if effect["job"] == "retention"]
    assert deletion["rows"] == 3
