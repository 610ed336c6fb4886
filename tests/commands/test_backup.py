"""`lodepost backup`, `restore` and `audit` as an operator calls them."""

import stat
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support.cast import ALICE
from tests.support.factories import deal, play_bots, sign_in_guest, wish
from webapp.cli import main
from webapp.embedded import server
from webapp.services.tx import database_for
from webapp.store.operations.migrate import upgrade

NAMES = ("DATABASE_URL", "REDIS_URL", "SMTP_URL", "BASE_URL", "SECRET_KEY", "LISTEN", "DATA_DIR")
KEY = "k" * 32


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def town(database_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """DATABASE_URL leads to a database with a game."""
    people(database_url)
    name(database_url, monkeypatch)
    return database_url


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Path]:
    """A data folder whose server is at work."""
    folder = tmp_path / "data"
    ours = server.start(folder)
    ours.ensure_database(server.DATABASE)
    upgrade(ours.url_of(server.DATABASE))
    people(ours.url_of(server.DATABASE))
    yield folder
    ours.stop()


def people(url: str) -> None:
    database = database_for(url, pool_size=1)
    deal(database, [sign_in_guest(database, ALICE)], wish(seats=3))
    play_bots(database)
    database.dispose()


def name(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv("SECRET_KEY", KEY)


def spoil(url: str) -> None:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("UPDATE game SET round = 3")


def test_there_and_back_again(
    town: str,
    empty_database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["backup", "town.lodepost"]) == 0
    told = capsys.readouterr().out
    assert "games 1, turns " in told
    assert "SHA-256: " in told
    assert "Every hand, role and mail" in told
    assert "SECRET_KEY is not in it" in told
    assert stat.S_IMODE(Path("town.lodepost").stat().st_mode) == 0o600
    name(empty_database_url, monkeypatch)
    assert main(["restore", "town.lodepost"]) == 0
    told = capsys.readouterr().out
    assert "games 1, turns " in told
    assert "SECRET_KEY" not in told
    assert main(["audit"]) == 0
    assert "Games: 1. Turns: " in capsys.readouterr().out
    assert [path.name for path in Path().iterdir()] == ["town.lodepost"]


def test_the_wrong_key_is_told(
    town: str,
    empty_database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["backup", "town.lodepost"])
    monkeypatch.setenv("DATABASE_URL", empty_database_url)
    monkeypatch.setenv("SECRET_KEY", "o" * 32)
    assert main(["restore", "town.lodepost"]) == 0
    assert "SECRET_KEY is not the one" in capsys.readouterr().out


def test_what_disagrees_is_told_and_backed_up_all_the_same(
    town: str,
    empty_database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    spoil(town)
    words = "it stands in another round than its log says"
    assert main(["audit"]) == 1
    assert words in capsys.readouterr().out
    assert main(["backup", "town.lodepost"]) == 1
    assert words in capsys.readouterr().out
    name(empty_database_url, monkeypatch)
    assert main(["restore", "town.lodepost"]) == 1
    assert words in capsys.readouterr().out


def test_a_file_that_exists_is_left_as_it_is(town: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("old").write_text("precious", encoding="ascii")
    assert main(["backup", "old"]) == 2
    assert "exists already, and is left as it is" in capsys.readouterr().err
    assert Path("old").read_text(encoding="ascii") == "precious"


@pytest.mark.parametrize("file", ["nowhere/file", "/proc/file", "/dev/null"])
def test_where_nothing_can_be_written_it_says_so(
    file: str, town: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["backup", file]) == 2
    assert capsys.readouterr().err.startswith("lodepost backup: ")
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("words", [["backup", "file"], ["audit"], ["restore", "town"]])
def test_a_database_that_does_not_answer_is_told_without_its_password(
    words: list[str],
    town: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["backup", "town"])
    monkeypatch.setenv("DATABASE_URL", "postgresql://lode:hush@127.0.0.1:1/lode")
    assert main(words) == 2
    told = capsys.readouterr().err
    assert "127.0.0.1" in told
    assert "hush" not in told
    assert [path.name for path in Path().iterdir()] == ["town"]


@pytest.mark.parametrize("words", [["backup", "file"], ["audit"]])
def test_a_folder_without_a_database_is_not_made_one(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--data", "none"]) == 2
    assert "There is no database in" in capsys.readouterr().err
    assert list(Path().iterdir()) == []


def test_a_database_of_another_release_is_told(
    town: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(town.replace("+psycopg", "")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0000'")
    for words in (["backup", "file"], ["audit"]):
        assert main(words) == 2
        assert "stands at 0000" in capsys.readouterr().err
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("file", ["missing", ".", "foreign", "/dev/null"])
def test_what_is_no_backup_touches_nothing(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("foreign").write_text("This is a letter to my aunt.", encoding="ascii")
    assert main(["restore", file, "--data", "new"]) == 2
    assert capsys.readouterr().err.startswith("lodepost restore: ")
    assert not Path("new").exists()


def test_a_restore_onto_what_is_there_changes_nothing(
    town: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["backup", "one"])
    assert main(["restore", "one"]) == 2
    assert "The database is not empty" in capsys.readouterr().err
    assert main(["audit"]) == 0


def test_the_folder_of_a_running_server_is_backed_up_and_not_restored_onto(
    running: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", "--data", str(running)]) == 0
    assert main(["backup", "town", "--data", str(running)]) == 0
    assert "The key of this installation is in it too" in capsys.readouterr().out
    assert main(["restore", "town", "--data", str(running)]) == 2
    assert "is in use by another Lodepost" in capsys.readouterr().err


def test_the_folder_of_a_stopped_server_moves_to_another_with_its_key(
    running: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["backup", "before", "--data", str(running)])
    new = tmp_path / "new"
    assert main(["restore", "before", "--data", str(new)]) == 0
    key = (running / "secret-key").read_text(encoding="ascii")
    assert (new / "secret-key").read_text(encoding="ascii") == key
    assert stat.S_IMODE((new / "secret-key").stat().st_mode) == 0o600
    # The server of the new folder has been stopped again.
    assert main(["audit", "--data", str(new)]) == 0
    assert main(["backup", "again", "--data", str(new)]) == 0
    assert main(["restore", "before", "--data", str(new)]) == 2
    assert "The database is not empty" in capsys.readouterr().err


def test_a_folder_of_an_older_postgres_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old" / "postgres").mkdir(parents=True)
    (tmp_path / "old" / "postgres" / "PG_VERSION").write_text("9.6\n", encoding="ascii")
    for words in (["backup", "file"], ["audit"]):
        assert main([*words, "--data", str(tmp_path / "old")]) == 2
        assert "was written by Postgres 9.6" in capsys.readouterr().err
