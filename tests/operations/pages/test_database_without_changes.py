"""Monitoring turns red when the database answers but takes no changes, and when it does not answer at all."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta

import psycopg
import pytest
from flask import Flask
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import Engine, text

from tests.support.fakes import FakeClock
from tests.support.postgres import make_read_only
from tests.support.transactions import read_only
from tests.support.visitors import Site
from webapp.doctor.database import check_database
from webapp.kernel import urls
from webapp.kernel.database import engine_for
from webapp.kernel.tx import Database
from webapp.operations.processes import WriteCheck

SECOND = timedelta(seconds=1)


@pytest.fixture
def read_only_site(site: Site, database: Database) -> Site:
    make_read_only(database)
    return site


@pytest.mark.own_database
def test_read_only_database_is_neither_ready_nor_healthy(read_only_site: Site) -> None:
    client = read_only_site.app.test_client()
    health, readiness = client.get(urls.health()), client.get(urls.readiness_probe())
    assert (health.status_code, health.json) == (503, {"database": "takes no changes"})
    assert (readiness.status_code, readiness.json) == (
        503,
        {"ready": False, "database": "takes no changes"},
    )


@pytest.mark.own_database
def test_metrics_say_that_a_read_only_database_answers(read_only_site: Site) -> None:
    metrics = database_metrics(read_only_site.app)
    assert metrics == {"lodepost_database_up": 1, "lodepost_database_writable": 0}


@pytest.mark.own_database
def test_doctor_reports_a_read_only_database(read_only_site: Site, database_url: str) -> None:
    errors = [
        result for result in check_database(database_url, read_only_site.clock) if result.remedy
    ]
    assert "The database answers, but takes no changes." in [result.message for result in errors]


def test_database_that_takes_changes_is_writable(site: Site) -> None:
    metrics = database_metrics(site.app)
    assert metrics == {"lodepost_database_up": 1, "lodepost_database_writable": 1}


def test_write_that_gets_no_answer_counts_as_failed_until_it_gets_one(
    database: Database, database_url: str, clock: FakeClock
) -> None:
    check = WriteCheck(database, "web:1", now=clock, seconds=0.2)
    with closing(locked_heartbeats(database_url)):
        assert check.state() == "down"
        clock.move(SECOND)
        assert check.state() == "down"
    states = []
    # What was written while no one could answer may fail first.
    while len(states) < 100 and "up" not in states:
        clock.move(SECOND)
        states.append(check.state())
    assert states[-1] == "up"


def test_answer_is_kept_for_a_second(database: Database, clock: FakeClock) -> None:
    check = WriteCheck(database, "web:1", now=clock)
    assert check.state() == "up"
    written_at = clock.now
    clock.move(SECOND / 2)
    assert check.state() == "up"
    assert web_heartbeats(database) == [("web:1", written_at)]
    clock.move(SECOND / 2)
    assert check.state() == "up"
    assert web_heartbeats(database) == [("web:1", clock.now)]


@pytest.fixture
def distrustful_engine(database_url: str) -> Iterator[Engine]:
    """An engine that tries every pooled connection before it is used again."""
    engine = engine_for(database_url, pool_size=2, unchecked_seconds=0)
    yield engine
    engine.dispose()


def test_connection_that_broke_while_it_was_idle_is_replaced(
    distrustful_engine: Engine, database_url: str
) -> None:
    with distrustful_engine.begin() as connection:
        pid = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    with psycopg.connect(database_url.replace("+psycopg", ""), autocommit=True) as operator:
        operator.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
    with distrustful_engine.begin() as connection:
        assert connection.execute(text("SELECT pg_backend_pid()")).scalar_one() != pid


def locked_heartbeats(database_url: str) -> psycopg.Connection[tuple[object, ...]]:
    """Return a connection that lets no one write a heartbeat until it is closed."""
    connection = psycopg.connect(database_url.replace("+psycopg", ""))
    connection.execute("LOCK TABLE heartbeat IN ACCESS EXCLUSIVE MODE")
    return connection


def web_heartbeats(database: Database) -> list[tuple[object, ...]]:
    with read_only(database) as tx:
        rows = tx.execute(text("SELECT instance, at FROM heartbeat WHERE part = 'web'"))
        return [tuple(row) for row in rows]


def database_metrics(app: Flask) -> dict[str, float]:
    answer = app.test_client().get(urls.metrics(), headers={"Host": "127.0.0.1:8000"})
    return {
        sample.name: sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
        if sample.name.startswith("lodepost_database_")
    }
