"""Run the real `lodepost serve` in a process, with an embedded Postgres, a worker, a scheduler and emails in a folder."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.ports import free_port
from tests.support.postgres import copy_cluster

ROOT = Path(__file__).parents[2]
_SETTING_NAMES = {
    "DATABASE_URL",
    "REDIS_URL",
    "SMTP_URL",
    "SECRET_KEY",
    "BASE_URL",
    "LISTEN",
    "DATA_DIR",
}


@dataclass(frozen=True)
class RunningServer:
    """The address of the server, the folder of its emails, and the address of its mailbox page."""

    url: str
    maildir: Path
    mailbox: str


@contextmanager
def running_serve_process(data: Path, *, host: str = "127.0.0.1") -> Iterator[RunningServer]:
    """Run a server with this data folder and this host in its address until the end of the block."""
    environ = {name: value for name, value in os.environ.items() if name not in _SETTING_NAMES}
    copy_cluster(data)
    port = free_port()
    environ["BASE_URL"] = f"http://{host}:{port}"
    command = [sys.executable, "-m", "webapp.cli", "serve", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--data", str(data)], cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout
        yield _parse_startup_line(process.stdout.readline(), data)
    finally:
        process.terminate()
        process.communicate(timeout=240)
    assert process.returncode == 0


def _parse_startup_line(line: str, data: Path) -> RunningServer:
    startup_match = re.search(r"is at (\S+)/ .*emails: (\S+)\)", line)
    if startup_match is None:
        pytest.fail(f"unexpected startup line: {line!r}")
    return RunningServer(url=startup_match[1], maildir=data / "mail", mailbox=startup_match[2])
