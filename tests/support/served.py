"""The real `lodepost serve` in a process of its own, with its own Postgres, worker, clock and mails."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_OWN = {"DATABASE_URL", "REDIS_URL", "SMTP_URL", "SECRET_KEY", "BASE_URL", "LISTEN", "DATA_DIR"}


@dataclass(frozen=True)
class Served:
    """Where the server is, where its mails lie, and the address that opens its mailbox."""

    url: str
    mails: Path
    mailbox: str


@contextmanager
def serving(data: Path) -> Iterator[Served]:
    """Serve from an empty folder until the end of the block."""
    environ = {name: value for name, value in os.environ.items() if name not in _OWN}
    command = [sys.executable, "-m", "webapp.cli", "serve", "--port", str(_free_port())]
    process = subprocess.Popen(
        [*command, "--data", str(data)], cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout
        yield _served(process.stdout.readline(), data)
    finally:
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 0


def _served(line: str, data: Path) -> Served:
    found = re.search(r"is at (\S+)/ .*mails: (\S+)\)", line)
    if found is None:
        pytest.fail(f"serve did not say where it is: {line!r}")
    return Served(url=found[1], mails=data / "mail", mailbox=found[2])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
