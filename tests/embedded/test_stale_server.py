import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.support.embedded_servers import (
    insert_word,
    release_lock,
    running_server_in,
    stored_words,
)
from tests.support.postgres import copy_cluster
from webapp.embedded import stale_server
from webapp.embedded.server import start
from webapp.embedded.stale_server import recorded_pid
from webapp.kernel.operator_errors import EmbeddedError

_LONG_WAIT_SECONDS = 120
SIGINT_IGNORING_SCRIPT = """
import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
# A shell that starts the tests in the background ignores it, and so do their child processes.
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
print("ready", flush=True)
time.sleep(3600)
"""


def test_orphaned_server_is_stopped_and_replaced(tmp_path: Path) -> None:
    copy_cluster(tmp_path)
    orphaned_server = start(tmp_path)
    insert_word(orphaned_server, "gold")
    release_lock(orphaned_server)
    with running_server_in(tmp_path) as server:
        assert not orphaned_server.is_running()
        assert stored_words(server) == ["gold"]


def test_zombie_server_does_not_count_as_running(tmp_path: Path) -> None:
    copy_cluster(tmp_path)
    killed_server = start(tmp_path)
    insert_word(killed_server, "gold")
    os.kill(killed_server.process.pid, signal.SIGKILL)
    zombie_process = psutil.Process(killed_server.process.pid)
    while zombie_process.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)
    assert recorded_pid(tmp_path / "postgres") == killed_server.process.pid
    release_lock(killed_server)
    with running_server_in(tmp_path) as server:
        assert stored_words(server) == ["gold"]
    killed_server.process.wait()


def test_pid_of_another_program_is_ignored(tmp_path: Path) -> None:
    with running_server_in(tmp_path) as server:
        insert_word(server, "gold")
    pid_file = tmp_path / "postgres" / "postmaster.pid"
    pid_file.write_text(f"{os.getppid()}\n{tmp_path}\n", encoding="ascii")
    with running_server_in(tmp_path) as server:
        assert stored_words(server) == ["gold"]
    assert psutil.pid_exists(os.getppid())


def test_damaged_pid_file_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "postmaster.pid").write_text("", encoding="ascii")
    assert recorded_pid(tmp_path) is None
    (tmp_path / "postmaster.pid").write_text("x\n", encoding="ascii")
    assert recorded_pid(tmp_path) is None


def test_orphan_that_ignores_sigint_gets_sigquit(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SIGINT_IGNORING_SCRIPT], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        process.stdout.readline()
        orphan = psutil.Process(process.pid)
        try:
            stale_server._stop_postmaster(orphan, timeout=0.2)
            # A busy machine may need long to end it.
            assert orphan.wait(_LONG_WAIT_SECONDS) == -signal.SIGQUIT
        finally:
            process.kill()


def test_processes_that_outlive_their_postmaster_are_reported(tmp_path: Path) -> None:
    with running_server_in(tmp_path) as server:
        data_folder = tmp_path / "postgres"
        (data_folder / "postmaster.pid").rename(data_folder / "hidden.pid")
        with pytest.raises(EmbeddedError, match=f"still running in .*{server.process.pid}"):
            stale_server.clear_stale_server(data_folder, timeout=0.1)
        (data_folder / "hidden.pid").rename(data_folder / "postmaster.pid")
