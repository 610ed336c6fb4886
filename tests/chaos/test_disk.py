from pathlib import Path

import pytest

from tests.chaos.disk import fill_disk, small_disk


def test_filled_disk_accepts_writes_only_after_the_ballast_is_removed(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        if disk is None:
            assert (tmp_path / "disk").is_dir()
            return
        ballast_file = fill_disk(disk)
        with pytest.raises(OSError, match="No space left"):
            (disk / "more").write_bytes(bytes(1 << 20))
        ballast_file.unlink()
        (disk / "more").write_bytes(bytes(1 << 20))
