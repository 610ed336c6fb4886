"""A restored copy sends no email and lets no deadline run out until it is released; then everyone has the time back."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import text

from tasks import deadlines, delivery
from tasks.context import WorkerContext
from tasks.heartbeats import Heartbeats
from tests.support.backup_files import backup_of, execute, restore_backup
from tests.support.factories import DAY, Guest, deal_game, stored_game
from tests.support.fakes import FakeClock, RecordingTransport
from tests.support.outages import write_heartbeat
from tests.support.postgres import Postgres
from tests.support.transactions import NOON, transaction
from webapp.kernel.refusals import FieldErrors
from webapp.kernel.site_settings import SiteSettings
from webapp.kernel.tx import Database
from webapp.moderation.copy_release import NotHeld, release, shift_earlier_clocks
from webapp.moderation.settings_change import SettingsChange, change_settings

pytestmark = pytest.mark.own_database
HOUR = timedelta(hours=1)


@pytest.fixture
def copy(
    worker: WorkerContext, slug: str, database_url: str, empty_database_url: str
) -> Iterator[WorkerContext]:
    """A worker of a copy of a site with a dealt game, which was restored an hour after its backup."""
    deadlines.sweep_deadlines(worker)
    write_heartbeat(worker)
    restore_backup(empty_database_url, backup_of(database_url), is_held=True)
    yield from worker_of_copy(worker, empty_database_url)


def worker_of_copy(worker: WorkerContext, url: str) -> Iterator[WorkerContext]:
    database = Database(url, pool_size=2)
    yield replace(worker, database=database, heartbeats=Heartbeats("copy:1"))
    database.dispose()


def run_jobs(worker: WorkerContext) -> None:
    write_heartbeat(worker)
    deadlines.sweep_deadlines(worker)
    delivery.deliver(worker)


def release_copy(worker: WorkerContext, *, drop_older_than: timedelta | None = None) -> int:
    has_clocks_to_shift = True
    while has_clocks_to_shift:
        with transaction(worker.database) as tx:
            has_clocks_to_shift = shift_earlier_clocks(tx.at(worker.now()))
    with transaction(worker.database) as tx:
        return release(
            tx.at(worker.now()),
            reason="The old machine is gone.",
            drop_older_than=drop_older_than,
            defaults=SiteSettings(),
        )


def deadline_of(worker: WorkerContext, slug: str, guest: Guest) -> datetime | None:
    return stored_game(worker.database, slug, guest).row.deadline_at


def test_copy_sends_nothing_and_plays_for_no_one(
    copy: WorkerContext,
    recording_transport: RecordingTransport,
    slug: str,
    guests: list[Guest],
    clock: FakeClock,
) -> None:
    for _ in range(3):
        clock.move(3 * DAY)
        run_jobs(copy)
    assert recording_transport.emails == []
    assert stored_game(copy.database, slug, guests[0]).seq == 0


def test_released_copy_gives_all_time_since_the_backup_back(
    copy: WorkerContext,
    recording_transport: RecordingTransport,
    slug: str,
    guests: list[Guest],
    clock: FakeClock,
) -> None:
    clock.move(4 * DAY)
    run_jobs(copy)
    clock.move(DAY)
    release_copy(copy)
    run_jobs(copy)
    assert deadline_of(copy, slug, guests[0]) == NOON + 6 * DAY
    assert stored_game(copy.database, slug, guests[0]).seq == 0
    clock.move(timedelta(minutes=2))
    run_jobs(copy)
    assert recording_transport.emails
    assert deadline_of(copy, slug, guests[0]) == NOON + 6 * DAY


def test_copy_that_no_worker_saw_before_its_release_gives_the_same_time_back(
    copy: WorkerContext, slug: str, guests: list[Guest], clock: FakeClock
) -> None:
    clock.move(5 * DAY)
    release_copy(copy)
    run_jobs(copy)
    assert deadline_of(copy, slug, guests[0]) == NOON + 6 * DAY


@pytest.mark.parametrize("days_between_sweeps", [[1, 4], []])
def test_backup_from_within_a_shift_of_deadlines_gives_the_same_time_back(
    days_between_sweeps: list[int],
    worker: WorkerContext,
    slug: str,
    database_url: str,
    empty_database_url: str,
    guests: list[Guest],
    clock: FakeClock,
) -> None:
    """Two hours of maintenance are over, and have been given back to the first of two games only."""
    other_slug = deal_game(worker.database, guests)
    execute(
        database_url,
        "UPDATE game SET turn_started_at = turn_started_at - interval '3 hours';"
        "UPDATE deadline_event SET at = at - interval '3 hours';"
        f"UPDATE game SET deadline_at = deadline_at + interval '2 hours' WHERE slug = '{slug}';"
        "INSERT INTO maintenance (began_at, recorded_at, ended_at, last_game_id) SELECT "
        f"'{NOON - 2 * HOUR}', '{NOON - 2 * HOUR}', '{NOON}', min(id) FROM game",
    )
    restore_backup(empty_database_url, backup_of(database_url), is_held=True)
    for copy in worker_of_copy(worker, empty_database_url):
        for days in days_between_sweeps:
            clock.move(days * DAY)
            run_jobs(copy)
            assert stored_game(copy.database, slug, guests[0]).seq == 0
        clock.move((5 - sum(days_between_sweeps)) * DAY)
        release_copy(copy)
        run_jobs(copy)
        for game_slug in (slug, other_slug):
            assert deadline_of(copy, game_slug, guests[0]) == NOON + 6 * DAY + 2 * HOUR
            assert stored_game(copy.database, game_slug, guests[0]).seq == 0


def test_copy_that_is_released_at_once_gives_the_time_back_too(
    worker: WorkerContext,
    slug: str,
    database_url: str,
    empty_database_url: str,
    guests: list[Guest],
    clock: FakeClock,
) -> None:
    """Not even a heartbeat says when deadlines were last watched."""
    execute(database_url, "DELETE FROM heartbeat")
    restore_backup(empty_database_url, backup_of(database_url))
    for copy in worker_of_copy(worker, empty_database_url):
        clock.move(5 * DAY)
        run_jobs(copy)
        assert deadline_of(copy, slug, guests[0]) == NOON + 6 * DAY
        assert stored_game(copy.database, slug, guests[0]).seq == 0


@pytest.mark.parametrize("is_held", [True, False])
def test_backup_of_a_held_copy_is_held_and_gives_all_time_back(
    *,
    is_held: bool,
    copy: WorkerContext,
    empty_database_url: str,
    postgres: Postgres,
    slug: str,
    guests: list[Guest],
    clock: FakeClock,
) -> None:
    clock.move(DAY)
    run_jobs(copy)
    with postgres.empty_database() as url:
        assert restore_backup(url, backup_of(empty_database_url), is_held=is_held).is_held
        for second_copy in worker_of_copy(copy, url):
            clock.move(4 * DAY)
            release_copy(second_copy)
            run_jobs(second_copy)
            assert deadline_of(second_copy, slug, guests[0]) == NOON + 6 * DAY


def test_release_drops_emails_that_have_waited_for_too_long(
    copy: WorkerContext, recording_transport: RecordingTransport, clock: FakeClock
) -> None:
    clock.move(5 * DAY)
    waiting = execute_in(copy, "SELECT count(*) FROM notification WHERE status = 'pending'")
    assert release_copy(copy, drop_older_than=DAY) == waiting[0][0] > 0
    delivery.deliver(copy)
    assert recording_transport.emails == []


def test_copy_is_opened_by_its_release_only_and_the_ledger_says_why(copy: WorkerContext) -> None:
    opening = SettingsChange(values={"maintenance": ""}, reason="Open", form_id="one")
    with pytest.raises(FieldErrors) as refusal, transaction(copy.database) as tx:
        change_settings(tx.at(copy.now()), None, opening, defaults=SiteSettings())
    assert [error.code for error in refusal.value.errors] == ["email-held"]
    release_copy(copy)
    [(reason, after)] = execute_in(copy, "SELECT reason, after FROM ledger")
    assert (reason, after) == ("The old machine is gone.", {"maintenance": ""})
    with pytest.raises(NotHeld):
        release_copy(copy)


def execute_in(worker: WorkerContext, query: str) -> list[tuple[object, ...]]:
    with transaction(worker.database) as tx:
        return [tuple(row) for row in tx.execute(text(query))]
