from pathlib import Path

import pytest

from tests.support.embedded_servers import insert_word, running_server_in
from webapp.embedded.cluster import ensure_cluster
from webapp.embedded.programs import BUNDLED_MAJOR_VERSION
from webapp.embedded.server import start
from webapp.kernel.operator_errors import EmbeddedError, StartCancelled


def test_half_created_cluster_is_replaced(tmp_path: Path) -> None:
    draft_folder = tmp_path / "postgres.new"
    draft_folder.mkdir()
    (draft_folder / "PG_VERSION").write_text(BUNDLED_MAJOR_VERSION, encoding="ascii")
    with running_server_in(tmp_path, creates_cluster=True) as server:
        insert_word(server, "gold")
    assert not draft_folder.exists()


def test_cluster_of_another_major_version_is_rejected_unchanged(tmp_path: Path) -> None:
    version_file = tmp_path / "postgres" / "PG_VERSION"
    version_file.parent.mkdir()
    version_file.write_text("16\n", encoding="ascii")
    with pytest.raises(EmbeddedError, match=r"written by Postgres 16.*Nothing was changed"):
        start(tmp_path)
    assert sorted(path.name for path in version_file.parent.iterdir()) == ["PG_VERSION"]


def test_missing_password_is_reported(tmp_path: Path) -> None:
    with running_server_in(tmp_path):
        pass
    (tmp_path / "postgres-password").unlink()
    with pytest.raises(EmbeddedError, match="postgres-password is missing"):
        start(tmp_path)


def test_initdb_failure_is_reported(tmp_path: Path) -> None:
    (tmp_path / "postgres-password").write_text("", encoding="ascii")
    with pytest.raises(EmbeddedError, match="initdb failed"):
        start(tmp_path)
    assert not (tmp_path / "postgres").exists()


def test_new_cluster_is_given_up_when_the_process_is_to_end(tmp_path: Path) -> None:
    with pytest.raises(StartCancelled):
        start(tmp_path, is_stopping=lambda: True)
    assert not (tmp_path / "postgres").exists()
    with running_server_in(tmp_path, creates_cluster=True) as server:
        insert_word(server, "gold")


def test_folder_without_space_for_a_database_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    with pytest.raises(EmbeddedError, match=r"Only 40 MB are free for .*needs 100 MB"):
        ensure_cluster(tmp_path, free_bytes_of=lambda _: 40_000_000)
    assert list(tmp_path.iterdir()) == []
