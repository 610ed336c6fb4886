from pathlib import Path

import pytest

from webapp.doctor.disk import check_disk, free_bytes


@pytest.mark.parametrize(
    "free_space, status", [(50_000_000, "error"), (500_000_000, "warning"), (9_000_000_000, "ok")]
)
def test_low_disk_space_is_reported(free_space: int, status: str, tmp_path: Path) -> None:
    result = check_disk(tmp_path, lambda _: free_space)
    assert result.status == status
    assert f"{free_space // 1_000_000:,} MB" in result.message


def test_missing_folder_has_the_free_space_of_its_parent(tmp_path: Path) -> None:
    assert abs(free_bytes(tmp_path / "a" / "b") - free_bytes(tmp_path)) < 500_000_000
