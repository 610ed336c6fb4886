import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from webapp.keys import load_or_create_key, replace_key


def test_key_is_generated_once_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "secret-key"
    key = load_or_create_key(file)
    assert len(bytes.fromhex(key)) == 32
    assert load_or_create_key(file) == key
    assert load_or_create_key(tmp_path / "another") != key


def test_key_file_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    load_or_create_key(tmp_path / "secret-key")
    assert stat.S_IMODE((tmp_path / "secret-key").stat().st_mode) == 0o600


def test_processes_that_create_a_key_at_once_get_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(load_or_create_key, [tmp_path / "secret-key"] * 40))
    assert len(keys) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["secret-key"]


def test_replaced_key_is_kept_in_a_file_named_old(tmp_path: Path) -> None:
    file = tmp_path / "new" / "key"
    replace_key(file, "one")
    replace_key(file, "one")
    assert [path.name for path in file.parent.iterdir()] == ["key"]
    replace_key(file, "two")
    assert load_or_create_key(file) == "two"
    assert load_or_create_key(file.with_name("key.old")) == "one"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
