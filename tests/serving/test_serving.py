import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.support.ports import free_port
from tests.support.postgres import copy_cluster
from tests.support.visitors import settings_for
from webapp.serving.process import _print_address, _watch_threads

ROOT = Path(__file__).parents[2]
_STOP_SECONDS = 240
"""How long a server may take to stop on a busy machine."""


@dataclass
class TinyServer:
    """A running server with the tiny application."""

    process: subprocess.Popen[str]
    port: int
    line: str
    errors: "_StderrReader"
    data: Path

    def get(self, path: str = "/", **headers: str) -> str:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers)
        with urllib.request.urlopen(request, timeout=_STOP_SECONDS) as answer:
            return str(answer.read().decode())

    def words(self) -> list[str]:
        return self.get().split()

    def postgres_process(self) -> psutil.Process:
        (child_process,) = psutil.Process(self.process.pid).children()
        return child_process

    def stop(self, signal_number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(signal_number)
        return self.process.wait(_STOP_SECONDS)


class _StderrReader(threading.Thread):
    """Reads what a server prints on standard error: a server whose log fills the pipe waits until someone reads it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        super().__init__(daemon=True)
        self._process = process
        self._text = ""
        self.start()

    def run(self) -> None:
        assert self._process.stderr
        with self._process.stderr as stream:
            self._text = stream.read()

    def all_text(self) -> str:
        """Return everything, once the server has stopped."""
        self.join(_STOP_SECONDS)
        return self._text


def launch(data: Path, *arguments: str, port: int, **environ: str) -> subprocess.Popen[str]:
    clean_environ = {
        name: os.environ[name] for name in os.environ if name not in {"DATABASE_URL", "CI"}
    }
    places = {"DATA_DIR": str(data), "LISTEN": f"127.0.0.1:{port}", "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.serving.tiny_app", *arguments],
        cwd=ROOT,
        env={**clean_environ, **places, **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def serving(data: Path, *arguments: str, **environ: str) -> Iterator[TinyServer]:
    port = free_port()
    process = launch(data, *arguments, port=port, **environ)
    assert process.stdout
    try:
        line = process.stdout.readline()
        if not line:
            pytest.fail(process.communicate()[1])
        yield TinyServer(process, port, line, _StderrReader(process), data)
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(_STOP_SECONDS)
        process.stdout.close()


def wait_until(condition: Callable[[], bool], *, timeout: float = _STOP_SECONDS) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "the condition did not become true in time"
        time.sleep(0.05)


def remaining_processes(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Return those that do not end: one whose parent has ended exists until the system's first process notices its end."""
    return psutil.wait_procs(processes, timeout=_STOP_SECONDS)[1]


@pytest.fixture
def data_folder(tmp_path: Path) -> Path:
    """Return a data folder with a cluster, which a server need not create."""
    copy_cluster(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TinyServer]:
    """Run a server for tests that leave it as it is; variables for other databases do not matter to it."""
    data = tmp_path_factory.mktemp("shared")
    copy_cluster(data)
    variables = {"PGSSLMODE": "require", "PGSERVICE": "other", "PGOPTIONS": "-c datestyle=German"}
    with serving(data, **variables) as tiny_server:
        yield tiny_server


def test_startup_line_has_the_address_of_the_server(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as tiny_server:
        startup_match = re.fullmatch(
            r"Lodepost is at (http://127\.0\.0\.1:\d+)/  "
            r"\(emails: \1/mailbox\?key=[0-9a-f]{32}\)\n",
            tiny_server.line,
        )
        assert startup_match
        assert startup_match[1].endswith(f":{tiny_server.port}")
        tiny_server.get("/gold")
        assert "gold" in tiny_server.words()
        assert tiny_server.stop() == 0
        assert tiny_server.errors.all_text() == ""


def test_periodic_tasks_run_and_a_nudge_is_handled_at_once(shared_server: TinyServer) -> None:
    wait_until(lambda: shared_server.words().count("tick") >= 3)
    shared_server.get("/nudged")
    # Nothing but the nudge writes this word.
    wait_until(lambda: "nudged" in shared_server.words())


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_server_stops_cleanly_without_remaining_processes(
    data_folder: Path, signal_number: signal.Signals
) -> None:
    with serving(data_folder) as tiny_server:
        family = psutil.Process(tiny_server.process.pid).children(recursive=True)
        assert family
        assert tiny_server.stop(signal_number) == 0
        assert remaining_processes(family) == []
    assert "database system is shut down" in (data_folder / "postgres.log").read_text()


def test_stop_during_the_first_start_ends_it(tmp_path: Path) -> None:
    process = launch(tmp_path / "data", port=free_port())
    wait_until((tmp_path / "data" / "postgres.new").exists)
    family = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=_STOP_SECONDS)
    assert process.returncode == 0
    assert remaining_processes(family) == []


def test_variables_for_other_databases_do_not_matter(shared_server: TinyServer) -> None:
    shared_server.get("/gold")
    assert "gold" in shared_server.words()


def test_running_request_is_answered_before_the_server_stops(data_folder: Path) -> None:
    with serving(data_folder) as tiny_server, ThreadPoolExecutor(1) as pool:
        slow_response = pool.submit(tiny_server.get, "/slow")
        wait_until(lambda: "slow-began" in tiny_server.words())
        assert tiny_server.stop() == 0
        assert "slow" in slow_response.result().split()


def test_running_task_is_finished_before_the_server_stops(data_folder: Path) -> None:
    with serving(data_folder) as tiny_server:
        tiny_server.get("/slow-task")
        wait_until(lambda: "slow-task-began" in tiny_server.words())
        assert "slow-task" not in tiny_server.words()
        assert tiny_server.stop() == 0
    with serving(data_folder) as tiny_server:
        assert "slow-task" in tiny_server.words()


def test_data_survives_when_all_processes_are_killed(data_folder: Path) -> None:
    with serving(data_folder) as tiny_server:
        tiny_server.get("/gold")
        family = psutil.Process(tiny_server.process.pid).children(recursive=True)
        for process in family:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        tiny_server.process.kill()
        tiny_server.process.wait()
    with serving(data_folder) as tiny_server:
        assert "gold" in tiny_server.words()


def test_data_and_mailbox_key_survive_when_only_the_main_process_is_killed(
    data_folder: Path,
) -> None:
    with serving(data_folder) as tiny_server:
        first_key = tiny_server.line.rpartition("key=")[2]
        tiny_server.get("/gold")
        orphan = tiny_server.postgres_process()
        tiny_server.process.kill()
        tiny_server.process.wait()
    assert orphan.is_running()
    with serving(data_folder) as tiny_server:
        assert "gold" in tiny_server.words()
        assert tiny_server.line.rpartition("key=")[2] == first_key
        assert remaining_processes([orphan]) == []
    assert stat.S_IMODE((data_folder / "secret-key").stat().st_mode) == 0o600
    assert stat.S_IMODE(data_folder.stat().st_mode) == 0o700


def test_dead_postgres_is_restarted(data_folder: Path) -> None:
    with serving(data_folder) as tiny_server:
        tiny_server.get("/gold")
        dead_process = tiny_server.postgres_process()
        dead_process.kill()

        def is_restarted() -> bool:
            try:
                return "gold" in tiny_server.words()
            except OSError:
                return False

        wait_until(is_restarted)
        assert tiny_server.postgres_process() != dead_process
        assert tiny_server.stop() == 0


def test_startup_line_has_no_mailbox_if_emails_are_sent(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _print_address(settings_for("", smtp_url="smtp://127.0.0.1:9"))
    assert capsys.readouterr().out == "Lodepost is at http://lodepost.test/\n"


def test_port_in_use_is_reported_before_anything_is_created(tmp_path: Path) -> None:
    with socket.socket() as busy_socket:
        busy_socket.bind(("127.0.0.1", 0))
        busy_socket.listen()
        port = int(busy_socket.getsockname()[1])
        process = launch(tmp_path / "data", port=port)
        _, errors = process.communicate(timeout=_STOP_SECONDS)
    assert process.returncode != 0
    assert f"cannot listen on 127.0.0.1 port {port}: Address already in use" in errors
    assert not (tmp_path / "data").exists()


def test_folder_in_use_is_reported(shared_server: TinyServer) -> None:
    process = launch(shared_server.data, port=free_port())
    _, errors = process.communicate(timeout=_STOP_SECONDS)
    assert f"in use by another Lodepost (process {shared_server.process.pid})" in errors
    shared_server.get()


def test_forwarding_headers_reach_the_application(shared_server: TinyServer) -> None:
    # The application must see them to reject them.
    assert shared_server.get("/forwarded", **{"X-Forwarded-For": "192.0.2.1"}) == "192.0.2.1"


def test_external_database_is_used_without_an_embedded_one(
    tmp_path: Path, empty_database_url: str
) -> None:
    environ = {"DATABASE_URL": empty_database_url, "SECRET_KEY": "k" * 32}
    with serving(tmp_path, **environ) as tiny_server:
        tiny_server.get("/gold")
        assert "gold" in tiny_server.words()
        assert psutil.Process(tiny_server.process.pid).children() == []
        assert list(tmp_path.iterdir()) == []


def test_web_process_runs_no_worker_and_no_scheduler(
    tmp_path: Path, empty_database_url: str
) -> None:
    environ = {
        "DATABASE_URL": empty_database_url,
        "SECRET_KEY": "k" * 32,
        "DRAIN_SECONDS": "0",
    }
    with serving(tmp_path, "pages", **environ) as tiny_server:
        tiny_server.get("/nudged")
        tiny_server.get("/gold")
        time.sleep(0.5)
        assert tiny_server.words() == ["gold"]
        assert tiny_server.stop() == 0


@dataclass
class DeadThread:
    """A thread that has ended unexpectedly."""

    name: str = "worker"

    def start(self) -> None:
        """Do nothing."""

    def is_alive(self) -> bool:
        return False

    def stop(self) -> None:
        """Do nothing."""


def test_death_of_a_thread_stops_the_server_with_a_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert _watch_threads([DeadThread()], None, threading.Event()) == 1
    assert "The thread 'worker' has died" in caplog.text
