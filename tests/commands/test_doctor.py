from pathlib import Path

import pytest

from tests.support.smtp_sink import running_sink
from webapp.cli import main

SETTING_NAMES = (
    "DATABASE_URL",
    "REDIS_URL",
    "SMTP_URL",
    "BASE_URL",
    "SECRET_KEY",
    "LISTEN",
    "DATA_DIR",
)


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in SETTING_NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def test_without_the_environment_of_a_server_none_can_be_seen(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["doctor", "--offline"]) == 1
    assert "ERROR    No server can be seen from here" in capsys.readouterr().out
    assert list(Path().iterdir()) == []


def test_error_is_labelled_and_sets_the_exit_status(
    database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("SECRET_KEY", "k" * 32)
    monkeypatch.setenv("REDIS_URL", "redis://:redis-hush@127.0.0.1:1/0")
    with running_sink() as sink:
        monkeypatch.setenv("SMTP_URL", f"smtp://127.0.0.1:{sink.port}")
        assert main(["doctor", "--offline"]) == 1
    output = capsys.readouterr().out
    assert "ERROR    Redis at 127.0.0.1 port 1 does not answer" in output
    assert output.count("ERROR") == 1
    assert "ok       The database answers" in output
    assert "accepts our connection" in output
    assert "redis-hush" not in output


def test_public_address_is_requested(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LISTEN", "127.0.0.1:1")
    main(["doctor"])
    assert "http://127.0.0.1:1/healthz does not answer" in capsys.readouterr().out


def test_all_invalid_settings_are_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BASE_URL", "nowhere")
    monkeypatch.setenv("REDIS_URL", "http://x")
    assert main(["doctor"]) == 2
    message = capsys.readouterr().err
    assert "BASE_URL must" in message
    assert "REDIS_URL must" in message


def test_data_folder_of_an_older_postgres_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    Path("lodepost-data/postgres").mkdir(parents=True)
    Path("lodepost-data/postgres/PG_VERSION").write_text("9.6", encoding="ascii")
    assert main(["doctor", "--offline"]) == 1
    assert "was written by Postgres 9.6" in capsys.readouterr().out
