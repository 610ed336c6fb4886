"""`lodepost backup`, `restore` and `audit` as an operator runs them."""

import stat
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support.cast import ALICE
from tests.support.factories import deal_game, play_bots, sign_in_guest, table_settings
from tests.support.postgres import copy_cluster
from webapp.cli import main
from webapp.embedded import server
from webapp.kernel.tx import Database
from webapp.operations.queries.migrate import upgrade_schema

ENVIRONMENT_VARIABLES = (
    "DATABASE_URL",
    "REDIS_URL",
    "SMTP_URL",
    "BASE_URL",
    "SECRET_KEY",
    "LISTEN",
    "DATA_DIR",
)
KEY = "k" * 32


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ENVIRONMENT_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def database_with_a_game(database_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Set DATABASE_URL to a database with a game."""
    add_game(database_url)
    use_database(database_url, monkeypatch)
    return database_url


@pytest.fixture
def data_folder_of_running_server(tmp_path: Path) -> Iterator[Path]:
    """Yield the data folder of a running server."""
    folder = tmp_path / "data"
    copy_cluster(folder)
    postgres = server.start(folder)
    postgres.ensure_database(server.DATABASE)
    upgrade_schema(postgres.url_of(server.DATABASE))
    add_game(postgres.url_of(server.DATABASE))
    yield folder
    postgres.stop()


def add_game(url: str) -> None:
    database = Database(url, pool_size=1)
    deal_game(database, [sign_in_guest(database, ALICE)], table_settings(seats=3))
    play_bots(database)
    database.dispose()


def use_database(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv("SECRET_KEY", KEY)


def damage_stored_round(url: str) -> None:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("UPDATE game SET round = 3")


def test_backup_can_be_restored_and_audited(
    database_with_a_game: str,
    empty_database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["backup", "game.backup"]) == 0
    output = capsys.readouterr().out
    assert "1 games, " in output
    assert "SHA-256: " in output
    assert "every hand, role and unsent email" in output
    assert "does not contain SECRET_KEY" in output
    assert stat.S_IMODE(Path("game.backup").stat().st_mode) == 0o600
    use_database(empty_database_url, monkeypatch)
    assert main(["restore", "game.backup"]) == 0
    output = capsys.readouterr().out
    assert "1 games, " in output
    assert "SECRET_KEY" not in output
    assert main(["audit"]) == 0
    assert "Checked 1 games with " in capsys.readouterr().out
    assert [path.name for path in Path().iterdir()] == ["game.backup"]


def test_restore_warns_about_a_different_key(
    database_with_a_game: str,
    empty_database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["backup", "game.backup"])
    monkeypatch.setenv("DATABASE_URL", empty_database_url)
    monkeypatch.setenv("SECRET_KEY", "o" * 32)
    assert main(["restore", "game.backup"]) == 0
    assert "SECRET_KEY is not the one" in capsys.readouterr().out


def test_inconsistencies_are_reported_and_backed_up(
    database_with_a_game: str,
    empty_database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    damage_stored_round(database_with_a_game)
    inconsistency_text = "its stored round differs from its log"
    assert main(["audit"]) == 1
    assert inconsistency_text in capsys.readouterr().out
    assert main(["backup", "game.backup"]) == 1
    assert inconsistency_text in capsys.readouterr().out
    use_database(empty_database_url, monkeypatch)
    assert main(["restore", "game.backup"]) == 1
    assert inconsistency_text in capsys.readouterr().out


def test_existing_file_is_not_overwritten(
    database_with_a_game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("old").write_text("precious", encoding="ascii")
    assert main(["backup", "old"]) == 2
    assert "already exists" in capsys.readouterr().err
    assert Path("old").read_text(encoding="ascii") == "precious"


@pytest.mark.parametrize("file", ["nowhere/file", "/proc/file", "/dev/null"])
def test_unwritable_file_is_reported(
    file: str, database_with_a_game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["backup", file]) == 2
    assert capsys.readouterr().err.startswith("lodepost backup: ")
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("arguments", [["backup", "file"], ["audit"], ["restore", "game.backup"]])
def test_unreachable_database_is_reported_without_its_password(
    arguments: list[str],
    database_with_a_game: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["backup", "game.backup"])
    monkeypatch.setenv("DATABASE_URL", "postgresql://lode:hush@127.0.0.1:1/lode")
    assert main(arguments) == 2
    output = capsys.readouterr().err
    assert "127.0.0.1" in output
    assert "hush" not in output
    assert [path.name for path in Path().iterdir()] == ["game.backup"]


@pytest.mark.parametrize("arguments", [["backup", "file"], ["audit"]])
def test_commands_do_not_create_a_database(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--data", "none"]) == 2
    assert "There is no database in" in capsys.readouterr().err
    assert list(Path().iterdir()) == []


def test_database_with_another_schema_is_reported(
    database_with_a_game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(database_with_a_game.replace("+psycopg", "")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0000'")
    for arguments in (["backup", "file"], ["audit"]):
        assert main(arguments) == 2
        assert "has schema 0000" in capsys.readouterr().err
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("file", ["missing", ".", "foreign", "/dev/null"])
def test_invalid_backup_changes_nothing(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("foreign").write_text("This is a postcard.", encoding="ascii")
    assert main(["restore", file, "--data", "new"]) == 2
    assert capsys.readouterr().err.startswith("lodepost restore: ")
    assert not Path("new").exists()


def test_restore_into_a_database_with_rows_changes_nothing(
    database_with_a_game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["backup", "one"])
    assert main(["restore", "one"]) == 2
    assert "The database is not empty" in capsys.readouterr().err
    assert main(["audit"]) == 0


def test_data_folder_of_a_running_server_can_be_backed_up_but_not_restored_into(
    data_folder_of_running_server: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", "--data", str(data_folder_of_running_server)]) == 0
    assert main(["backup", "game.backup", "--data", str(data_folder_of_running_server)]) == 0
    assert "also contains the secret key" in capsys.readouterr().out
    assert main(["restore", "game.backup", "--data", str(data_folder_of_running_server)]) == 2
    assert "is in use by another Lodepost" in capsys.readouterr().err


def test_backup_restores_into_a_new_data_folder_with_its_key(
    data_folder_of_running_server: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["backup", "before", "--data", str(data_folder_of_running_server)])
    new_folder = tmp_path / "new"
    assert main(["restore", "before", "--data", str(new_folder)]) == 0
    key = (data_folder_of_running_server / "secret-key").read_text(encoding="ascii")
    assert (new_folder / "secret-key").read_text(encoding="ascii") == key
    assert stat.S_IMODE((new_folder / "secret-key").stat().st_mode) == 0o600
    # The restore has stopped the server of the new folder again.
    assert main(["audit", "--data", str(new_folder)]) == 0
    assert main(["backup", "again", "--data", str(new_folder)]) == 0
    assert main(["restore", "before", "--data", str(new_folder)]) == 2
    assert "The database is not empty" in capsys.readouterr().err


def test_data_folder_of_an_older_postgres_is_left_unchanged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old" / "postgres").mkdir(parents=True)
    (tmp_path / "old" / "postgres" / "PG_VERSION").write_text("9.6\n", encoding="ascii")
    for arguments in (["backup", "file"], ["audit"]):
        assert main([*arguments, "--data", str(tmp_path / "old")]) == 2
        assert "was written by Postgres 9.6" in capsys.readouterr().err


def test_backup_and_restore_are_recorded(
    database_with_a_game: str,
    empty_database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = str(tmp_path / "backup.zip")
    assert main(["backup", file]) == 0
    assert recorded_commands(database_with_a_game) == ["backup"]
    use_database(empty_database_url, monkeypatch)
    assert main(["restore", file]) == 0
    assert recorded_commands(empty_database_url) == ["restore"]


def test_backup_of_a_database_that_takes_no_changes_is_written_with_a_warning(
    database_with_a_game: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    name = database_with_a_game.rpartition("/")[2]
    with psycopg.connect(database_with_a_game.replace("+psycopg", "")) as connection:
        connection.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    assert main(["backup", str(tmp_path / "backup.zip")]) == 0
    assert "`lodepost backup` is not recorded" in caplog.text


def recorded_commands(url: str) -> list[str]:
    query = "SELECT detail->>'command' FROM security_event WHERE kind = 'operator-command'"
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        return [command for (command,) in connection.execute(query)]
