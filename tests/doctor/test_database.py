import re
from collections.abc import Callable
from datetime import datetime, timedelta

import psycopg
import pytest
from sqlalchemy import text

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import DAY, deal_game, request_sign_in_email, sign_in_guests
from tests.support.transactions import NOON, read_only, transaction
from webapp.doctor.database import check_database, check_server
from webapp.doctor.result import CheckResult, ok
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database, Tx
from webapp.operations import processes
from webapp.operations.audit import run_batch
from webapp.operations.health import database_info


def clock_off_by(step: timedelta) -> Callable[[], datetime]:
    return lambda: utc_now() + step


PATIENT_SECONDS = 240
"""After that long a write will not be done, however slow the machine is."""


def results_for(url: str, now: Callable[[], datetime] = utc_now) -> list[CheckResult]:
    return list(check_database(url, now, write_seconds=PATIENT_SECONDS))


def test_new_database_is_ok(database_url: str) -> None:
    results = results_for(database_url)
    assert {result.status for result in results} == {"ok"}
    assert any("Postgres 1" in result.message for result in results)


@pytest.mark.parametrize(
    "step, status",
    [
        (timedelta(seconds=-29), "warning"),
        (timedelta(seconds=29), "warning"),
        (timedelta(minutes=5), "error"),
        (timedelta(minutes=-3), "error"),
    ],
)
def test_clock_difference_is_reported(step: timedelta, status: str, database_url: str) -> None:
    results = results_for(database_url, clock_off_by(step))
    (result,) = [result for result in results if result.status != "ok"]
    assert result.status == status
    shown_difference = re.search(r"differ by ([\d.]+) seconds", result.message)
    assert shown_difference
    # The time that the question takes is not counted.
    assert 2 < float(shown_difference[1]) <= abs(step.total_seconds())
    assert "NTP" in result.remedy


def test_old_unsent_email_and_overdue_deadline_are_errors(
    database: Database, database_url: str
) -> None:
    deal_game(database, sign_in_guests(database, ALICE, BOB, CAROL))
    errors = [result.message for result in results_for(database_url) if result.status == "error"]
    assert len(errors) == 2
    assert "unsent email has been waiting for" in errors[0]
    assert "A deadline passed" in errors[1]
    assert utc_now() > NOON + 2 * DAY


def test_new_unsent_email_is_ok(database: Database, database_url: str) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE, now=utc_now())
    results = results_for(database_url)
    assert {result.status for result in results} == {"ok"}
    assert any("email has been waiting for 0:0" in result.message for result in results)


def test_database_without_a_schema_is_an_error(empty_database_url: str) -> None:
    (result,) = [result for result in results_for(empty_database_url) if result.status != "ok"]
    assert "schema (none)" in result.message
    assert "lodepost migrate" in result.remedy


def test_database_with_another_schema_is_an_error(database_url: str) -> None:
    with psycopg.connect(database_url.replace("+psycopg", "")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    (result,) = [result for result in results_for(database_url) if result.status != "ok"]
    assert "Its schema (9999)" in result.message


def test_unreachable_database_is_an_error_without_its_password() -> None:
    (result,) = results_for("postgresql+psycopg://lode:hush@127.0.0.1:1/lode")
    assert result.status == "error"
    assert "127.0.0.1" in result.message
    assert "hush" not in result.message + result.remedy


def test_inconsistent_game_is_an_error(database: Database, database_url: str) -> None:
    deal_game(database, sign_in_guests(database, ALICE, BOB, CAROL))
    assert "first daily audit has not finished" in results_for(database_url)[-1].message
    with transaction(database) as tx:
        run_batch(tx, limit=5)
    assert "finished at 2026-03-02 12:00 UTC" in results_for(database_url)[-1].message
    with psycopg.connect(database_url.replace("+psycopg", "")) as connection:
        connection.execute("UPDATE game SET round = 3")
    with transaction(database, NOON + DAY) as tx:
        run_batch(tx, limit=5)
    last_result = results_for(database_url)[-1]
    assert last_result.status == "error"
    assert "inconsistencies: 1." in last_result.message


def record_heartbeat(database: Database, instance: str, *, age: timedelta) -> None:
    with transaction(database) as tx:
        processes.record_heartbeat(tx.at(utc_now() - age), instance)


def test_worker_that_was_seen_lately_is_ok(database: Database, database_url: str) -> None:
    record_heartbeat(database, "host:1", age=timedelta(seconds=40))
    assert ok("Workers that are running: 1.") in results_for(database_url)


def test_workers_that_play_no_bots_are_a_warning(database: Database, database_url: str) -> None:
    for age in (100, 30):
        record_heartbeat(database, "host:1", age=timedelta(seconds=age))
    [found] = [
        check_result
        for check_result in results_for(database_url)
        if check_result.message == "No worker plays bots."
    ]
    assert (found.status, "--only-bots" in found.remedy) == ("warning", True)


def test_silent_worker_is_an_error_if_no_other_is_running(
    database: Database, database_url: str
) -> None:
    record_heartbeat(database, "host:1", age=timedelta(minutes=9))
    for status in ("error", "warning"):
        found = {result.message[:44]: result.status for result in results_for(database_url)}
        assert found["Workers that are silent: host:1 (last seen 0"] == status
        record_heartbeat(database, "host:2", age=timedelta(seconds=40))


def test_silent_workers_are_one_line_and_leave_once_they_are_replaced(
    database: Database, database_url: str
) -> None:
    for number in range(5):
        record_heartbeat(database, f"host:{number}", age=timedelta(minutes=5 + number))
    [line] = [result.message for result in results_for(database_url) if "silent" in result.message]
    assert line.startswith("Workers that are silent: host:0 (last seen 0:05:")
    assert line.endswith(" ago) and 4 more.")
    with transaction(database) as tx:
        tx.execute(text("UPDATE heartbeat SET at = at - interval '6 minutes'"))
    record_heartbeat(database, "host:9", age=timedelta(seconds=10))
    assert not [result for result in results_for(database_url) if "silent" in result.message]


def test_worker_that_has_just_begun_is_not_yet_said_to_play_no_bots(
    database: Database, database_url: str
) -> None:
    record_heartbeat(database, "host:1", age=timedelta(seconds=10))
    assert "No worker plays bots." not in {result.message for result in results_for(database_url)}


def test_settings_that_a_pooler_drops_are_an_error(database: Database) -> None:
    with read_only(database) as tx:
        [found] = list(session_results(database, tx))
        assert found.status == "ok"
        tx.execute(text("SET statement_timeout = 0"))
        [found] = list(session_results(database, tx))
        tx.execute(text("RESET statement_timeout"))
    assert found.status == "error"
    assert "statement_timeout is 0, not 10s" in found.message
    assert "pooler" in found.remedy


def session_results(database: Database, tx: Tx) -> list[CheckResult]:
    results = check_server(database, tx, database_info(tx), utc_now)
    return [result for result in results if result.message.startswith("Sessions")]


def test_wrong_clock_of_a_worker_is_an_error(database: Database, database_url: str) -> None:
    record_heartbeat(database, "host:1", age=timedelta(seconds=40))
    record_beats(database, "host:3")
    with transaction(database) as tx:
        processes.record_wrong_clock(tx, "host:1", clock_ahead=timedelta(days=3))
    (result,) = [result for result in results_for(database_url) if result.status == "error"]
    assert result.message.startswith("The clock of the worker host:1 is 3 days, 0:00:00 ahead of")
    assert "NTP" in result.remedy


def record_beats(database: Database, *instances: str) -> None:
    for instance in instances:
        with transaction(database) as tx:
            processes.record_beat(tx.at(utc_now()), instance, clock_ahead=timedelta(0))


def test_second_beat_is_an_error(database: Database, database_url: str) -> None:
    record_beats(database, "host:1")
    assert ok("One beat is running.") in results_for(database_url)
    record_beats(database, "host:2", "host:1")
    (result,) = [result for result in results_for(database_url) if result.status == "error"]
    assert result.message.startswith("Beats that are running: 2 (host:1, host:2).")
    assert "Stop all but one" in result.remedy


def test_workers_without_a_beat_are_an_error(database: Database, database_url: str) -> None:
    record_heartbeat(database, "host:1", age=timedelta(seconds=40))
    messages = [result.message for result in results_for(database_url) if result.status == "error"]
    assert messages == ["No beat is running: no task is started by itself."]


def test_wrong_clock_of_a_beat_is_an_error(database: Database, database_url: str) -> None:
    with transaction(database) as tx:
        processes.record_beat(tx.at(utc_now()), "host:1", clock_ahead=timedelta(minutes=-3))
    (result,) = [result for result in results_for(database_url) if result.status == "error"]
    assert result.message.startswith("The clock of the beat host:1 is 0:03:00 behind")
