"""Where the databases of tests live."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.postgres import quick_folder


def test_it_lies_in_memory_and_is_gone_in_the_end(tmp_path: Path) -> None:
    with quick_folder(tmp_path / "otherwise", memory=tmp_path) as folder:
        assert folder.parent == tmp_path
        (folder / "a file").touch()
    assert not folder.exists()


def test_a_machine_without_such_a_folder_takes_the_other(tmp_path: Path) -> None:
    with quick_folder(tmp_path, memory=tmp_path / "nowhere") as folder:
        assert folder == tmp_path
    assert folder.exists()


def test_what_a_killed_run_left_is_forgotten_and_what_another_uses_is_not(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    dead = tmp_path / f"lodepost-tests-{ended.pid}-abc"
    alive = tmp_path / f"lodepost-tests-{os.getpid()}-abc"
    for folder in (dead, alive):
        folder.mkdir()
    with quick_folder(tmp_path / "otherwise", memory=tmp_path):
        assert not dead.exists()
        assert alive.exists()
