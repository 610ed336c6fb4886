"""The health of the site: samples every five minutes, heartbeats, retention, present figures in one statement."""

from datetime import timedelta

from sqlalchemy import func, select

from tests.support.statements import recorded_statements
from tests.support.transactions import NOON, read_only, transaction
from webapp.accounts import security_log
from webapp.accounts.security_log import SecurityEventKind
from webapp.kernel.tx import Database
from webapp.operations import health, processes
from webapp.operations.health import SiteHealth
from webapp.operations.processes import process_status
from webapp.operations.schema import HealthSample, Heartbeat
from webapp.operations.site_figures import WorkReport
from webapp.privacy.retention import apply_retention

FIVE_MINUTES = timedelta(minutes=5)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


def health_of(database: Database, now: object = NOON) -> SiteHealth:
    with read_only(database, now) as tx:
        return health.site_health(tx)  # type: ignore[arg-type]


def take_samples_of_ages(database: Database, *ages: timedelta) -> None:
    for age in ages:
        with transaction(database, NOON - age) as tx:
            health.take_sample(tx)


def record_heartbeat_at_age(
    database: Database, instance: str = "host:1", *, age: timedelta = MINUTE, sweeps: int = 0
) -> None:
    with transaction(database, NOON - age) as tx:
        processes.record_heartbeat(
            tx, instance, work=WorkReport(sweeps=sweeps, slow_sweeps=sweeps // 2)
        )
        if sweeps:
            processes.record_sweep(tx, swept_at=NOON - age)


def count(database: Database, model: type[HealthSample | Heartbeat]) -> int:
    with read_only(database) as tx:
        return int(tx.execute(select(func.count()).select_from(model)).scalar_one())


def test_empty_site_is_healthy_and_has_gaps(database: Database) -> None:
    found_health = health_of(database)
    assert (
        found_health.oldest_email.now,
        found_health.most_overdue.now,
        found_health.workers.now,
    ) == (0, 0, 0)
    assert found_health.worker_seen_at is None
    assert found_health.oldest_email.half_hourly_values == (None,) * 48


def test_waiting_emails_and_overdue_deadlines_are_measured(database: Database, slug: str) -> None:
    later_time = NOON + timedelta(days=1, hours=2)
    found_health = health_of(database, later_time)
    assert found_health.pending_emails.now > 0
    assert found_health.oldest_email.now == timedelta(days=1, hours=2).total_seconds()
    assert found_health.most_overdue.now == timedelta(hours=2).total_seconds()


def test_deadline_in_the_future_is_not_overdue(database: Database, slug: str) -> None:
    assert health_of(database).most_overdue.now == 0


def test_sample_of_five_minutes_is_taken_once(database: Database, slug: str) -> None:
    take_samples_of_ages(
        database, FIVE_MINUTES, FIVE_MINUTES - timedelta(seconds=100), 2 * FIVE_MINUTES
    )
    assert count(database, HealthSample) == 2
    assert health_of(database).pending_emails.half_hourly_values[-2:] == (None, 7)


def test_sweeps_of_several_workers_add_up_and_survive_the_sample(database: Database) -> None:
    record_heartbeat_at_age(database, "host:1", age=FIVE_MINUTES, sweeps=4)
    take_samples_of_ages(database, FIVE_MINUTES)
    record_heartbeat_at_age(database, "host:2", age=FIVE_MINUTES, sweeps=6)
    take_samples_of_ages(database, timedelta(0))
    found_health = health_of(database)
    assert (found_health.sweeps.now, found_health.slow_sweeps) == (10, 5)
    assert found_health.sweeps.half_hourly_values[-1] == 10
    assert found_health.workers.half_hourly_values[-1] == 1
    assert found_health.beat_seen_at == NOON - FIVE_MINUTES


def test_workers_that_were_seen_lately_count_as_running(database: Database) -> None:
    record_heartbeat_at_age(database, "host:1")
    record_heartbeat_at_age(database, "host:2", age=FIVE_MINUTES)
    record_heartbeat_at_age(database, "host:3", age=timedelta(hours=1))
    assert health_of(database).workers.now == 1
    with read_only(database) as tx:
        found_status = process_status(tx)
    assert [worker.instance for worker in found_status.running_workers] == ["host:1"]
    assert [worker.instance for worker in found_status.silent_workers] == ["host:2"]
    assert found_status.worker_seen_at == NOON - MINUTE
    assert found_status.swept_at is None


def test_heartbeat_never_goes_back_in_time(database: Database) -> None:
    record_heartbeat_at_age(database)
    record_heartbeat_at_age(database, age=timedelta(hours=1))
    assert health_of(database).worker_seen_at == NOON - MINUTE


def test_worker_that_ends_properly_is_forgotten(database: Database) -> None:
    record_heartbeat_at_age(database)
    with transaction(database) as tx:
        processes.forget_worker(tx, "host:1")
    assert count(database, Heartbeat) == 0


def test_sign_ins_of_a_day_are_counted(database: Database) -> None:
    with transaction(database) as tx:
        for hours in (1, 23, 25):
            at = NOON - timedelta(hours=hours)
            security_log.record(tx.at(at), SecurityEventKind.SIGN_IN, account_id=None)
    assert health_of(database).sign_ins.now == 2


def test_old_samples_become_hourly_maxima_and_are_deleted_in_the_end(database: Database) -> None:
    take_samples_of_ages(
        database,
        3 * DAY,
        3 * DAY - FIVE_MINUTES,
        3 * DAY - 2 * FIVE_MINUTES,
        FIVE_MINUTES,
        36 * DAY,
    )
    record_heartbeat_at_age(database, age=3 * DAY - FIVE_MINUTES, sweeps=5)
    record_heartbeat_at_age(database, age=3 * DAY - 2 * FIVE_MINUTES, sweeps=7)
    for _ in range(2):
        with transaction(database) as tx:
            health.thin_samples(tx)
            apply_retention(tx)
    with read_only(database) as tx:
        rows = tx.execute(select(HealthSample.at, HealthSample.sweeps)).all()
    assert sorted(map(tuple, rows)) == [(NOON - 3 * DAY, 12), (NOON - FIVE_MINUTES, 0)]
    # Only the last sweep is kept: it shows when an outage began.
    assert count(database, Heartbeat) == 1


def test_health_is_read_in_one_statement(database: Database) -> None:
    take_samples_of_ages(database, FIVE_MINUTES, timedelta(0))
    with recorded_statements(database) as statements:
        health_of(database)
    assert len(statements) == 1
