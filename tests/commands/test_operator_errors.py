"""Mistakes of operators, command by command: each gives a message, exit status 2 and no traceback."""

import os
import re
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import msgspec
import psycopg
import pytest

from tests.support.backup_files import execute
from tests.support.ports import free_port
from tests.support.postgres import Postgres
from webapp.cli import main

ROOT = Path(__file__).parents[2]
GAME_FILE = ROOT / "tests" / "games" / "en-2004-1.game"
KEY = "k" * 32
UNREACHABLE_DATABASE_URL = "postgresql://lode:db-hush@127.0.0.1:1/lode"
UNREACHABLE_REDIS_URL = "redis://:redis-hush@127.0.0.1:1/0"
ENVIRONMENT_VARIABLES = (
    *("DATABASE_URL", "REDIS_URL", "SMTP_URL", "BASE_URL", "SECRET_KEY", "LISTEN", "DATA_DIR"),
    *("TRUSTED_PROXIES", "MAIL_FROM", "METRICS_TOKEN", "DRAIN_SECONDS", "EMAIL_WAIT_MINUTES"),
    *("REPLY_ADDRESS", "AUTHSERV_ID"),
)
COMPLETE_ENVIRON = {
    "DATABASE_URL": UNREACHABLE_DATABASE_URL,
    "REDIS_URL": UNREACHABLE_REDIS_URL,
    "SECRET_KEY": KEY,
}


def environ_without(name: str) -> dict[str, str]:
    return {other: COMPLETE_ENVIRON[other] for other in COMPLETE_ENVIRON if other != name}


# Command line -> environments with the pattern of the expected message.
EXPECTED_ERRORS = {
    "web": [
        ({}, "DATABASE_URL is not set.*REDIS_URL is not set"),
        (environ_without("SECRET_KEY"), "SECRET_KEY is not set"),
        (COMPLETE_ENVIRON | {"LISTEN": "gold"}, "LISTEN must be an address and a port"),
        (COMPLETE_ENVIRON | {"LISTEN": "127.0.0.1:99999"}, "LISTEN needs a port between"),
        (COMPLETE_ENVIRON | {"LISTEN": "192.0.2.1:8000"}, "cannot listen on 192.0.2.1 port 8000"),
        (COMPLETE_ENVIRON | {"TRUSTED_PROXIES": "many"}, "TRUSTED_PROXIES must be the number"),
        (
            COMPLETE_ENVIRON | {"TRUSTED_PROXIES": "-1", "BASE_URL": "play"},
            "BASE_URL must.*TRUSTED_PROXIES",
        ),
        (COMPLETE_ENVIRON | {"REDIS_URL": "http://127.0.0.1"}, "REDIS_URL must look like"),
        (COMPLETE_ENVIRON | {"REDIS_URL": "redis://127.0.0.1/gold"}, "REDIS_URL must look like"),
        (COMPLETE_ENVIRON | {"SMTP_URL": "mail.example.org"}, "SMTP_URL must look like"),
        (COMPLETE_ENVIRON | {"SECRET_KEY": "short"}, "SECRET_KEY has 5 characters"),
    ],
    "web --port gold": [(COMPLETE_ENVIRON, "expected a port from 1 to 65535, not 'gold'")],
    "worker": [
        ({}, "REDIS_URL is not set"),
        (COMPLETE_ENVIRON | {"SMTP_URL": "x"}, "SMTP_URL must"),
    ],
    "worker gold": [(COMPLETE_ENVIRON, "unrecognized arguments: gold")],
    "beat": [(environ_without("REDIS_URL"), "REDIS_URL is not set")],
    "migrate": [
        ({}, "DATABASE_URL is not set"),
        (COMPLETE_ENVIRON | {"DATABASE_URL": "mysql://x/y"}, "DATABASE_URL must look like"),
    ],
    "migrate --wait 0": [
        (COMPLETE_ENVIRON, "DATABASE_URL does not answer.*refused"),
        (
            COMPLETE_ENVIRON | {"DATABASE_URL": f"{UNREACHABLE_DATABASE_URL}?sslmode=gold"},
            "invalid sslmode value",
        ),
    ],
    "serve --data /dev/null": [({}, "DATA_DIR must be a folder")],
    "serve --data /dev/null/below": [({}, "/dev/null/below: Not a directory")],
    "serve --data old": [({}, "written by Postgres 16.*Nothing was changed")],
    "serve --data bad-key": [({}, "secret-key does not contain keys")],
    "serve --data no-key": [({}, "secret-key does not contain keys")],
    "serve": [(COMPLETE_ENVIRON, "DATABASE_URL does not answer")],
    "backup new.backup": [
        (COMPLETE_ENVIRON, "DATABASE_URL does not answer"),
        ({}, "There is no database in"),
        ({"DATA_DIR": "old"}, "written by Postgres 16"),
    ],
    "backup existing.backup": [(COMPLETE_ENVIRON, "already exists")],
    "backup nowhere/new.backup": [(COMPLETE_ENVIRON, "The folder nowhere does not exist")],
    "restore truncated.backup": [(COMPLETE_ENVIRON, "not a complete Lodepost backup.*truncated")],
    "restore none.backup": [(COMPLETE_ENVIRON, "No such file")],
    "restore .": [(COMPLETE_ENVIRON, "Is a directory")],
    "audit": [
        (COMPLETE_ENVIRON, "DATABASE_URL does not answer"),
        ({"DATA_DIR": "old"}, "written by Postgres 16"),
    ],
    "doctor --offline": [(COMPLETE_ENVIRON | {"LISTEN": "gold"}, "LISTEN must be")],
    "verify none.game": [({}, "No such file")],
    "verify truncated.backup": [({}, "Line 1: ")],
    "replay .": [({}, "Is a directory")],
    f"replay {GAME_FILE} --seat 99": [({}, "This game has seats 1 to 3")],
    f"replay {GAME_FILE} --until 9999": [({}, "This game has turns 0 to")],
    "simulate --players 2": [({}, "invalid choice: 2")],
    "simulate --games 0": [({}, "expected a number from 1 up")],
    "simulate --rollouts few": [({}, "expected a number from 0 up")],
    "simulate --players 3 --games 1 --save /dev/null/x": [({}, "/dev/null/x: Not a directory")],
    "dig": [({}, "there is no command 'dig'")],
}
ERROR_CASES = [
    (command, environ, pattern)
    for command, command_cases in EXPECTED_ERRORS.items()
    for environ, pattern in command_cases
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder with data of another release and files that are not backups."""
    for name in ENVIRONMENT_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name in ("old/postgres", "bad-key", "no-key"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "old" / "postgres" / "PG_VERSION").write_text("16\n", encoding="ascii")
    (tmp_path / "bad-key" / "secret-key").write_bytes(b"\xff")
    (tmp_path / "no-key" / "secret-key").touch()
    (tmp_path / "existing.backup").touch()
    (tmp_path / "truncated.backup").write_bytes(b"PK\x03\x04" + b"\xff" * 99)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def error_of(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command that must fail with status 2, and return its message on one line."""
    try:
        status = main(arguments)
    except SystemExit as exit_error:
        status = int(exit_error.code or 0)
    message = capsys.readouterr().err
    assert status == 2, message
    assert "Traceback" not in message
    assert "hush" not in message
    return " ".join(message.split())


@pytest.mark.parametrize(
    "command, environ, pattern", ERROR_CASES, ids=[case[0] for case in ERROR_CASES]
)
def test_mistake_gives_a_message_and_status_2(
    command: str,
    environ: dict[str, str],
    pattern: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    port = ["--port", str(free_port())] if command.startswith("serve") else []
    assert re.search(pattern, error_of([*command.split(), *port], capsys))


HOSTILE_NAME = "\x1b[31m\x07odd\x9b2J\udcff"


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", f"{HOSTILE_NAME}.game"],
        ["replay", f"{HOSTILE_NAME}.game"],
        ["replay", "one.game", f"{HOSTILE_NAME}.game"],
        ["backup", f"{HOSTILE_NAME}/new.backup"],
        ["restore", f"{HOSTILE_NAME}.backup"],
        ["audit", "--data", HOSTILE_NAME],
        ["simulate", "--games", "1", "--players", "3", "--save", f"/dev/null/{HOSTILE_NAME}"],
        ["serve", "--data", f"/dev/null/{HOSTILE_NAME}"],
        [HOSTILE_NAME],
    ],
    ids=lambda arguments: arguments[0] if arguments[0] != HOSTILE_NAME else "no command",
)
def test_message_contains_no_control_characters_of_a_file_name(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    port = ["--port", str(free_port())] if arguments[0] == "serve" else []
    message = error_of([*arguments, *port], capsys)
    assert "odd" in message
    assert not set(message) & set("\x1b\x07\x9b\udcff")


@pytest.mark.parametrize("command", ["web", "serve"])
def test_port_in_use_is_reported(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in COMPLETE_ENVIRON.items():
        monkeypatch.setenv(name, value)
    with socket.socket() as listening_socket:
        listening_socket.bind(("127.0.0.1", 0))
        listening_socket.listen()
        port = str(listening_socket.getsockname()[1])
        message = error_of([command, "--port", port], capsys)
    error = f"cannot listen on 127.0.0.1 port {port}: Address already in use. Choose another"
    assert error in message


def psycopg_url(url: str) -> str:
    return url.replace("+psycopg", "", 1)


@pytest.fixture
def backup(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a backup of the database at DATABASE_URL."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("SECRET_KEY", KEY)
    assert main(["backup", "complete.backup"]) == 0
    # The security log says that there was a backup.
    execute(database_url, "DELETE FROM security_event")
    return Path("complete.backup")


def replace_schema_of_backup(backup: Path) -> str:
    with zipfile.ZipFile(backup) as original, zipfile.ZipFile("newer.backup", "w") as newer_backup:
        for name in original.namelist():
            content = original.read(name)
            if name == "manifest.json":
                content = msgspec.json.encode(msgspec.json.decode(content) | {"schema": "9999"})
            newer_backup.writestr(name, content)
    return "newer.backup"


def truncate_backup(backup: Path) -> str:
    Path("half.backup").write_bytes(backup.read_bytes()[:-300])
    return "half.backup"


def test_truncated_backup_and_backup_with_another_schema_are_not_restored(
    backup: Path,
    postgres: Postgres,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with postgres.empty_database() as url:
        monkeypatch.setenv("DATABASE_URL", url)
        assert "truncated" in error_of(["restore", truncate_backup(backup)], capsys)
        assert "has schema 9999" in error_of(["restore", replace_schema_of_backup(backup)], capsys)
        assert execute(url, "SELECT FROM pg_tables WHERE schemaname = 'public'") == []


UNSUITABLE_DATABASE_CHANGES = {
    "INSERT INTO opt_out (address, scope, at) VALUES ('a', 'all', now())": "is not empty .*opt_out",
    "DROP TABLE alembic_version": "tables that are not Lodepost's",
    "UPDATE alembic_version SET version_num = '9999'": "has schema 9999.*Nothing was changed",
}


@pytest.mark.parametrize("change_statement", UNSUITABLE_DATABASE_CHANGES)
def test_unsuitable_database_is_not_restored_into(
    change_statement: str, backup: Path, database_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pattern = UNSUITABLE_DATABASE_CHANGES[change_statement]
    execute(database_url, change_statement)
    assert re.search(pattern, error_of(["restore", str(backup)], capsys))


def test_database_in_use_is_not_restored_into(
    backup: Path, database_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(psycopg_url(database_url)):
        assert "other connections" in error_of(["restore", str(backup)], capsys)


@pytest.mark.parametrize("command", ["backup new.backup", "audit"])
def test_database_of_a_newer_release_is_neither_backed_up_nor_audited(
    command: str,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("SECRET_KEY", KEY)
    with psycopg.connect(psycopg_url(database_url)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    assert "has schema 9999" in error_of(command.split(), capsys)
    assert not Path("new.backup").exists()


@pytest.mark.parametrize("command", ["web", "beat"])
def test_process_without_a_schema_logs_a_warning_and_keeps_running(
    command: str, empty_database_url: str
) -> None:
    environ = {name: os.environ[name] for name in os.environ if name not in ENVIRONMENT_VARIABLES}
    environ |= COMPLETE_ENVIRON | {"DATABASE_URL": empty_database_url}
    environ |= {"PYTHONPATH": str(ROOT), "LISTEN": f"127.0.0.1:{free_port()}"}
    with subprocess.Popen(
        [sys.executable, "-m", "webapp.cli", command],
        env=environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr
        line = next(line for line in process.stderr if "run `lodepost migrate`" in line)
        assert process.poll() is None
        process.kill()
    assert '"level": "warning"' in line
