import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.support.embedded_servers import (
    release_lock,
    running_server_in,
    store_word,
    stored_words,
)
from webapp.embedded import stale_server
from webapp.embedded.server import start
from webapp.embedded.stale_server import recorded_pid
from webapp.operator_errors import EmbeddedError

IGNORES_SIGINT = """
import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(60)
"""


def test_orphaned_server_is_stopped_and_replaced(tmp_path: Path) -> None:
    orphan = start(tmp_path)
    store_word(orphan, "gold")
    release_lock(orphan)
    with running_server_in(tmp_path) as server:
        assert not orphan.is_running()
        assert stored_words(server) == ["gold"]


def test_zombie_server_does_not_count_as_running(tmp_path: Path) -> None:
    killed = start(tmp_path)
    store_word(killed, "gold")
    os.kill(killed.process.pid, signal.SIGKILL)
    zombie = psutil.Process(killed.process.pid)
    while zombie.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)
    assert recorded_pid(tmp_path / "postgres") == killed.process.pid
    release_lock(killed)
    with running_server_in(tmp_path) as server:
        assert stored_words(server) == ["gold"]
    killed.process.wait()


def test_pid_of_another_program_is_ignored(tmp_path: Path) -> None:
    with running_server_in(tmp_path) as server:
        store_word(server, "gold")
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
    process = subprocess.Popen([sys.executable, "-c", IGNORES_SIGINT], stdout=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()
    stale_server._stop(psutil.Process(process.pid), timeout=0.2)
    assert not psutil.pid_exists(process.pid)
    process.communicate()


def test_processes_that_outlive_their_postmaster_are_reported(tmp_path: Path) -> None:
    with running_server_in(tmp_path) as server:
        data = tmp_path / "postgres"
        (data / "postmaster.pid").rename(data / "hidden.pid")
        with pytest.raises(EmbeddedError, match=f"still running in .*{server.process.pid}"):
            stale_server.clear_stale_server(data, timeout=0.1)
        (data / "hidden.pid").rename(data / "postmaster.pid")
