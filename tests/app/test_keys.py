import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from webapp.keys import key_kept_in, put_key


def test_a_key_is_drawn_once_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "secret-key"
    key = key_kept_in(file)
    assert len(bytes.fromhex(key)) == 32
    assert key_kept_in(file) == key
    assert key_kept_in(tmp_path / "another") != key


def test_only_its_owner_reads_a_key(tmp_path: Path) -> None:
    key_kept_in(tmp_path / "secret-key")
    assert stat.S_IMODE((tmp_path / "secret-key").stat().st_mode) == 0o600


def test_two_who_draw_at_once_agree(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(key_kept_in, [tmp_path / "secret-key"] * 40))
    assert len(keys) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["secret-key"]


def test_a_key_that_is_put_in_place_sets_the_old_one_aside(tmp_path: Path) -> None:
    file = tmp_path / "new" / "key"
    put_key(file, "one")
    put_key(file, "one")
    assert [path.name for path in file.parent.iterdir()] == ["key"]
    put_key(file, "two")
    assert key_kept_in(file) == "two"
    assert key_kept_in(file.with_name("key.old")) == "one"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
