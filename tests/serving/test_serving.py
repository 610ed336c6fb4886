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
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from webapp.serving.process import _watch

ROOT = Path(__file__).parents[2]


@dataclass
class Served:
    """A running `serve` of the tiny application."""

    process: subprocess.Popen[str]
    port: int
    line: str

    def get(self, path: str = "/", **headers: str) -> str:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return str(answer.read().decode())

    def words(self) -> list[str]:
        return self.get().split()

    def postgres(self) -> psutil.Process:
        (child,) = psutil.Process(self.process.pid).children()
        return child

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(30)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def launch(data: Path, *words: str, port: int, **environ: str) -> subprocess.Popen[str]:
    clean = {name: os.environ[name] for name in os.environ if name not in {"DATABASE_URL", "CI"}}
    places = {"DATA_DIR": str(data), "LISTEN": f"127.0.0.1:{port}", "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.tiny_app", *words],
        cwd=ROOT,
        env={**clean, **places, **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def serving(data: Path, *words: str, **environ: str) -> Iterator[Served]:
    port = free_port()
    process = launch(data, *words, port=port, **environ)
    try:
        assert process.stdout
        line = process.stdout.readline()
        if not line:
            pytest.fail(process.communicate()[1])
        yield Served(process, port, line)
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=30)


def eventually(holds: Callable[[], bool], *, within: float = 10) -> None:
    until = time.monotonic() + within
    while not holds():
        assert time.monotonic() < until, "it did not come true in time"
        time.sleep(0.05)


def test_one_line_says_where_to_go_and_it_is_true(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as served:
        told = re.fullmatch(
            r"Lodepost is at (http://127\.0\.0\.1:\d+)/  "
            r"\(mails: \1/mailbox\?key=[0-9a-f]{32}\)\n",
            served.line,
        )
        assert told
        assert told[1].endswith(f":{served.port}")
        served.get("/gold")
        assert "gold" in served.words()
        assert served.stop() == 0
        assert served.process.communicate() == ("", "")


def test_the_clock_ticks_and_a_nudge_arrives_at_once(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        eventually(lambda: served.words().count("tick") >= 3)
        served.get("/nudged")
        eventually(lambda: "nudged" in served.words(), within=2)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_cleanly_and_leaves_no_process(tmp_path: Path, how: signal.Signals) -> None:
    with serving(tmp_path) as served:
        family = psutil.Process(served.process.pid).children(recursive=True)
        assert family
        assert served.stop(how) == 0
        assert not [process for process in family if process.is_running()]
    assert "database system is shut down" in (tmp_path / "postgres.log").read_text()


def test_a_request_under_way_is_answered_before_it_stops(tmp_path: Path) -> None:
    with serving(tmp_path) as served, ThreadPoolExecutor(1) as pool:
        slow = pool.submit(served.get, "/slow")
        time.sleep(0.3)
        assert served.stop() == 0
        assert "slow" in slow.result().split()


def test_a_task_under_way_is_finished_before_it_stops(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        served.get("/toil")
        time.sleep(0.4)
        assert "toil" not in served.words()
        assert served.stop() == 0
    with serving(tmp_path) as served:
        assert "toil" in served.words()


def test_nothing_is_lost_when_everything_is_killed(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        served.get("/gold")
        family = psutil.Process(served.process.pid).children(recursive=True)
        for process in (served.process, *family):
            process.kill()
        served.process.wait()
    with serving(tmp_path) as served:
        assert "gold" in served.words()


def test_nothing_is_lost_when_only_the_master_is_killed(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        served.get("/gold")
        orphan = served.postgres()
        served.process.kill()
        served.process.wait()
    assert orphan.is_running()
    with serving(tmp_path) as served:
        assert "gold" in served.words()
        assert not orphan.is_running()


def test_a_postgres_that_dies_is_brought_back(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        served.get("/gold")
        dead = served.postgres()
        dead.kill()

        def is_back() -> bool:
            try:
                return "gold" in served.words()
            except OSError:
                return False

        eventually(is_back, within=60)
        assert served.postgres() != dead
        assert served.stop() == 0


def test_the_secret_key_and_so_the_mailbox_key_outlive_a_restart(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        first = served.line.rpartition("key=")[2]
    with serving(tmp_path) as served:
        assert served.line.rpartition("key=")[2] == first
    assert stat.S_IMODE((tmp_path / "secret-key").stat().st_mode) == 0o600
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


def test_no_mailbox_is_promised_where_mails_leave_the_machine(tmp_path: Path) -> None:
    with serving(tmp_path, SMTP_URL="smtp://127.0.0.1:9") as served:
        assert "mail" not in served.line


def test_a_port_in_use_is_told_before_anything_is_made(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = int(taken.getsockname()[1])
        process = launch(tmp_path / "data", port=port)
        _, words = process.communicate(timeout=30)
    assert process.returncode != 0
    assert f"cannot listen at 127.0.0.1 port {port}: Address already in use" in words
    assert not (tmp_path / "data").exists()


def test_a_folder_in_use_is_told(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        process = launch(tmp_path, port=free_port())
        _, words = process.communicate(timeout=30)
        assert f"in use by another Lodepost (process {served.process.pid})" in words
        served.get()


def test_forwarding_headers_reach_the_application(tmp_path: Path) -> None:
    # It must see them in order to refuse them.
    with serving(tmp_path) as served:
        assert served.get("/forwarded", **{"X-Forwarded-For": "192.0.2.1"}) == "192.0.2.1"


def test_a_database_elsewhere_is_used_as_it_is(tmp_path: Path, empty_database_url: str) -> None:
    named = {"DATABASE_URL": empty_database_url, "SECRET_KEY": "k" * 32}
    with serving(tmp_path, **named) as served:
        served.get("/gold")
        assert "gold" in served.words()
        assert psutil.Process(served.process.pid).children() == []
        assert list(tmp_path.iterdir()) == []


def test_pages_alone_run_neither_worker_nor_clock(tmp_path: Path, empty_database_url: str) -> None:
    named = {"DATABASE_URL": empty_database_url, "SECRET_KEY": "k" * 32}
    with serving(tmp_path, "pages", **named) as served:
        served.get("/nudged")
        served.get("/gold")
        time.sleep(0.5)
        assert served.words() == ["gold"]
        assert served.stop() == 0


@dataclass
class DeadPart:
    """A thread that has ended although nobody told it to."""

    name: str = "worker"

    def start(self) -> None:
        """It was started, once."""

    def is_alive(self) -> bool:
        return False

    def stop(self) -> None:
        """There is nothing left to stop."""


def test_the_death_of_a_part_ends_the_server_with_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert _watch([DeadPart()], None, threading.Event()) == 1
    assert "The thread 'worker' has died" in capsys.readouterr().err
