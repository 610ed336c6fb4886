from pathlib import Path

import pytest

from tests.chaos.disk import fill, small_disk


def test_a_full_disk_takes_nothing_more_until_the_ballast_goes(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        if disk is None:
            assert (tmp_path / "disk").is_dir()
            return
        ballast = fill(disk)
        with pytest.raises(OSError, match="No space left"):
            (disk / "more").write_bytes(bytes(1 << 20))
        ballast.unlink()
        (disk / "more").write_bytes(bytes(1 << 20))
