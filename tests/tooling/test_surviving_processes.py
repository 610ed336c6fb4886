import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONFTEST_TEXT = """
from tests.support.surviving_processes import SurvivingProcessCheck

def pytest_configure(config):
    config.pluginmanager.register(SurvivingProcessCheck(timeout=0.5))
"""
TEST_THAT_LEAVES_A_PROCESS = """
import subprocess, sys

def test_passes():
    command = [sys.executable, "-c", "import time; time.sleep(300)"]
    left = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    open("pid", "w").write(str(left.pid))
"""


def test_run_that_leaves_a_process_fails_and_names_it(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST_TEXT, encoding="utf-8")
    (tmp_path / "test_leaving.py").write_text(TEST_THAT_LEAVES_A_PROCESS, encoding="utf-8")
    environ = {name: os.environ[name] for name in os.environ if name != "LODEPOST_TEST_RUN"}
    finished_process = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "1"],
        cwd=tmp_path,
        env={**environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    pid = int((tmp_path / "pid").read_text(encoding="utf-8"))
    os.kill(pid, signal.SIGKILL)
    assert finished_process.returncode == 1
    assert "1 passed" in finished_process.stdout
    assert f"  {pid}: {sys.executable} -c" in finished_process.stderr
