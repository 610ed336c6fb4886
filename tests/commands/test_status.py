"""`lodepost status`: one screen that shows what runs and what needs action, without a person, a role or a secret."""

import json
import re
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import deal_game, sign_in_guests
from tests.support.transactions import NOON, transaction
from webapp.cli import main
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database
from webapp.operations import alarms, maintenance, processes
from webapp.operations.site_figures import WorkReport

SETTING_NAMES = ("REDIS_URL", "SMTP_URL", "BASE_URL", "LISTEN")
SECOND = timedelta(seconds=1)
KEY = "k" * 32


@pytest.fixture(autouse=True)
def server_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, database_url: str) -> None:
    for name in SETTING_NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("SECRET_KEY", KEY)


def run_worker_and_beats(
    database: Database, *beats: str, clock_ahead: timedelta = timedelta(0)
) -> None:
    with transaction(database) as tx:
        work = WorkReport(has_looked_for_bots=True)
        processes.record_heartbeat(tx.at(utc_now()), "host:1", work=work, clock_ahead=clock_ahead)
    for beat in [*beats, *beats]:
        with transaction(database) as tx:
            processes.record_beat(tx.at(utc_now()), beat, clock_ahead=timedelta(0))


def test_server_in_order_needs_no_action(
    database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    run_worker_and_beats(database, "host:2")
    assert main(["status"]) == 0
    screen = capsys.readouterr().out
    for line in (
        "Games        none\n",
        "Emails       none waiting\n",
        "Workers      1 running\n               host:1  seen",
        "Beat         1 running\n",
        "Maintenance  off\n",
        "Alarms       none in the last hour\n",
        "Versions     Lodepost ",
        "Nothing needs action.",
    ):
        assert line in screen
    assert max(map(len, screen.splitlines())) < 80


def test_busy_screen_is_narrow_and_names_no_person_or_secret(
    database: Database, database_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    slug = deal_game(database, sign_in_guests(database, ALICE, BOB, CAROL))
    run_worker_and_beats(database, "host:2", clock_ahead=-90 * SECOND)
    with transaction(database) as tx:
        alarms.raise_alarm(tx.at(utc_now() - 125 * SECOND), "dead-email")
        maintenance.begin(tx.at(utc_now() - 700 * SECOND))
    assert main(["status"]) == 1
    screen = capsys.readouterr().out
    assert "Games        1 running\n" in screen
    assert "not tried yet, the oldest for" in screen
    assert "clock 90 s behind" not in screen
    assert "clock 1 min behind" in screen
    # Some minutes more if the machine is slow.
    assert re.search(r"dead-email, [2-9] min ago", screen)
    assert re.search(r"on for 1[1-9] min: no deadline runs out", screen)
    assert max(map(len, screen.splitlines())) < 80
    secrets = (slug, ALICE.name, ALICE.address, "saboteur", "digger", KEY, database_url)
    for word in secrets:
        assert word not in screen


def test_second_beat_needs_action(database: Database, capsys: pytest.CaptureFixture[str]) -> None:
    run_worker_and_beats(database, "host:2", "host:3")
    assert main(["status"]) == 1
    assert "- Beats that are running: 2 (host:2, host:3)." in capsys.readouterr().out


def test_server_without_processes_needs_action(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status"]) == 1
    screen = capsys.readouterr().out
    assert "- No worker is running" in screen
    assert "- No beat is running" in screen


def test_status_works_without_redis_and_mail_server(
    database: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://:redis-hush@127.0.0.1:1/0")
    monkeypatch.setenv("SMTP_URL", "smtp://lode:relay-hush@127.0.0.1:1")
    run_worker_and_beats(database, "host:2")
    assert main(["status"]) == 1
    screen = capsys.readouterr().out
    assert "- Redis at 127.0.0.1 port 1 does not answer" in screen
    assert "Beat         1 running" in screen
    assert "hush" not in screen


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_unreachable_database_is_a_message_and_status_2(
    options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://lode:hush@127.0.0.1:1/lode")
    assert main(["status", *options]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "The database does not answer" in printed.err
    assert "hush" not in printed.err


def test_database_with_another_schema_needs_action(
    database_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(database_url.replace("+psycopg", "")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    assert main(["status"]) == 1
    assert "lodepost migrate" in capsys.readouterr().out.replace("\n  ", " ")


def test_json_has_all_figures(database: Database, capsys: pytest.CaptureFixture[str]) -> None:
    deal_game(database, sign_in_guests(database, ALICE, BOB, CAROL), now=NOON)
    run_worker_and_beats(database, "host:2", clock_ahead=0.25 * SECOND)
    assert main(["status", "--json"]) == 1
    status = json.loads(capsys.readouterr().out)
    assert status["games"]["running"] == 1
    assert status["emails"][0]["cause"] == "new"
    assert status["workers"][0]["clock_ahead_seconds"] == 0.25
    assert [beat["name"] for beat in status["beats"]] == ["host:2"]
    assert status["waiting_seconds"]["most_overdue_deadline"] > 0
    assert any("unsent email" in found["message"] for found in status["needs_action"])
    assert status["disk"]["database_bytes"] > 0
    assert status["versions"]["lodepost"]
