"""What operators may get wrong, command by command: refused in words, with a status, and without a trace of Python."""

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

from tests.support.postgres import Postgres
from webapp.cli import main

ROOT = Path(__file__).parents[2]
GAME = ROOT / "tests" / "games" / "en-2004-1.game"
KEY = "k" * 32
GONE = "postgresql://lode:db-hush@127.0.0.1:1/lode"
REDIS = "redis://:redis-hush@127.0.0.1:1/0"
NAMES = (
    *("DATABASE_URL", "REDIS_URL", "SMTP_URL", "BASE_URL", "SECRET_KEY", "LISTEN", "DATA_DIR"),
    *("TRUSTED_PROXIES", "MAIL_FROM", "METRICS_TOKEN"),
)
WHOLE = {"DATABASE_URL": GONE, "REDIS_URL": REDIS, "SECRET_KEY": KEY}

# What is said on the command line, what the environment says, and what must be answered.
SAID = {
    "web": [
        ({}, "DATABASE_URL is missing.*REDIS_URL is missing"),
        ({"DATABASE_URL": GONE, "REDIS_URL": REDIS}, "SECRET_KEY is missing"),
        (WHOLE | {"LISTEN": "gold"}, "LISTEN must be an address and a port"),
        (WHOLE | {"LISTEN": "127.0.0.1:99999"}, "LISTEN has no port between"),
        (WHOLE | {"LISTEN": "192.0.2.1:8000"}, "cannot listen at 192.0.2.1 port 8000"),
        (WHOLE | {"TRUSTED_PROXIES": "many"}, "TRUSTED_PROXIES must be how many"),
        (WHOLE | {"TRUSTED_PROXIES": "-1", "BASE_URL": "play"}, "BASE_URL must.*TRUSTED_PROXIES"),
        (WHOLE | {"REDIS_URL": "http://127.0.0.1"}, "REDIS_URL must look like"),
        (WHOLE | {"REDIS_URL": "redis://127.0.0.1/gold"}, "REDIS_URL must look like"),
        (WHOLE | {"SMTP_URL": "mail.example.org"}, "SMTP_URL must look like"),
        (WHOLE | {"SECRET_KEY": "short"}, "SECRET_KEY has 5 characters"),
    ],
    "web --port gold": [(WHOLE, "a port is a number from 1 to 65535, not 'gold'")],
    "worker": [({}, "REDIS_URL is missing"), (WHOLE | {"SMTP_URL": "x"}, "SMTP_URL must")],
    "worker gold": [(WHOLE, "unrecognized arguments: gold")],
    "beat": [({"DATABASE_URL": GONE, "SECRET_KEY": KEY}, "REDIS_URL is missing")],
    "migrate": [
        ({}, "DATABASE_URL is missing"),
        (WHOLE | {"DATABASE_URL": "mysql://x/y"}, "DATABASE_URL must look like"),
        (WHOLE, "no database that answers.*refused"),
        (WHOLE | {"DATABASE_URL": f"{GONE}?sslmode=gold"}, "invalid sslmode value"),
    ],
    "serve --data /dev/null": [({}, "DATA_DIR must be a folder")],
    "serve --data /dev/null/below": [({}, "/dev/null/below: Not a directory")],
    "serve --data old": [({}, "written by Postgres 16.*Nothing was touched")],
    "serve --data bad-key": [({}, "secret-key holds no key")],
    "serve --data no-key": [({}, "secret-key holds no key")],
    "serve": [(WHOLE, "no database that answers")],
    "backup new.backup": [
        (WHOLE, "no database that answers"),
        ({}, "There is no database in"),
        ({"DATA_DIR": "old"}, "written by Postgres 16"),
    ],
    "backup there.backup": [(WHOLE, "exists already")],
    "backup nowhere/new.backup": [(WHOLE, "There is no folder nowhere")],
    "restore cut.backup": [(WHOLE, "no whole backup.*cut short")],
    "restore none.backup": [(WHOLE, "No such file")],
    "restore .": [(WHOLE, "Is a directory")],
    "audit": [(WHOLE, "no database that answers"), ({"DATA_DIR": "old"}, "written by Postgres 16")],
    "doctor --near": [(WHOLE | {"LISTEN": "gold"}, "LISTEN must be")],
    "verify none.game": [({}, "No such file")],
    "verify cut.backup": [({}, "Line 1: ")],
    "replay .": [({}, "Is a directory")],
    f"replay {GAME} --seat 99": [({}, "This game has the seats 1 to 3")],
    f"replay {GAME} --until 9999": [({}, "This game has the turns 0 to")],
    "simulate --players 2": [({}, "invalid choice: 2")],
    "simulate --games 0": [({}, "a number of games is 1 or more")],
    "simulate --players 3 --games 1 --save /dev/null/x": [({}, "/dev/null/x: Not a directory")],
    "dig": [({}, "there is no command 'dig'")],
}
CASES = [(words, environ, told) for words, many in SAID.items() for environ, told in many]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the operator stands: with folders of another time, and files that are no backups."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    for name in ("old/postgres", "bad-key", "no-key"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "old" / "postgres" / "PG_VERSION").write_text("16\n", encoding="ascii")
    (tmp_path / "bad-key" / "secret-key").write_bytes(b"\xff")
    (tmp_path / "no-key" / "secret-key").touch()
    (tmp_path / "there.backup").touch()
    (tmp_path / "cut.backup").write_bytes(b"PK\x03\x04" + b"\xff" * 99)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What a command says when it refuses."""
    try:
        status = main(words)
    except SystemExit as left:
        status = int(left.code or 0)
    told = capsys.readouterr().err
    assert status == 2, told
    assert "Traceback" not in told
    assert "hush" not in told
    return " ".join(told.split())


@pytest.mark.parametrize("words, environ, told", CASES, ids=[case[0] for case in CASES])
def test_it_is_refused_in_words(
    words: str,
    environ: dict[str, str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    port = ["--port", str(free_port())] if words.startswith("serve") else []
    assert re.search(told, refused([*words.split(), *port], capsys))


ODD = "\x1b[31m\x07odd\x9b2J\udcff"


@pytest.mark.parametrize(
    "words",
    [
        ["verify", f"{ODD}.game"],
        ["replay", f"{ODD}.game"],
        ["replay", "one.game", f"{ODD}.game"],
        ["backup", f"{ODD}/new.backup"],
        ["restore", f"{ODD}.backup"],
        ["audit", "--data", ODD],
        ["simulate", "--games", "1", "--players", "3", "--save", f"/dev/null/{ODD}"],
        ["serve", "--data", f"/dev/null/{ODD}"],
        [ODD],
    ],
    ids=lambda words: words[0] if words[0] != ODD else "no command",
)
def test_a_file_s_name_cannot_work_the_terminal(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    told = refused(words, capsys)
    assert "odd" in told
    assert not set(told) & set("\x1b\x07\x9b\udcff")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize("command", ["web", "serve"])
def test_a_port_in_use_is_told(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in WHOLE.items():
        monkeypatch.setenv(name, value)
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = str(busy.getsockname()[1])
        told = refused([command, "--port", port], capsys)
    assert f"cannot listen at 127.0.0.1 port {port}: Address already in use. Choose another" in told


def plain(url: str) -> str:
    return url.replace("+psycopg", "", 1)


@pytest.fixture
def backup(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A whole backup; DATABASE_URL leads to the database that it was made of."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("SECRET_KEY", KEY)
    assert main(["backup", "whole.backup"]) == 0
    return Path("whole.backup")


def of_another_schema(backup: Path) -> str:
    with zipfile.ZipFile(backup) as whole, zipfile.ZipFile("newer.backup", "w") as newer:
        for name in whole.namelist():
            content = whole.read(name)
            if name == "manifest.json":
                content = msgspec.json.encode(msgspec.json.decode(content) | {"schema": "9999"})
            newer.writestr(name, content)
    return "newer.backup"


def cut_short(backup: Path) -> str:
    Path("half.backup").write_bytes(backup.read_bytes()[:-300])
    return "half.backup"


def test_a_backup_that_is_not_whole_or_of_another_schema_is_not_restored(
    backup: Path,
    postgres: Postgres,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with postgres.empty_database() as url:
        monkeypatch.setenv("DATABASE_URL", url)
        assert "cut short" in refused(["restore", cut_short(backup)], capsys)
        assert "of the schema 9999" in refused(["restore", of_another_schema(backup)], capsys)
        with psycopg.connect(plain(url)) as connection:
            assert connection.execute(
                "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
            ).fetchone() == (0,)


HARM = {
    "INSERT INTO opt_out (address, scope, at) VALUES ('a', 'all', now())": "is not empty .*opt_out",
    "DROP TABLE alembic_version": "tables that are not Lodepost's",
    "UPDATE alembic_version SET version_num = '9999'": "stands at 9999.*Nothing was changed",
}


@pytest.mark.parametrize("harm", HARM)
def test_a_database_that_is_not_free_is_not_filled(
    harm: str, backup: Path, database_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(plain(database_url)) as connection:
        connection.execute(harm)  # type: ignore[arg-type]
    assert re.search(HARM[harm], refused(["restore", str(backup)], capsys))


def test_a_database_that_somebody_uses_is_not_filled(
    backup: Path, database_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(plain(database_url)):
        assert "Others are connected" in refused(["restore", str(backup)], capsys)


@pytest.mark.parametrize("command", ["backup new.backup", "audit"])
def test_a_database_of_a_newer_release_is_left_to_it(
    command: str,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("SECRET_KEY", KEY)
    with psycopg.connect(plain(database_url)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    assert "stands at 9999" in refused(command.split(), capsys)
    assert not Path("new.backup").exists()


@pytest.fixture
def unprepared(empty_database_url: str) -> dict[str, str]:
    return {"DATABASE_URL": empty_database_url, "REDIS_URL": REDIS, "SECRET_KEY": KEY}


@pytest.mark.parametrize(
    "command, told",
    [("web", "run `lodepost migrate`"), ("beat", "run `lodepost migrate`")],
)
def test_who_starts_before_the_schema_is_there_says_so_and_goes_on(
    command: str, told: str, unprepared: dict[str, str]
) -> None:
    environ = {name: os.environ[name] for name in os.environ if name not in NAMES}
    with subprocess.Popen(
        [sys.executable, "-m", "webapp.cli", command],
        env={
            **environ,
            **unprepared,
            "PYTHONPATH": str(ROOT),
            "LISTEN": f"127.0.0.1:{free_port()}",
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr
        line = next(line for line in process.stderr if told in line)
        assert process.poll() is None
        process.kill()
    assert '"level": "warning"' in line
