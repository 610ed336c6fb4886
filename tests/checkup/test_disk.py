from pathlib import Path

import pytest

from webapp.checkup.disk import look_at_disk, room_at


@pytest.mark.parametrize(
    "free, verdict", [(50_000_000, "wrong"), (500_000_000, "doubtful"), (9_000_000_000, "well")]
)
def test_little_room_is_told(free: int, verdict: str, tmp_path: Path) -> None:
    found = look_at_disk(tmp_path, lambda _: free)
    assert found.verdict == verdict
    assert f"{free // 1_000_000:,} MB" in found.words


def test_a_folder_that_is_not_there_yet_has_the_room_of_its_parent(tmp_path: Path) -> None:
    assert abs(room_at(tmp_path / "a" / "b") - room_at(tmp_path)) < 500_000_000
