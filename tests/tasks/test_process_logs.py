"""What the real server processes log while people and bots play: JSON lines without exception, few of them, and no secret."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.cast import ALICE, DAVE
from tests.support.factories import deal_game, request_sign_in_email, sign_in_guest
from tests.support.fakes import Outbox
from tests.support.ports import free_port
from tests.support.redis import SECRET_KEY, wait_until
from tests.support.smtp_sink import Sink
from tests.support.transactions import transaction
from webapp.kernel import urls
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database

pytestmark = pytest.mark.own_database
ROOT = Path(__file__).parents[2]
TOKEN = "a-token-that-is-long-enough"
COMMANDS = ("web", "worker --without-bots", "worker --only-bots", "beat", "migrate")
_STOP_SECONDS = 240


def arguments_of(command: str, port: int) -> list[str]:
    return [*command.split(), *([f"--port={port}"] if command == "web" else [])]


@contextmanager
def server_processes(folder: Path, environ: dict[str, str]) -> Iterator[int]:
    """Run all processes with their standard error in files of this folder; yield the port of the pages."""
    port = free_port()
    with ExitStack() as stack:
        processes = []
        for command in COMMANDS:
            file = stack.enter_context((folder / command).open("wb"))
            process = subprocess.Popen(
                [sys.executable, "-m", "webapp.cli", *arguments_of(command, port)],
                cwd=ROOT,
                env=environ,
                stdout=subprocess.DEVNULL,
                stderr=file,
            )
            stack.callback(process.kill)
            processes.append(process)
        writers = [child for process in processes[:-1] for child in line_writers_of(process.pid)]
        yield port
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(_STOP_SECONDS)
    assert psutil.wait_procs(writers, timeout=_STOP_SECONDS)[1] == []


def line_writers_of(process_id: int) -> list[psutil.Process]:
    """Return the process that makes log lines of other output, once it has been started."""
    process = psutil.Process(process_id)
    wait_until(lambda: bool(process.children()))
    return process.children()


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def status_of(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=_STOP_SECONDS) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def send_malformed_request(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"\x16\x03\x01 no HTTP \xff\r\n\r\n")
        connection.recv(1000)


def test_all_output_of_all_processes_is_few_log_lines_without_secrets(
    database: Database,
    database_url: str,
    redis_url: str,
    sink: Sink,
    outbox: Outbox,
    tmp_path: Path,
) -> None:
    environ = {
        **{name: os.environ[name] for name in os.environ if name != "CI"},
        "DATABASE_URL": database_url,
        "REDIS_URL": redis_url,
        "SMTP_URL": f"smtp://127.0.0.1:{sink.port}",
        "SECRET_KEY": SECRET_KEY,
        "BASE_URL": "http://lodepost.test",
        # So that the email about the turn in a game of bots does not wait either.
        "EMAIL_WAIT_MINUTES": "0",
    }
    alice = sign_in_guest(database, ALICE, now=utc_now())
    slug = deal_game(database, [alice], now=utc_now())
    folder = tmp_path / "logs"
    folder.mkdir()
    with server_processes(folder, environ) as port:
        address = f"http://127.0.0.1:{port}"
        wait_until(lambda: status_of(address + urls.readiness_probe()) == 200)
        for path in (urls.sign_in_link(TOKEN), urls.unsubscribe(TOKEN), urls.game(slug)):
            status_of(address + path)
        send_malformed_request(port)
        with transaction(database) as tx:
            request_sign_in_email(tx, DAVE, now=utc_now())
        wait_until(
            lambda: outbox.statuses() <= {"sent", "dropped"} and bool(sink.accepted_messages)
        )
    for command in COMMANDS:
        check_lines(command, lines_of(folder / command))


def check_lines(command: str, lines: list[dict[str, Any]]) -> None:
    assert lines[0]["event"] == "process-started"
    assert lines[0]["command"] == command.split(maxsplit=1)[0]
    assert "uncaught-error" not in {line.get("event") for line in lines}
    assert not [line for line in lines if "received" in line["message"]]
    assert len(lines) < 15
    text = json.dumps(lines)
    for secret in (TOKEN, SECRET_KEY, ALICE.address, DAVE.address):
        assert secret not in text


@pytest.mark.parametrize("command", ["worker", "migrate"])
def test_process_that_cannot_start_logs_one_line(command: str, tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path)}
    completed_process = subprocess.run(
        [sys.executable, "-m", "webapp.cli", command],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        check=False,
    )
    assert completed_process.returncode == 2
    start, failure = map(json.loads, completed_process.stderr.splitlines())
    assert start["event"] == "process-started"
    assert failure["event"] == "command-failed"
    assert "DATABASE_URL is not set" in failure["message"]


def test_worker_that_is_killed_leaves_no_process(database_url: str, redis_url: str) -> None:
    environ = {**os.environ, "DATABASE_URL": database_url, "REDIS_URL": redis_url}
    command = [sys.executable, "-m", "webapp.cli", "beat"]
    with subprocess.Popen(
        command, cwd=ROOT, env={**environ, "SECRET_KEY": SECRET_KEY}, stderr=subprocess.PIPE
    ) as process:
        writers = line_writers_of(process.pid)
        process.send_signal(signal.SIGKILL)
        process.wait(_STOP_SECONDS)
        assert psutil.wait_procs(writers, timeout=_STOP_SECONDS)[1] == []
