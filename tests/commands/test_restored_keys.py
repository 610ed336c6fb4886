"""`lodepost restore` replaces the key in a data folder only if the database is filled, whenever it is interrupted."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.backup_files import KEY, backup_of, with_manifest
from tests.support.transactions import NOON
from webapp.cli import main
from webapp.kernel.keys import StoredKeys, load_secret_keys, stage_keys

FIRST_KEY = "f" * 32


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DATABASE_URL", "SECRET_KEY", "OLD_SECRET_KEYS", "DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def backup(database_url: str) -> Path:
    """A backup with its key."""
    file = Path("the.backup")
    file.write_bytes(backup_of(database_url, includes_keys=True).getvalue())
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with a key, and without a database."""
    data_folder = tmp_path / "data"
    data_folder.mkdir()
    use_first_key(data_folder)
    return data_folder


def use_first_key(folder: Path) -> None:
    (folder / "secret-key").write_text(f"{FIRST_KEY}\n", encoding="ascii")


def key_in(folder: Path) -> str:
    return load_secret_keys(folder).current


@pytest.mark.parametrize("key", ["short", "o" * 32, "k" * 40 + "\nx"])
def test_backup_with_an_invalid_key_changes_nothing(
    key: str, backup: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with backup.open("rb") as stream:
        changed = with_manifest(stream, secret_key=key)
    backup.write_bytes(changed.getvalue())
    assert main(["restore", str(backup), "--data", str(folder)]) == 2
    assert "The secret key in this backup is damaged" in capsys.readouterr().err
    assert [file.name for file in folder.iterdir()] == ["secret-key"]
    assert key_in(folder) == FIRST_KEY


def test_key_is_in_place_after_every_interruption(
    backup: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    restore = ["restore", str(backup), "--data", str(folder)]
    # Killed before COMMIT.
    stage_keys(folder, StoredKeys(KEY))
    assert key_in(folder) == FIRST_KEY
    assert main(restore) == 0
    assert "until you run `lodepost release`" in capsys.readouterr().out
    assert key_in(folder) == KEY
    assert (folder / "secret-key.old").read_text(encoding="ascii").strip() == FIRST_KEY
    # Killed after COMMIT.
    use_first_key(folder)
    stage_keys(folder, StoredKeys(KEY))
    assert main(restore) == 0
    assert "This backup was restored before" in capsys.readouterr().out
    assert key_in(folder) == KEY
    # A refused restore.
    use_first_key(folder)
    assert main(restore) == 2
    assert "The database is not empty" in capsys.readouterr().err
    assert key_in(folder) == FIRST_KEY
    # Another backup after an interruption: refused, but the key that the database expects is in place.
    stage_keys(folder, StoredKeys(KEY))
    change_time(backup)
    assert main(restore) == 2
    assert "The database is not empty" in capsys.readouterr().err
    assert key_in(folder) == KEY
    assert not (folder / "secret-key.restoring").exists()


def change_time(backup: Path) -> None:
    with backup.open("rb") as stream:
        changed = with_manifest(
            stream,
            taken_at=(NOON + timedelta(days=1)).isoformat(),
        )
    backup.write_bytes(changed.getvalue())


def test_key_is_replaced_and_old_ones_are_forgotten(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "postgres").mkdir()
    assert main(["rotate-key", "--data", str(folder)]) == 0
    assert "Old keys that still count: 1." in capsys.readouterr().out
    keys = load_secret_keys(folder)
    assert keys.old == (FIRST_KEY,)
    assert keys.current != FIRST_KEY
    assert main(["rotate-key", "--forget-old", "--data", str(folder)]) == 0
    assert "no longer count from the next start on: 1." in capsys.readouterr().out
    assert load_secret_keys(folder) == (keys.current, ())


@pytest.mark.parametrize(
    "environ, message",
    [
        ({"SECRET_KEY": KEY}, "add it to OLD_SECRET_KEYS"),
        ({}, "There is no database in"),
    ],
)
def test_key_that_is_not_in_the_folder_is_not_replaced(
    environ: dict[str, str],
    message: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert main(["rotate-key", "--data", str(folder)]) == 2
    assert message in capsys.readouterr().err
    assert key_in(folder) == FIRST_KEY


def test_copy_is_released_with_a_reason_and_a_choice(
    database_url: str,
    empty_database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("one").write_bytes(backup_of(database_url).getvalue())
    monkeypatch.setenv("DATABASE_URL", empty_database_url)
    monkeypatch.setenv("SECRET_KEY", KEY)
    assert main(["restore", "one"]) == 0
    assert "no email is sent" in capsys.readouterr().out
    assert main(["doctor", "--offline"]) in {0, 1}
    assert "This is a copy, restored at" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["release", "--reason", "Moved"])
    assert main(["release", "--reason", " ", "--send-all"]) == 2
    assert main(["release", "--reason", "Moved", "--drop-older-than", "0h"]) == 0
    assert "Released. Emails that are never sent: 0." in capsys.readouterr().out
    assert main(["release", "--reason", "Moved", "--send-all"]) == 2
    assert "No emails are held" in capsys.readouterr().err


def test_doctor_reports_a_key_that_the_database_does_not_expect(
    database_url: str,
    empty_database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("one").write_bytes(backup_of(database_url).getvalue())
    monkeypatch.setenv("DATABASE_URL", empty_database_url)
    monkeypatch.setenv("SECRET_KEY", KEY)
    main(["restore", "one"])
    monkeypatch.setenv("SECRET_KEY", FIRST_KEY)
    assert main(["doctor", "--offline"]) == 1
    assert "isn't the one that this database expects" in capsys.readouterr().out
    monkeypatch.setenv("OLD_SECRET_KEYS", KEY)
    main(["doctor", "--offline"])
    assert "SECRET_KEY is the one that the database expects" in capsys.readouterr().out
