import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.support.leftover_processes import survivors

ROOT = Path(__file__).parents[2]
CONFTEST = """
from tests.support.leftover_processes import Leftovers

def pytest_configure(config):
    config.pluginmanager.register(Leftovers(patience=0.5))
"""
LEAVING = """
import subprocess, sys

def test_well():
    words = [sys.executable, "-c", "import time; time.sleep(300)"]
    left = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    open("pid", "w").write(str(left.pid))
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {name: os.environ[name] for name in os.environ if name != "LODEPOST_TEST_RUN"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
        cwd=folder,
        env={**environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_run_whose_tests_leave_a_process_fails_and_names_it(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tmp_path / "test_leaving.py").write_text(LEAVING, encoding="utf-8")
    for words in ([], ["-n", "1"]):
        done = run(tmp_path, *words)
        pid = int((tmp_path / "pid").read_text(encoding="utf-8"))
        os.kill(pid, signal.SIGKILL)
        assert done.returncode == 1
        assert "1 passed" in done.stdout
        assert f"  {pid}: {sys.executable} -c" in done.stderr


def test_a_run_that_leaves_nothing_is_well(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tmp_path / "test_well.py").write_text("def test_well(): pass", encoding="utf-8")
    assert run(tmp_path, "-n", "1").returncode == 0


def test_who_bears_no_name_of_a_run_is_left_out_of_it() -> None:
    assert survivors("no-such-run", patience=0) == []
