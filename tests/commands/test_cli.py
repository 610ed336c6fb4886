import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from webapp.cli import main
from webapp.operations.queries.migrate import newest_revision, revision_of

ROOT = Path(__file__).parents[2]
SERVER_SETTING_NAMES = ("DATABASE_URL", "REDIS_URL", "SMTP_URL", "BASE_URL", "SECRET_KEY", "LISTEN")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SERVER_SETTING_NAMES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("arguments", [[], ["--help"], ["help"]])
def test_usage_lists_every_command(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 0
    usage_text = capsys.readouterr().out
    for name in ("serve", "web", "worker", "beat", "migrate", "verify", "simulate", "replay"):
        assert f"\n  {name} " in usage_text
    for name in ("backup", "restore", "audit", "doctor", "moderator", "person", "settings"):
        assert f"\n  {name} " in usage_text
    for name in ("game", "seat", "emails", "status"):
        assert f"\n  {name} " in usage_text


def test_version_is_the_one_of_this_release(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert re.fullmatch(r"Lodepost \d+\.\d+\.\d+\n", capsys.readouterr().out)


def test_unknown_command_prints_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dig"]) == 2
    printed_output = capsys.readouterr()
    assert printed_output.out == ""
    assert "there is no command 'dig'" in printed_output.err
    assert "serve" in printed_output.err


@pytest.mark.parametrize(
    "name",
    [
        "serve",
        "web",
        "worker",
        "beat",
        "migrate",
        "backup",
        "restore",
        "audit",
        "doctor",
        "moderator",
        "person",
        "settings",
        "game",
        "seat",
    ],
)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as error_info:
        main([name, "--help"])
    assert error_info.value.code == 0
    assert f"usage: lodepost {name}" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["web", "worker", "beat"])
def test_separate_processes_require_database_and_redis(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name]) == 2
    message = capsys.readouterr().err
    assert "DATABASE_URL is not set" in message
    assert "REDIS_URL is not set" in message


@pytest.mark.parametrize("port", ["0", "-1", "65536", "http", "8000/x"])
def test_invalid_port_is_rejected(
    port: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as error_info:
        main(["serve", f"--port={port}", f"--data={tmp_path / 'data'}"])
    assert error_info.value.code == 2
    assert "expected a port from 1 to 65535" in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


def test_migrate_gives_an_empty_database_the_schema_of_this_release(
    empty_database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DATABASE_URL", empty_database_url)
    monkeypatch.setenv("SECRET_KEY", "k" * 32)
    assert main(["migrate"]) == 0
    assert str(newest_revision()) in capsys.readouterr().out
    assert revision_of(empty_database_url) == newest_revision()


def test_help_loads_no_library_of_the_server() -> None:
    code = (
        "import sys; from webapp.cli import main; main(['--help']);"
        "loaded = {'flask', 'celery', 'sqlalchemy', 'psycopg'} & set(sys.modules);"
        "sys.exit(f'loaded: {loaded}' if loaded else 0)"
    )
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    completed_process = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=False
    )
    assert completed_process.returncode == 0, completed_process.stderr
