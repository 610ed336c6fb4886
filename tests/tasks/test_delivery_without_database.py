"""Deliveries while the database is away: nothing is lost, and nothing is sent twice by a worker that lives."""

from dataclasses import replace

import pytest
from sqlalchemy import Engine, create_engine

from tasks import delivery
from tasks.context import WorkerContext
from tests.support.failing_delivery import EMAILS_OF_A_DEAL
from tests.support.fakes import FakeClock, Outbox, RecordingTransport
from tests.support.postgres import Postgres
from webapp.kernel.refusals import Unavailable
from webapp.kernel.tx import Database
from webapp.mail.outbox.delivery import LEASE_DURATION
from webapp.mail.transport import RenderedEmail

UNREACHABLE_DATABASE_URL = "postgresql://none@127.0.0.1:9/none"


@pytest.mark.own_database
def test_short_database_outage_makes_no_email_go_out_twice(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    clock: FakeClock,
    postgres: Postgres,
    database_url: str,
) -> None:
    admin_engine = create_engine(postgres.url_of("postgres"), isolation_level="AUTOCOMMIT")
    name = database_url.rpartition("/")[2]

    def allow_connections(*, is_allowed: bool) -> None:
        with admin_engine.connect() as connection:
            connection.exec_driver_sql(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS {is_allowed}')
            connection.exec_driver_sql(
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
            )

    def stop_database(_: RenderedEmail) -> None:
        if len(recording_transport.emails) == 4:
            allow_connections(is_allowed=False)

    def return_at_second_pause(seconds: float) -> None:
        clock.pause(seconds)
        allow_connections(is_allowed=len(clock.pauses) > 1)

    recording_transport.after_sending = stop_database
    delivery.deliver(replace(worker, pause=return_at_second_pause))
    assert clock.pauses == [0.2, 1.0]
    assert outbox.statuses() == {"sent"}
    admin_engine.dispose()


class VanishingDatabase:
    """A database that a test can take away."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._no_database = Database(UNREACHABLE_DATABASE_URL)
        self.is_gone = False

    @property
    def engine(self) -> Engine:
        return self._no_database.engine if self.is_gone else self._database.engine


def test_long_database_outage_makes_no_email_go_out_twice(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    clock: FakeClock,
    outbox: Outbox,
) -> None:
    vanishing_database = VanishingDatabase(worker.database)

    def make_database_vanish(_: RenderedEmail) -> None:
        vanishing_database.is_gone = True

    def return_after_a_minute(seconds: float) -> None:
        clock.pause(seconds)
        vanishing_database.is_gone = sum(clock.pauses) < 60

    recording_transport.after_sending = make_database_vanish
    delivery.deliver(
        replace(worker, database=vanishing_database, pause=return_after_a_minute)  # type: ignore[arg-type]
    )
    assert outbox.statuses() == {"sent"}
    assert recording_transport.sent() == EMAILS_OF_A_DEAL


def test_worker_that_stops_during_a_database_outage_leaves_its_emails_to_others(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    clock: FakeClock,
    outbox: Outbox,
) -> None:
    vanishing_database = VanishingDatabase(worker.database)
    worker = replace(
        worker,
        database=vanishing_database,  # type: ignore[arg-type]
        is_stopping=lambda: sum(clock.pauses) > 60,
    )

    def make_database_vanish(_: RenderedEmail) -> None:
        vanishing_database.is_gone = True

    recording_transport.after_sending = make_database_vanish
    with pytest.raises(Unavailable):
        delivery.deliver(worker)
    worker = replace(worker, is_stopping=lambda: False)
    vanishing_database.is_gone = False
    recording_transport.after_sending = lambda _: None
    clock.now += LEASE_DURATION
    delivery.deliver(worker)
    assert outbox.statuses() == {"sent"}
    assert len({email.message for email in recording_transport.emails}) == 4


def test_delivery_without_a_database_raises(worker: WorkerContext) -> None:
    with pytest.raises(Unavailable):
        delivery.deliver(replace(worker, database=Database(UNREACHABLE_DATABASE_URL)))
