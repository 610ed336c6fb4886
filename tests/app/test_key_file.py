import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from webapp.kernel.keys import (
    StoredKeys,
    fingerprint_of,
    forget_old_keys,
    load_or_create_key,
    load_secret_keys,
    replace_secret_key,
    settle_staged_keys,
    stage_keys,
)
from webapp.kernel.operator_errors import Misconfigured


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


def test_replaced_key_still_counts_until_it_is_forgotten(tmp_path: Path) -> None:
    first = load_secret_keys(tmp_path)
    second = replace_secret_key(tmp_path)
    third = replace_secret_key(tmp_path)
    assert second == (second.current, (first.current,))
    assert load_secret_keys(tmp_path) == third == (third.current, (second.current, first.current))
    assert forget_old_keys(tmp_path) == 2
    assert load_secret_keys(tmp_path) == (third.current, ())
    assert stat.S_IMODE((tmp_path / "secret-key").stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 40, b"k" * 32 + b"\nshort", b"k k"])
def test_file_without_keys_is_reported_and_kept(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "secret-key").write_bytes(content)
    with pytest.raises(Misconfigured, match="does not contain keys"):
        load_secret_keys(tmp_path)
    assert (tmp_path / "secret-key").read_bytes() == content


def test_staged_keys_are_used_if_the_database_expects_them(tmp_path: Path) -> None:
    before = load_secret_keys(tmp_path)
    staged = StoredKeys("s" * 32, ("o" * 32,))
    stage_keys(tmp_path, staged)
    assert load_secret_keys(tmp_path) == before
    assert settle_staged_keys(tmp_path, fingerprint_of("s" * 32))
    assert load_secret_keys(tmp_path) == staged
    assert (tmp_path / "secret-key.old").read_text().strip() == before.current
    assert not settle_staged_keys(tmp_path, fingerprint_of("s" * 32))
    assert names_in(tmp_path) == ["secret-key", "secret-key.old"]


@pytest.mark.parametrize("fingerprint", [None, fingerprint_of("x" * 32)])
def test_staged_keys_are_dropped_if_the_database_expects_others(
    fingerprint: str | None, tmp_path: Path
) -> None:
    before = load_secret_keys(tmp_path)
    stage_keys(tmp_path, StoredKeys("s" * 32))
    assert not settle_staged_keys(tmp_path, fingerprint)
    assert load_secret_keys(tmp_path) == before
    assert names_in(tmp_path) == ["secret-key"]


def test_keys_are_settled_again_after_a_crash_between_two_steps(tmp_path: Path) -> None:
    before = load_secret_keys(tmp_path)
    stage_keys(tmp_path, StoredKeys("s" * 32))
    # As after a crash that came when the old key had been copied, and the staged one was not in place yet.
    (tmp_path / "secret-key.old").write_text(f"{before.current}\n")
    assert settle_staged_keys(tmp_path, fingerprint_of("s" * 32))
    assert names_in(tmp_path) == ["secret-key", "secret-key.old"]


def test_no_replaced_key_is_overwritten_by_another(tmp_path: Path) -> None:
    keys = [load_secret_keys(tmp_path).current]
    for character in "stu":
        stage_keys(tmp_path, StoredKeys(character * 32))
        settle_staged_keys(tmp_path, fingerprint_of(character * 32))
        keys.append(character * 32)
    stored_keys = {file.read_text().strip() for file in tmp_path.iterdir()}
    assert stored_keys == set(keys)


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())
