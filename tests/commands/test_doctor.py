from pathlib import Path

import pytest

from tests.support.smtp_sink import running_sink
from webapp.cli import main

NAMES = ("DATABASE_URL", "REDIS_URL", "SMTP_URL", "BASE_URL", "SECRET_KEY", "LISTEN", "DATA_DIR")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def test_before_the_first_start_nothing_is_wrong_and_nothing_is_made(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["doctor", "--near"]) == 0
    assert "There is no database in" in capsys.readouterr().out
    assert list(Path().iterdir()) == []


def test_what_is_wrong_is_marked_and_sets_the_status(
    database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("SECRET_KEY", "k" * 32)
    monkeypatch.setenv("REDIS_URL", "redis://:redis-hush@127.0.0.1:1/0")
    with running_sink() as sink:
        monkeypatch.setenv("SMTP_URL", f"smtp://127.0.0.1:{sink.port}")
        assert main(["doctor", "--near"]) == 1
    told = capsys.readouterr().out
    assert "WRONG  Redis at 127.0.0.1 port 1 does not answer" in told
    assert told.count("WRONG") == 1
    assert "well   The database answers" in told
    assert "takes our mails" in told
    assert "redis-hush" not in told


def test_a_public_name_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LISTEN", "127.0.0.1:1")
    assert main(["doctor"]) == 0
    assert "http://127.0.0.1:1/healthz does not answer" in capsys.readouterr().out


def test_settings_that_cannot_be_read_are_all_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BASE_URL", "nowhere")
    monkeypatch.setenv("REDIS_URL", "http://x")
    assert main(["doctor"]) == 2
    told = capsys.readouterr().err
    assert "BASE_URL must" in told
    assert "REDIS_URL must" in told


def test_a_folder_of_an_older_postgres_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    Path("lodepost-data/postgres").mkdir(parents=True)
    Path("lodepost-data/postgres/PG_VERSION").write_text("9.6", encoding="ascii")
    assert main(["doctor", "--near"]) == 1
    assert "was written by Postgres 9.6" in capsys.readouterr().out
