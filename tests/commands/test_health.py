"""`lodepost health`: what the health checks of containers run."""

from datetime import timedelta

import pytest

from tests.support.transactions import transaction
from webapp.cli import main
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database
from webapp.operations import processes
from webapp.operations.processes import instance_name

UNREACHABLE_URL = "postgresql://lode:hush@127.0.0.1:1/lode"


@pytest.fixture(autouse=True)
def server_environment(monkeypatch: pytest.MonkeyPatch, database_url: str) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("SECRET_KEY", "k" * 32)


def record(
    database: Database,
    part: str,
    *,
    instance: str | None = None,
    age: timedelta = timedelta(0),
    clock_ahead: timedelta = timedelta(0),
) -> None:
    functions = {"worker": processes.record_heartbeat, "beat": processes.record_beat}
    with transaction(database, utc_now() - age) as tx:
        functions[part](tx, instance or instance_name(), clock_ahead=clock_ahead)


@pytest.mark.parametrize("part", ["worker", "beat"])
def test_process_that_was_seen_lately_is_healthy(database: Database, part: str) -> None:
    record(database, part)
    assert main(["health", part]) == 0


@pytest.mark.parametrize("part, other_part", [("worker", "beat"), ("beat", "worker")])
def test_process_of_another_kind_or_host_does_not_count(
    database: Database, part: str, other_part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    record(database, other_part)
    record(database, part, instance="another-host:1")
    assert main(["health", part]) == 1
    assert f"No {part} was seen here lately." in capsys.readouterr().err


@pytest.mark.parametrize("part", ["worker", "beat"])
def test_silent_process_is_not_healthy(database: Database, part: str) -> None:
    record(database, part, age=timedelta(minutes=3))
    assert main(["health", part]) == 1


@pytest.mark.parametrize("part", ["worker", "beat"])
def test_process_with_a_wrong_clock_is_not_healthy(
    database: Database, part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    record(database, part, clock_ahead=timedelta(minutes=5))
    assert main(["health", part]) == 1
    assert f"The clock of the {part} differs" in capsys.readouterr().err


def test_without_a_database_nothing_is_healthy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", UNREACHABLE_URL)
    assert main(["health", "worker"]) == 1
    assert capsys.readouterr().err == "lodepost health: The database does not answer.\n"
