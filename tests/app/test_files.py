import stat
from pathlib import Path

import pytest

from webapp.kernel.resources import create_durably, new_file, write_durably


def test_written_file_replaces_another_and_is_private(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_durably(file, b"one")
    write_durably(file, b"two")
    assert file.read_bytes() == b"two"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [file]


def test_created_file_keeps_an_existing_one(tmp_path: Path) -> None:
    file = tmp_path / "file"
    create_durably(file, b"one")
    create_durably(file, b"two")
    assert file.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [file]


def test_new_file_appears_only_after_a_clean_exit(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with new_file(file) as stream:
        stream.write(b"one")
        assert not file.exists()
    assert file.read_bytes() == b"one"
    with pytest.raises(ZeroDivisionError), new_file(tmp_path / "other"):
        _ = 1 / 0
    assert list(tmp_path.iterdir()) == [file]


def test_new_file_does_not_replace_a_file_that_has_appeared(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with pytest.raises(FileExistsError, match="file"), new_file(file):
        file.write_bytes(b"old")
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]
